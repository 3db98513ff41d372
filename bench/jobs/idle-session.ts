/**
 * A session with a forgotten open transaction holds back vacuum, so that deleted rows stay in the
 * indexes. Measures how fast jobs are worked off then, at the beginning and after 180,000 jobs.
 */
import pg from 'pg'
import type { Bench } from '../ground/comparison.ts'
import { startQueue } from '../ground/queues/start-queue.ts'
import { figure, type Section } from '../ground/report.ts'

const jobs = 200_000

export async function idleSession(bench: Bench): Promise<readonly Section[]> {
  const url = await bench.database.create('jobs_forgotten')
  const queue = await startQueue({ kind: 'dodeca', url })
  await queue.load(jobs)
  const forgotten = new pg.Client({ connectionString: url })
  await forgotten.connect()
  await forgotten.query('set idle_in_transaction_session_timeout = 0')
  await forgotten.query('begin isolation level repeatable read')
  await forgotten.query('select pg_current_xact_id(), count(*) from jobs.job_types')
  const { seconds, first_rate, last_rate } = await queue.drain(jobs)
  await queue.kill()
  await forgotten.end()
  return [
    {
      title: 'Beside a transaction that stays open',
      columns: ['', 'jobs per second'],
      rows: [
        ['the first tenth of 200,000', figure(first_rate)],
        ['the last tenth', figure(last_rate)],
        ['all of them', figure(jobs / seconds)],
      ],
      verdicts: [
        {
          says: 'last tenth / first tenth',
          reached: last_rate / first_rate,
          target: 0.8,
          unit: '',
          wanted: 'at least',
        },
      ],
      notes: ['A claim begins behind the last row that it took, not at the front of dead ones.'],
    },
  ]
}
