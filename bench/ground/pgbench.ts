/**
 * The limit that PostgreSQL itself sets: pgbench runs a script over prepared statements. It is not
 * part of the npm packages; the system's own is used, from the PATH or from Debian's folder.
 */
import { spawnSync } from 'node:child_process'
import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartError } from '#dodeca/kernel'
import { ended, startOn } from './machine.ts'
import type { Options } from './options.ts'
import { percentile, type Measure } from './rounds.ts'

export type Pgbench = {
  readonly program: string
  readonly url: string
  readonly script: string
  readonly clients: number
  /** This number of transactions for each client instead of a duration, without a warm-up. */
  readonly transactions?: number
  readonly variables?: Readonly<Record<string, string | number>>
}

export async function findPgbench(): Promise<string> {
  if (spawnSync('pgbench', ['--version']).status === 0) return 'pgbench'
  const found: string[] = []
  for await (const path of glob('/usr/lib/postgresql/*/bin/pgbench')) found.push(path)
  const newest = found.sort().at(-1)
  if (newest) return newest
  throw new StartError(
    'This comparison needs pgbench, which comes with the packages of PostgreSQL: on Debian, ' +
      'apt-get install postgresql-contrib. Install it, or put it on the PATH, and try again.',
  )
}

export async function pgbench(bench: Pgbench, options: Options): Promise<Measure> {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-pgbench-'))
  try {
    const file = join(folder, 'script.sql')
    await writeFile(file, bench.script)
    if (!bench.transactions) await run(bench, file, options.warm_seconds, [])
    const sampled = bench.transactions ? [] : ['--sampling-rate=0.25']
    const log = ['--log', `--log-prefix=${join(folder, 'log')}`, ...sampled]
    const output = await run(bench, file, options.seconds, log)
    const rate = /^tps = ([\d.]+) \(without/m.exec(output)?.[1]
    if (!rate) throw new Error(`pgbench said no rate: ${output}`)
    const latencies_ms = await readLatencies(folder)
    return {
      per_second: Number(rate),
      p50_ms: percentile(latencies_ms, 0.5),
      p99_ms: percentile(latencies_ms, 0.99),
      cpu_us: null,
      unexpected: 0,
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function run(
  { program, url, clients, transactions, variables = {} }: Pgbench,
  file: string,
  seconds: number,
  more: readonly string[],
): Promise<string> {
  const given = Object.entries(variables).map(([name, value]) => `--define=${name}=${value}`)
  const child = startOn({
    side: 'client',
    program,
    args: [
      '--no-vacuum',
      '--protocol=prepared',
      `--client=${clients}`,
      transactions
        ? `--transactions=${transactions}`
        : `--time=${Math.max(1, Math.round(seconds))}`,
      `--file=${file}`,
      ...given,
      ...more,
      url,
    ],
  })
  let text = ''
  child.stdout?.on('data', part => (text += String(part)))
  child.stderr?.on('data', part => (text += String(part)))
  const code = await ended(child)
  if (code !== 0) throw new Error(`pgbench failed: ${text}`)
  return text
}

/** The third word of each line is the latency of one transaction in microseconds. */
async function readLatencies(folder: string): Promise<number[]> {
  const latencies_ms: number[] = []
  for await (const name of glob('log.*', { cwd: folder })) {
    for (const line of (await readFile(join(folder, name), 'utf8')).split('\n')) {
      if (line) latencies_ms.push(Number(line.split(' ')[2]) / 1000)
    }
  }
  return latencies_ms
}
