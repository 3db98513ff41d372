/** From the commit of one job to the begin of its handler, at a steady two hundred a second. */
import type { Bench } from '../ground/comparison.ts'
import { openRedis } from '../ground/queues/redis.ts'
import { startQueue, type QueueKind } from '../ground/queues/start-queue.ts'
import { figure, type Section, type Verdict } from '../ground/report.ts'
import { percentile } from '../ground/rounds.ts'

type Measured = { readonly name: string; readonly p50: number; readonly p99: number }

const gap_ms = 5

export async function latency(bench: Bench): Promise<readonly Section[]> {
  const measured: Measured[] = []
  for (const [name, kind] of [
    ['dodeca', 'dodeca'],
    ['graphile-worker 0.18', 'graphile'],
    ['pg-boss 12.0', 'pg-boss'],
  ] as const) {
    const url = await bench.database.create(`jobs_start_${measured.length}`)
    measured.push(await startsOf(bench, name, kind, url))
  }
  const redis = await openRedis('always')
  if (redis) {
    measured.push(await startsOf(bench, 'BullMQ 6.7, fsync always', 'bullmq-kept', redis.url))
    await redis.close()
  }
  const [ours] = measured
  const most = (says: string, reached: number, target: number): Verdict => {
    return { says, reached, target, unit: 'ms', wanted: 'at most' }
  }
  return [
    {
      title: 'From the commit of one job to its begin, 200 a second',
      columns: ['', 'p50 ms', 'p99 ms'],
      rows: measured.map(one => [one.name, figure(one.p50), figure(one.p99)]),
      verdicts: ours ? [most('p50', ours.p50, 5), most('p99', ours.p99, 20)] : [],
      notes: [
        'One process submits and runs. pg-boss polls for work twice a second, which is its shortest interval.',
      ],
    },
  ]
}

async function startsOf(
  bench: Bench,
  name: string,
  kind: QueueKind,
  url: string,
): Promise<Measured> {
  const queue = await startQueue({ kind, url })
  await queue.latencies(200, gap_ms)
  const times = await queue.latencies(Math.ceil((1000 / gap_ms) * bench.options.seconds), gap_ms)
  await queue.kill()
  return { name, p50: percentile(times, 0.5), p99: percentile(times, 0.99) }
}
