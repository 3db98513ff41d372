/**
 * Ten jobs of a small tenant while another tenant has a million: the time until the last of the ten
 * has ended, compared with the time when they run alone with half of the workers, which is their
 * share.
 */
import type { Bench } from '../ground/comparison.ts'
import { startQueue } from '../ground/queues/start-queue.ts'
import { figure, type Section } from '../ground/report.ts'
import { median } from '../ground/rounds.ts'

const flood_jobs = 1_000_000
const work_ms = 50
const few = 10
const times = 20

export async function flood(bench: Bench): Promise<readonly Section[]> {
  const alone = await timesOf(bench, 'jobs_alone', 5, 0)
  const beside = await timesOf(bench, 'jobs_flood', 10, flood_jobs)
  const ratio = median(beside) / median(alone)
  const row = (name: string, all: readonly number[]) => [
    name,
    figure(median(all)),
    figure(Math.max(...all)),
  ]
  return [
    {
      title: `${few} jobs of ${work_ms} ms beside a flood`,
      columns: ['', 'median ms', 'slowest ms'],
      rows: [
        row('alone, with five places', alone),
        row('beside a million of another tenant, with ten', beside),
      ],
      verdicts: [
        { says: 'beside / alone', reached: ratio, target: 2, unit: '', wanted: 'at most' },
      ],
      notes: [
        `${times} times each, from the submission to the last end. A place that is taken is not taken away, so each of the first five waits for one to come free.`,
      ],
    },
  ]
}

async function timesOf(bench: Bench, name: string, places: number, waiting: number) {
  const url = await bench.database.create(name)
  const env = { JOBS_CONCURRENCY: String(places), JOBS_TENANT_WAITING: String(2 * flood_jobs) }
  const queue = await startQueue({ kind: 'dodeca', url, env, work_ms })
  if (waiting > 0) await queue.load(waiting)
  await queue.few(few, 3)
  process.stderr.write(`  ${name}: ${waiting} wait\n`)
  const all = await queue.few(few, times)
  await queue.kill()
  return all
}
