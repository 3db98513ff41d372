/**
 * A platform of several processes, as `dodeca start --processes=2` makes it: one port, one log, one set
 * of metrics; a process that is killed is started again, and a stop ends all of them in order.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, cloneDatabase, eventually, type Ground } from './world.ts'
import { endsWithFile } from './children.ts'

const main = fileURLToPath(new URL('../src/main.mjs', import.meta.url))

let clone: Ground
let data_dir: string
beforeAll(async () => {
  clone = await cloneDatabase('product_template')
  data_dir = await mkdtemp(join(tmpdir(), 'dodeca-processes-'))
})
afterAll(async () => {
  await clone.drop()
  await rm(data_dir, { recursive: true, force: true })
})

async function startParent(environment: Record<string, string> = {}) {
  const child = endsWithFile(
    spawn(process.execPath, [main, '--processes=2'], {
      detached: true,
      env: {
        PATH: process.env['PATH'] ?? '',
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
        ...clone.environment,
        DATA_DIR: data_dir,
        PORT: '0',
        KERNEL_SANDBOX: 'false',
        KERNEL_OVERLOAD_DELAY_MS: '60000',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  let output = ''
  child.stdout.on('data', part => (output += String(part)))
  child.stderr.on('data', part => (output += String(part)))
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
  const port = await eventually('the banner', () => {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${output}`)
    return /ready on port (\d+)/.exec(output)?.[1]
  })
  return { child, url: `http://127.0.0.1:${port}`, output: () => output, ended }
}

/** A request on a connection of its own. */
async function visit(url: string): Promise<void> {
  const [response] = await once(get(`${url}/healthz`, { agent: false }), 'response')
  response.resume()
  expect(response.statusCode).toBe(200)
}

/** The value of a metric for each process. */
async function metricOf(url: string, name: string): Promise<Record<string, number>> {
  const { text } = await call(url, 'GET', '/metrics', { headers: { connection: 'close' } })
  const lines = text.matchAll(new RegExp(`^${name}\\{[^}]*process="(\\d+)"[^}]*\\} (\\S+)$`, 'gm'))
  return Object.fromEntries([...lines].map(([, process, value]) => [process, Number(value)]))
}

/** The pids of the processes that a parent has started. */
async function pidsOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const stats = await Promise.all(
    pids.map(pid => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')),
  )
  return stats.flatMap(stat => {
    const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(ppid) === parent && state !== 'Z' ? [Number.parseInt(stat, 10)] : []
  })
}

test('processes share a port; one that is killed is started again; all stop in order', async () => {
  const parent = await startParent()
  const { url } = parent
  expect(parent.output()).toMatch(/development, 2 api processes, 1 worker process/)
  expect(parent.output().match(/is ready/g)).toHaveLength(1)
  expect(await metricOf(url, 'platform_process_up')).toEqual({ 1: 1, 2: 1, 3: 1 })

  await eventually('both have accepted connections', async () => {
    await Promise.all(Array.from({ length: 16 }, () => visit(url)))
    const served = await metricOf(url, 'http_server_request_duration_seconds_count')
    return served[1] !== undefined && served[2] !== undefined
  })
  const { text } = await call(url, 'GET', '/metrics')
  expect(text.match(/^# TYPE http_server_request_duration_seconds /gm)).toHaveLength(1)

  const before = await pidsOf(parent.child.pid ?? 0)
  expect(before).toHaveLength(3)
  process.kill(before[0] ?? 0, 'SIGKILL')
  await eventually('the others answer, and it is started again', async () => {
    // A connection to the process that was killed may be reset.
    const up = await metricOf(url, 'platform_process_up').catch(() => ({}))
    const restarts = await metricOf(url, 'platform_process_restarts').catch(() => ({}))
    return Object.values(up).join() === '1,1,1' && Object.values<number>(restarts).includes(1)
  })
  const killed = /"process":(\d),"ended_with":"SIGKILL","pause_ms":250/.exec(parent.output())
  expect(killed).not.toBeNull()

  const last = await pidsOf(parent.child.pid ?? 0)
  process.kill(-(parent.child.pid ?? 0), 'SIGTERM')
  expect(await parent.ended).toBe(0)
  expect(last.filter(isRunning)).toEqual([])
})

test('no process outlives a parent that is killed', async () => {
  const parent = await startParent({ WORKER_PROCESSES: '0', LOG_LEVEL: 'error' })
  expect(parent.output()).toMatch(/development, 2 api \+ worker processes/)
  const members = await pidsOf(parent.child.pid ?? 0)
  expect(members).toHaveLength(2)
  parent.child.kill('SIGKILL')
  await eventually('all have ended', () => members.every(pid => !isRunning(pid)))
})

test('what stops one process at its start stops all, in one sentence', async () => {
  const child = endsWithFile(
    spawn(process.execPath, [main, '--processes=3'], {
      env: {
        PATH: process.env['PATH'] ?? '',
        DATA_DIR: data_dir,
        DATABASE_URL: 'postgres://x@127.0.0.1:9/x',
      },
    }),
  )
  let output = ''
  child.stderr.on('data', part => (output += String(part)))
  const [code] = (await once(child, 'exit')) as [number]
  expect(code).toBe(1)
  expect(output.match(/DATABASE_URL does not answer/g)).toHaveLength(1)
  expect(output).not.toContain('    at ')
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
