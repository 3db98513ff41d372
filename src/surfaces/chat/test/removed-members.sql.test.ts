/** What a removed member still sees: each message as it was when the member was removed. */
import { afterAll, expect, test } from 'vitest'
import { openChatWorld, type Json } from './chat-world.ts'

const world = await openChatWorld()
afterAll(() => world.close())

test('messages stay for a removed member as they were then', async () => {
  const [ada, bob] = (await world.people(2)) as [Json, Json]
  const id = await ada.group([bob])
  const edited = await ada.send(id, 'draft')
  const kept = await ada.send(id, 'kept')
  const gone = await ada.send(id, 'gone')
  const at = (sent: Json) => `/v1/conversations/${id}/messages/${sent.body.id}`
  await ada.ask('PATCH', at(edited), { body: 'as bob saw it' })
  const before = (await bob.history(id)).data
  await ada.ask('DELETE', `/v1/conversations/${id}/members/${bob.id}`)
  const { revision } = (await bob.ask('GET', `/v1/conversations/${id}`)).body
  for (const body of ['later', 'latest']) await ada.ask('PATCH', at(edited), { body })
  await ada.ask('DELETE', at(gone))

  const after = (await bob.history(id)).data
  const [was_gone, ...others] = before
  expect(after).toEqual([
    { ...was_gone, body: null, revision },
    ...others.map((one: Json) => (one.id === kept.body.id ? one : { ...one, revision })),
  ])
  expect((await bob.ask('GET', at(edited))).body).toEqual(after.at(-1))
  const versions = await bob.ask('GET', `${at(edited)}/versions`)
  expect(versions.body.data).toMatchObject([{ version: 1, body: 'draft' }])
  expect((await bob.ask('GET', `${at(gone)}/versions`)).body.data).toEqual([])
  const { last_message } = (await bob.ask('GET', `/v1/conversations/${id}`)).body
  expect(last_message).toEqual(after[0])
})
