/**
 * Runs wrk, the client for the redirects, and reads its report. It uses one thread on the client's
 * core.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartError } from '#dodeca/kernel'
import { ended, processorSeconds, startOn } from '../ground/machine.ts'
import type { Measure } from '../ground/rounds.ts'
import { spawnSync } from 'node:child_process'

export type Wrk = {
  readonly port: number
  readonly pid: number | undefined
  /** Which path the next request asks for, as the body of a Lua function. */
  readonly path: string
  readonly host: string
  readonly seconds: number
  /** Asks for one after the other instead of at random, so that the first 100,000 are all of them. */
  readonly in_turn?: boolean
}

export type Counted = Measure & { readonly completed: number }

export const connections = 64

export async function wrk({
  port,
  pid,
  path,
  host,
  seconds,
  in_turn = false,
}: Wrk): Promise<Counted> {
  if (spawnSync('wrk', ['-v']).error) {
    throw new StartError('This comparison needs wrk: on Debian, apt-get install wrk.')
  }
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-wrk-'))
  try {
    const script = join(folder, 'script.lua')
    await writeFile(script, lua(path, host, in_turn))
    const before = await processorSeconds(pid)
    const child = startOn({
      side: 'client',
      program: 'wrk',
      args: [
        '-t1',
        `-c${connections}`,
        `-d${seconds}s`,
        '--latency',
        '-s',
        script,
        `http://127.0.0.1:${port}/`,
      ],
    })
    let said = ''
    child.stdout?.on('data', part => (said += String(part)))
    child.stderr?.on('data', part => (said += String(part)))
    if ((await ended(child)) !== 0) throw new StartError(`wrk failed: ${said}`)
    const after = await processorSeconds(pid)
    return measureOf(said, before === null || after === null ? null : after - before)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const random = 'return requests[math.random(0, 99999)]'

/** Whole requests are made before the run: making them on the way would cost the client as much as asking. */
function lua(path: string, host: string, in_turn: boolean): string {
  const next = in_turn ? 'turn = (turn + 1) % 100000 return requests[turn]' : random
  return `
local requests = {}
local function make(n)
  local path = (function() ${path} end)()
  return "GET " .. path .. " HTTP/1.1\\r\\nHost: ${host}\\r\\n\\r\\n"
end
function init() for n = 0, 99999 do requests[n] = make(n) end end
local turn = -1
function request() ${next} end
function done(summary, latency)
  io.write(string.format("\\ncompleted %d in %d us, p50 %d p99 %d, other %d, broken %d\\n",
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    summary.errors.status, summary.errors.connect + summary.errors.read + summary.errors.write
      + summary.errors.timeout))
end
`
    .replace('local path = (function()', 'local path = (function(n)')
    .replace('end)()', 'end)(n)')
}

function measureOf(said: string, processor_seconds: number | null): Counted {
  const found = /completed (\d+) in (\d+) us, p50 (\d+) p99 (\d+), other (\d+), broken (\d+)/.exec(
    said,
  )
  if (!found) throw new StartError(`wrk said nothing of use: ${said}`)
  const [completed = 0, duration_us = 1, p50_us = 0, p99_us = 0, , broken = 0] = found
    .slice(1)
    .map(Number)
  return {
    completed,
    per_second: (completed * 1e6) / duration_us,
    p50_ms: p50_us / 1000,
    p99_ms: p99_us / 1000,
    cpu_us: processor_seconds === null ? null : (processor_seconds * 1e6) / completed,
    unexpected: broken,
  }
}
