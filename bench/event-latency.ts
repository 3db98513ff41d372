/**
 * From the commit of an event to the start of its consumer, in one process and across two, beside
 * the same path of graphile-worker (add_job to the start of the task) on the same PostgreSQL.
 */
import { fileURLToPath } from 'node:url'
import { startBeating, type Beating } from './ground/beating.ts'
import { comparison, type Bench } from './ground/comparison.ts'
import { startPlatform } from './ground/platform.ts'
import { figure, type Section, type Verdict } from './ground/report.ts'
import { median, percentile } from './ground/rounds.ts'

const gap_ms = 15

type Pair = { readonly name: string; readonly announces: Beating; readonly consumes: Beating }
type Latency = { readonly p50_ms: number; readonly p99_ms: number }

await comparison('event-latency', async bench => {
  const here = await ours(bench, 'latency_one', 'one process')
  const across = await ours(bench, 'latency_two', 'two processes')
  const rival = await queue(bench, 'latency_queue_one', 'one process')
  const rivalAcross = await queue(bench, 'latency_queue_two', 'two processes')
  const pairs = [here, rival, across, rivalAcross]
  const found = pairs.map((): Latency[] => [])
  for (let round = 1; round <= bench.options.rounds; round++) {
    for (const [index, pair] of pairs.entries()) {
      const latency = await measure(pair, bench.options.seconds)
      found[index]?.push(latency)
      process.stderr.write(`  round ${round}: ${pair.name} p50 ${figure(latency.p50_ms)} ms\n`)
    }
  }
  for (const { announces, consumes } of pairs) {
    await announces.stop()
    if (consumes !== announces) await consumes.stop()
  }
  return [sectionOf(pairs, found)]
})

async function ours({ database, options }: Bench, name: string, where: string): Promise<Pair> {
  const database_url = await database.create(name)
  const both = where === 'one process'
  const consumes = await startPlatform({
    database_url,
    roles: both ? 'api,worker' : 'worker',
    consuming: 'batched',
    profile: options.profile,
  })
  const announces = both
    ? consumes
    : await startPlatform({ database_url, roles: 'api', consuming: 'batched', side: 'client' })
  return { name: `dodeca, ${where}`, announces, consumes }
}

async function queue({ database }: Bench, name: string, where: string): Promise<Pair> {
  const url = await database.create(name)
  const entry = fileURLToPath(new URL('./ground/queue-process.ts', import.meta.url))
  const start = (side: 'server' | 'client', runs: string) =>
    startBeating({ side, program: process.execPath, args: [entry, url, runs] })
  const consumes = await start('server', 'runs')
  const announces = where === 'one process' ? consumes : await start('client', 'adds')
  return { name: `graphile-worker, ${where}`, announces, consumes }
}

async function measure({ announces, consumes }: Pair, seconds: number): Promise<Latency> {
  await announces.beat(50, gap_ms)
  await announces.times()
  await consumes.times()
  const count = Math.max(50, Math.round((seconds * 1000) / (gap_ms + 5)))
  await announces.beat(count, gap_ms)
  const committed: [string, number][] = []
  const heard = new Map<string, number>()
  const missing = () => count - committed.filter(([beat_id]) => heard.has(beat_id)).length
  for (const deadline = performance.now() + 10_000; missing() > 0;) {
    for (const side of new Set([announces, consumes])) {
      const times = await side.times()
      committed.push(...times.committed)
      for (const [beat_id, at_ms] of times.heard) heard.set(beat_id, at_ms)
    }
    if (performance.now() > deadline) throw new Error(`${missing()} were never heard`)
  }
  const latencies = committed.map(([beat_id, at_ms]) => (heard.get(beat_id) ?? Infinity) - at_ms)
  return { p50_ms: percentile(latencies, 0.5), p99_ms: percentile(latencies, 0.99) }
}

function sectionOf(pairs: readonly Pair[], found: readonly Latency[][]): Section {
  const medians = pairs.map(({ name }, index) => ({
    name,
    p50_ms: median((found[index] ?? []).map(one => one.p50_ms)),
    p99_ms: median((found[index] ?? []).map(one => one.p99_ms)),
  }))
  const [here, , across] = medians
  const verdict = (says: string, reached: number | undefined, target: number): Verdict => ({
    says,
    reached: reached ?? Infinity,
    target,
    unit: 'ms',
    wanted: 'at most',
  })
  return {
    title: 'From commit to the start of the consumer',
    columns: ['', 'p50 ms', 'p99 ms'],
    rows: medians.map(one => [one.name, figure(one.p50_ms), figure(one.p99_ms)]),
    verdicts: [
      verdict('p50 in one process', here?.p50_ms, 3),
      verdict('p99 in one process', here?.p99_ms, 20),
      verdict('p50 across processes', across?.p50_ms, 8),
      verdict('p99 across processes', across?.p99_ms, 20),
    ],
    notes: [
      `One event about every ${gap_ms + 5} ms. Ours pass the ordered log before they are consumed (one more commit); a job of graphile-worker has no order and leaves no log.`,
    ],
  }
}
