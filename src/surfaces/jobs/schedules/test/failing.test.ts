/** A schedule whose run fails in a way that nothing foresees. */
import { afterAll, expect, test } from 'vitest'
import { eventually } from '../../../../../test/world.ts'
import { openAskingWorld } from '../../test/asking-world.ts'
import { workman } from '../../test/worker.ts'

const world = await openAskingWorld()
afterAll(() => world.close())

test('a schedule that fails does not keep the schedules behind it from running', async () => {
  const type = await world.idleType()
  const [first, second] = [await workman(world), await workman(world)]
  for (const { token } of [first, second]) {
    const body = { type, cron: '* * * * *' }
    const made = await world.call('PUT', '/v1/job-schedules/nightly', { token, body })
    expect(made.status, made.text).toBe(201)
  }
  const due = (minutes: number, { tenant }: typeof first) =>
    world.query(
      `update jobs.job_schedules
       set next_run_at = date_trunc('minute', now()) - make_interval(mins => $1)
       where tenant_id = $2`,
      [minutes, tenant.id],
    )
  await world.query(`
    create function jobs.refuse_job() returns trigger language plpgsql
    as $$ begin raise exception 'not foreseen'; end $$`)
  await world.query(`
    create trigger refuse_job before insert on jobs.jobs
    for each row when (new.tenant_id = '${first.tenant.id}') execute function jobs.refuse_job()`)
  await due(2, first)
  await due(1, second)
  const runs = async ({ token }: typeof first) => {
    const { body } = await world.call('GET', '/v1/job-schedules/nightly', { token })
    return body.last_job_id !== null
  }
  await eventually('the other one has run', () => runs(second))
  expect(await runs(first)).toBe(false)
  await world.query('drop trigger refuse_job on jobs.jobs')
  await eventually('it runs too, once nothing is wrong any more', () => runs(first))
})
