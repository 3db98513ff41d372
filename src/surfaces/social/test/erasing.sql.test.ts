/** What a request and an erasure that run at the same moment leave behind. */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { eventually, type Answer } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { code, openSocialWorld, type Someone } from './social-world.ts'

const world = await openSocialWorld({ ROLES: 'api' })
afterAll(() => world.close())

/** The statement of an erasure, with a request that waits for its commit. */
async function eraseBeside(
  { id, tenant }: Someone,
  request: () => Promise<Answer>,
): Promise<Answer> {
  const { db } = world.platform.kernel
  const { beside } = await db.tx(async tx => {
    await tx.run(sql`
      update social.users
      set handle = social.reserved_handle(handle), display_name = '', bio = '',
        deleted_at = kernel.now()
      where tenant_id = ${tenant.id} and id = ${id}`)
    const beside = request()
    const waits = sql`
      select 1 from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like '%social.users%'`
    await eventually('the request waits', async () => (await db.run(waits)) > 0)
    return { beside }
  })
  return await beside
}

test('the handle of a person who is erased at this moment stays taken', async () => {
  const [ada, ben] = (await world.people(2)) as [Someone, Someone]
  await ada.does('PATCH', '/v1/users/me', { handle: 'ada.lovelace' })
  const taken = await eraseBeside(ada, () =>
    ben.ask('PATCH', '/v1/users/me', { handle: 'ada.lovelace' }),
  )
  expect(code(taken)).toEqual([409, 'handle_taken'])
})

test('a person who is erased at this moment writes nothing into the empty profile', async () => {
  const [ada] = (await world.people(1)) as [Someone]
  await ada.does('PATCH', '/v1/users/me', { handle: 'ada.late' })
  const late = await eraseBeside(ada, () =>
    ada.ask('PATCH', '/v1/users/me', { handle: 'ada.later', display_name: 'Ada' }),
  )
  expect(code(late)).toEqual([403, 'account_suspended'])
  const { handle, display_name } = await world.platform.kernel.db.one(
    Type.Object({ handle: Type.String(), display_name: Type.String() }),
    sql`
      select handle, display_name from social.users
      where tenant_id = ${ada.tenant.id} and id = ${ada.id}`,
  )
  expect([handle, display_name]).toEqual([expect.stringMatching(/^x[0-9a-f]{29}$/), ''])
})

test('from the commit of an erasure on, nothing of the person is read or sent to', async () => {
  const [ada, ben] = (await world.people(2)) as [Someone, Someone]
  await ben.follow(ada)
  const post = await ada.post('my secret')
  const own = await ben.post('whose?')
  await ada.does('POST', `/v1/posts/${own}/comments`, { body: 'mine' })
  const direct = { type: 'direct', member_ids: [ada.id] }
  const { id } = await ben.does('POST', '/v1/conversations', direct)
  const send = () => ben.ask('POST', `/v1/conversations/${id}/messages`, { body: 'hello' })
  expect((await send()).status).toBe(201)
  // No worker runs here, so the work that erases the rows has not begun.
  expect((await ada.ask('DELETE', `/v1/accounts/${ada.id}`)).status).toBe(204)
  expect(code(await ben.ask('GET', `/v1/posts/${post}`))).toEqual([404, 'post_not_found'])
  expect(await ben.feed()).not.toContain(post)
  expect((await ben.does('GET', `/v1/posts/${own}/comments`)).data).toEqual([])
  expect(code(await ben.ask('GET', `/v1/users/${ada.id}`))).toEqual([404, 'user_not_found'])
  expect(code(await send())).toEqual([409, 'conversation_closed'])
  expect(code(await ben.ask('POST', '/v1/conversations', direct))).toEqual([422, 'member_unknown'])
})
