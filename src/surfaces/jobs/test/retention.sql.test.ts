/** Jobs go with all that belongs to them when their time is over; others stay. */
import { afterAll, expect, test } from 'vitest'
import { retain } from '../../../kernel/work/retention.ts'
import { jobRetention } from '../attempts/retention.ts'
import { openAskingWorld } from './asking-world.ts'

const world = await openAskingWorld()
afterAll(() => world.close())

test('an ended job is deleted a month after its end, and one that waits is not', async () => {
  const who = await world.person()
  const old = await world.submit(who, { type: 'toil.any', parameters: { result: 1 } })
  const waits = await world.submit(who, { type: await world.idleType() })
  await world.reached(who, old, 'succeeded')
  await world.query('delete from jobs.job_results where job_id = $1', [old])
  const faults: unknown[] = []
  const log = { ...world.kernel.log, error: (fault: unknown) => void faults.push(fault) }
  const settings = {
    ...world.kernel.settings,
    'jobs.retention_days': -1,
    'jobs.progress_retention_days': -1,
  }
  const declared = jobRetention({ settings })
  await retain({ db: world.kernel.db, log }, declared, new AbortController().signal)
  expect(faults).toEqual([])
  expect((await world.show(who, old)).status).toBe(404)
  expect(await world.history(old)).toEqual([])
  expect((await world.show(who, waits)).body.state).toBe('pending')
})
