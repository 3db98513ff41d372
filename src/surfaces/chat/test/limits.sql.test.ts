/** Limits of people, with small numbers. */
import { afterAll, expect, test } from 'vitest'
import { openChatWorld, type Talker } from './chat-world.ts'

const world = await openChatWorld({ ROLES: 'api', CHAT_CONVERSATIONS_MAX: '1' })
afterAll(() => world.close())

test('a direct conversation that exists is found by people who may have no further one', async () => {
  const [ada, bob, cleo] = (await world.people(3)) as [Talker, Talker, Talker]
  const id = await ada.direct(bob)
  expect(await ada.direct(bob)).toBe(id)
  expect(await bob.direct(ada)).toBe(id)
  const body = { type: 'direct', member_ids: [cleo.id] }
  const refused = await ada.ask('POST', '/v1/conversations', body)
  expect([refused.status, refused.body.code]).toEqual([429, 'quota_exceeded'])
  // What is refused leaves nothing behind.
  const again = await ada.ask('POST', '/v1/conversations', body)
  expect(again.status).toBe(429)
})

test('an admin who may have no further conversation adds people to a group', async () => {
  const [ada, bob, cleo, dave] = (await world.people(4)) as [Talker, Talker, Talker, Talker]
  const id = await ada.group([bob])
  const add = (user_id: string) =>
    ada.ask('POST', `/v1/conversations/${id}/members`, { user_ids: [user_id] })
  expect((await add(cleo.id)).status).toBe(201)
  await bob.ask('DELETE', `/v1/conversations/${id}/members/${bob.id}`)
  await dave.direct(bob)
  const refused = await add(bob.id)
  expect([refused.status, refused.body.code]).toEqual([429, 'quota_exceeded'])
})

test('people who add one person at the same time do not pass the limit together', async () => {
  const [cleo, ...others] = (await world.people(11)) as [Talker, ...Talker[]]
  const body = { type: 'group', member_ids: [cleo.id] }
  const answers = await Promise.all(others.map(one => one.ask('POST', '/v1/conversations', body)))
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
  expect(statuses).toEqual([201, ...others.slice(1).map(() => 429)])
})
