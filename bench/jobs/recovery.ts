/**
 * A worker is killed at full load and another one starts. Measures when all jobs have ended, and
 * how long jobs of the dead worker were held. All contenders wait in parallel, because most of the
 * time nothing happens.
 */
import { ask } from '../ground/database.ts'
import type { Bench } from '../ground/comparison.ts'
import { openRedis } from '../ground/queues/redis.ts'
import { startQueue, type QueueKind } from '../ground/queues/start-queue.ts'
import { figure, type Section } from '../ground/report.ts'

type Left = { readonly held: number; readonly seconds: number | null; readonly left: number }

const work_ms = 2
const lease_seconds = 30
const patience_ms = 75_000

export async function recovery(bench: Bench): Promise<readonly Section[]> {
  const urlOf = (kind: string) => bench.database.create(`jobs_kill_${kind}`)
  const redis = await openRedis('always')
  const ours_url = await urlOf('dodeca')
  const waiting: [string, string, { over: Promise<Left> }][] = [
    ['dodeca', 'lease of 30 s', await killed('dodeca', ours_url)],
    ['graphile-worker 0.18', '4 h (documented)', await killed('graphile', await urlOf('graphile'))],
    ['pg-boss 12.0', '15 min (documented)', await killed('pg-boss', await urlOf('boss'))],
  ]
  if (redis) {
    const bull = await killed('bullmq-kept', redis.url)
    waiting.push(['BullMQ 6.7', 'lock of 30 s, looked at each 30 s', bull])
  }
  const rows: string[][] = []
  const all: Left[] = []
  for (const [name, promise, { over: ending }] of waiting) {
    const one = await ending
    all.push(one)
    const over = one.seconds === null ? `after ${patience_ms / 1000} s: no` : figure(one.seconds)
    rows.push([name, promise, figure(one.held), over, figure(one.left)])
  }
  await redis?.close()
  const { lost, doubled, late } = await history(ours_url)
  const none = (says: string, reached: number) =>
    ({ says, reached, target: 0, unit: '', wanted: 'at most' }) as const
  return [
    {
      title: 'A worker killed at full load',
      columns: ['', 'given back after', 'held by the dead', 'all ended after s', 'still held'],
      rows,
      verdicts: [
        {
          says: 'all ended after',
          reached: all[0]?.seconds ?? Number.POSITIVE_INFINITY,
          target: lease_seconds + 1,
          unit: 's',
          wanted: 'at most',
        },
        none('jobs lost', lost),
        none('jobs that ended twice', doubled),
      ],
      notes: [
        `Of ours ${late} were run a second time; none of them ended twice. Who holds nothing at that moment was between two looks for work.`,
        'The second worker begins when the first is killed.',
      ],
    },
  ]
}

const jobs = 12_000

/** Answers as soon as the second worker has begun; it is over when nothing is left. */
async function killed(kind: QueueKind, url: string): Promise<{ over: Promise<Left> }> {
  const first = await startQueue({ kind, url, work_ms })
  const second = await startQueue({ kind, url, work_ms })
  await first.load(jobs)
  await first.work()
  while ((await first.handled()) < jobs / 6) await pause(2)
  await first.kill('SIGKILL')
  const from = performance.now()
  await pause(100)
  const held = await second.held()
  await second.work()
  return { over: untilNothingIsLeft() }

  async function untilNothingIsLeft(): Promise<Left> {
    let left = await second.left()
    while (left > 0 && performance.now() - from < patience_ms) {
      await pause(50)
      left = await second.left()
    }
    const seconds = left > 0 ? null : (performance.now() - from) / 1000
    await second.kill()
    return { held, seconds, left }
  }
}

async function history(url: string) {
  const [row] = await ask(
    url,
    `select
       ${jobs} - (select count(*)::int from jobs.jobs where state = 'succeeded') as lost,
       (select count(*)::int from (select from jobs.job_events where type = 'succeeded'
         group by job_id having count(*) > 1) twice) as doubled,
       (select count(*)::int from jobs.jobs where attempt_count > 1) as late`,
  )
  return {
    lost: Number(row?.['lost']),
    doubled: Number(row?.['doubled']),
    late: Number(row?.['late']),
  }
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
