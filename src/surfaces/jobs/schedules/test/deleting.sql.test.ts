/** Deleting schedules: a name that was used is remembered, and not to callers who may not see it. */
import { afterAll, expect, test } from 'vitest'
import { openAskingWorld } from '../../test/asking-world.ts'
import { workman } from '../../test/worker.ts'

const world = await openAskingWorld()
afterAll(() => world.close())

const idle = await world.idleType()
const strict = await world.idleType()
const daily = { type: idle, cron: '30 2 * * *' }
const at = (name: string) => `/v1/job-schedules/${name}`

test('a schedule that never was, or that the caller may not see, is not deleted', async () => {
  const who = await workman(world)
  const other = await world.person([`jobs.schedules.write:${strict}`], who.tenant)
  const gone = async ({ token }: { readonly token: string }, name: string) => {
    const answer = await world.call('DELETE', at(name), { token })
    return answer.status === 204 ? 204 : [answer.status, answer.body.code]
  }
  const refused = [404, 'job_schedule_not_found']
  expect(await gone(who, 'never-was')).toEqual(refused)
  const put = (body: object) => world.call('PUT', at('nightly'), { token: who.token, body })
  const { id } = (await put(daily)).body
  expect(await gone(other, 'nightly')).toEqual(refused)
  expect(await gone(await workman(world), 'nightly')).toEqual(refused)
  expect(await gone(who, 'nightly')).toBe(204)
  expect(await gone(other, 'nightly')).toEqual(refused)
  expect(await gone(who, 'nightly')).toBe(204)

  const again = await put({ ...daily, type: strict, parameters: { rows: 1 } })
  expect([again.status, again.body.id === id]).toEqual([201, false])
  expect(await gone(other, 'nightly')).toBe(204)
  expect(await gone(other, 'nightly')).toBe(204)
})
