/**
 * Jobs a second. Queues that keep the history and queues that delete finished jobs are compared
 * separately.
 */
import type { Bench } from '../ground/comparison.ts'
import type { Section, Verdict } from '../ground/report.ts'
import { limit, onPostgres, onRedis, ratio, table, takeTurns } from './drains.ts'

const single = { JOBS_CLAIM_BATCH: '1' }

export async function kept(bench: Bench): Promise<readonly Section[]> {
  const standings = await takeTurns(bench, [
    limit('pgbench, our statements, 50 jobs each', 50, 12_000),
    onPostgres({ name: 'dodeca', kind: 'dodeca', per_second: 8000 }),
    limit('pgbench, our statements, one job each', 1, 900),
    onPostgres({ name: 'dodeca, one job a claim', kind: 'dodeca', per_second: 800, env: single }),
    onPostgres({ name: 'pg-boss 12.0, batches of 100', kind: 'pg-boss', per_second: 800 }),
    onPostgres({ name: 'BullMQ 6.7 on PostgreSQL', kind: 'bullmq-kept', per_second: 800 }),
    onRedis({ name: 'BullMQ 6.7, fsync always', kind: 'bullmq-kept', per_second: 2000 }, 'always'),
    onRedis(
      { name: 'BullMQ 6.7, fsync each second', kind: 'bullmq-kept', per_second: 4000 },
      'everysec',
    ),
  ])
  const [limit_many, ours, limit_one, ours_one, boss, bull_postgres] = standings
  const least = (says: string, reached: number, target: number): Verdict => {
    return { says, reached, target, unit: '', wanted: 'at least' }
  }
  return [
    {
      title: 'Jobs that do nothing, history kept',
      ...table(standings),
      verdicts: [
        least('dodeca / pgbench', ratio(ours, limit_many), 0.8),
        least('one job a claim / pgbench, one job each', ratio(ours_one, limit_one), 0.8),
        least('dodeca / pg-boss', ratio(ours, boss), 1.3),
        least('dodeca / BullMQ on PostgreSQL', ratio(ours, bull_postgres), 1),
      ],
      notes: [
        'pgbench only claims and ends; the platform also runs each job, keeps its lease, checks and announces its end, and gives each completion event its position in the log, in the same process.',
        'The processor time of a worker includes its start, spread over the jobs of a round; the server is PostgreSQL with all its processes, or Redis.',
      ],
    },
  ]
}

export async function deleted(bench: Bench): Promise<readonly Section[]> {
  const standings = await takeTurns(bench, [
    onPostgres({ name: 'graphile-worker 0.18', kind: 'graphile', per_second: 3500 }),
    onPostgres({ name: 'graphile-worker, batched', kind: 'graphile-batched', per_second: 25_000 }),
    onRedis({ name: 'BullMQ, fsync always', kind: 'bullmq', per_second: 2000 }, 'always'),
    onRedis({ name: 'BullMQ, fsync each second', kind: 'bullmq', per_second: 4000 }, 'everysec'),
  ])
  return [
    {
      title: 'Jobs that do nothing, deleted when they are done',
      ...table(standings),
      verdicts: [],
      notes: [
        'These keep nothing of a job that went well, so they are no measure for those above and the other way round. Batched, graphile-worker is far ahead of everything here: it writes one row to take a job and deletes it to end it, without asking whose it is; no attempt, no history, no event.',
      ],
    },
  ]
}
