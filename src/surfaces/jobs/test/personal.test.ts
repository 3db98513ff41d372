/** What jobs keep of a person is handed out, and gone once the account is erased. */
import { afterAll, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { openAskingWorld } from './asking-world.ts'

const world = await openAskingWorld()
afterAll(async () => {
  await world.check()
  await world.close()
})

const schedule = { type: 'toil.any', cron: '0 3 * * *', parameters: { result: 'by night' } }

test('jobs and schedules of an account are exported, then erased, and those of others stay', async () => {
  const who = await world.person([
    'jobs.jobs.submit:*',
    'jobs.jobs.read:*',
    'jobs.schedules.write:*',
  ])
  const other = await world.person()
  const done = await world.submit(who, { type: 'toil.any', parameters: { result: 'mine' } })
  const waits = await world.submit(who, { type: await world.idleType(), parameters: { of: 'me' } })
  const theirs = await world.submit(other, { type: 'toil.any', parameters: { result: 'theirs' } })
  const path = '/v1/job-schedules/nightly'
  expect((await world.call('PUT', path, { token: who.token, body: schedule })).status).toBe(201)
  await world.reached(who, done, 'succeeded')
  await world.reached(other, theirs, 'succeeded')

  const exported = await world.call('GET', '/v1/me/export', { token: who.token })
  const lines = exported.text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Line)
  const mine = lines.filter(({ surface }) => surface === 'jobs')
  expect(mine.map(({ kind }) => kind)).toEqual(['job_schedule', 'job', 'job'])
  expect(mine.map(({ data }) => data?.id).slice(1)).toEqual([done, waits])
  expect(mine[1]?.data?.parameters).toEqual({ result: 'mine' })

  const erased = await world.call('DELETE', `/v1/accounts/${who.id}`, { token: who.token })
  expect(erased.status).toBe(204)
  const kept = (ids: readonly string[]) =>
    world.query<{ job_id: string }>(
      `select job_id from jobs.job_inputs where job_id = any($1)
       union all select job_id from jobs.job_results where job_id = any($1)`,
      [ids],
    )
  await eventually('nothing is left of them', async () => {
    return (await kept([done, waits])).length === 0
  })
  expect(await kept([theirs])).toHaveLength(2)
  expect((await world.history(waits)).at(-1)).toBe('cancelled')
  const schedules = 'select from jobs.job_schedules where principal_id = $1'
  expect(await world.query(schedules, [who.id])).toEqual([])
})

type Line = {
  readonly surface?: string
  readonly kind?: string
  readonly data?: { readonly id: string; readonly parameters?: unknown }
}
