/** Members of conversations: what they see, who changes them, how far they have read. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { newKey } from '../../../../test/world.ts'
import { openChatWorld, upTo, type ChatWorld, type Json, type Talker } from './chat-world.ts'

let world: ChatWorld
beforeAll(async () => {
  world = await openChatWorld()
})
afterAll(() => world.close())

const sequences = (list: Json) => (list.data as Json[]).map(one => one.sequence)

describe.concurrent('members', () => {
  test('see what was sent while they were members, and nothing after', async () => {
    const [ada, bob, cleo] = (await world.people(3)) as [Json, Json, Json]
    const id = await ada.group([bob], 'Before')
    const members = `/v1/conversations/${id}/members`
    await ada.send(id, 'one')
    expect((await ada.ask('POST', members, { user_ids: [cleo.id] })).status).toBe(201)
    expect((await ada.ask('POST', members, { user_ids: [cleo.id] })).body.code).toBe(
      'already_member',
    )
    const two = await ada.send(id, 'two')
    expect((await ada.ask('DELETE', `${members}/${cleo.id}`)).status).toBe(204)
    await ada.send(id, 'three')
    await ada.ask('PATCH', `/v1/conversations/${id}`, { title: 'After' })
    await ada.ask('PATCH', `/v1/conversations/${id}/messages/${two.body.id}`, {
      body: 'two, later',
    })
    expect(sequences(await cleo.history(id))).toEqual([2])
    expect((await cleo.history(id)).data[0].body).toBe('two')
    const seen = (await cleo.ask('GET', `/v1/conversations/${id}`)).body
    expect(seen).toMatchObject({ title: 'Before', latest_sequence: 2, member_count: 3 })
    expect(seen.members).toHaveLength(1)
    expect((await cleo.changes(id)).data.map((one: Json) => one.sequence)).not.toContain(3)
    expect((await cleo.send(id, 'still here?')).body.code).toBe('not_a_member')
    expect((await cleo.ask('GET', '/v1/conversations')).body.data).toEqual([])
    const versions = `/v1/conversations/${id}/messages/${two.body.id}/versions`
    expect((await cleo.ask('GET', versions)).body.data).toEqual([])
    await ada.ask('POST', members, { user_ids: [cleo.id] })
    await ada.send(id, 'four')
    expect(sequences(await cleo.history(id))).toEqual([4])
  })

  test('hide a direct conversation, which cannot be left, until its next message', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const id = await ada.direct(bob)
    await bob.send(id, 'hello')
    const listed = async () => {
      const { data } = (await ada.ask('GET', '/v1/conversations')).body
      return (data as Json[]).map(one => [one.id, one.me.hidden])
    }
    const leave = await ada.ask('DELETE', `/v1/conversations/${id}/members/${ada.id}`)
    expect([leave.status, leave.body.code]).toEqual([409, 'direct_members_fixed'])
    const own = `/v1/conversations/${id}/members/me`
    const hidden = await ada.ask('PATCH', own, { hidden: true })
    expect(hidden.body.me).toMatchObject({ hidden: true, muted_until: null })
    expect(await listed()).toEqual([])
    expect((await bob.ask('GET', '/v1/conversations')).body.data).toHaveLength(1)
    expect((await ada.ask('PATCH', own, { hidden: false })).body.me.hidden).toBe(false)
    expect(await listed()).toEqual([[id, false]])
    await ada.ask('PATCH', own, { hidden: true })
    await bob.send(id, 'are you there?')
    expect(await listed()).toEqual([[id, false]])
  })

  test('use one key in two conversations for two messages, as each has its own keys', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const [one, other] = [await ada.direct(bob), await ada.group([bob])]
    const key = newKey()
    const sent = await Promise.all([one, other].map(id => ada.send(id, 'hello', { key })))
    expect(sent.map(({ status }) => status)).toEqual([201, 201])
    expect(sent.map(({ body }) => body.conversation_id)).toEqual([one, other])
    for (const id of [one, other]) {
      expect((await ada.send(id, 'hello', { key })).headers.get('idempotent-replayed')).toBe('true')
      expect((await ada.send(id, 'other', { key })).body.code).toBe('idempotency_key_reused')
      expect((await ada.history(id)).data).toHaveLength(1)
    }
  })

  test('are added and removed by owner and admins, within a limit', async () => {
    const [ada, bob, cleo, dan] = (await world.people(4)) as [Json, Json, Json, Json]
    const id = await ada.group([bob, cleo])
    const members = `/v1/conversations/${id}/members`
    const denied = [
      await bob.ask('POST', members, { user_ids: [dan.id] }),
      await bob.ask('DELETE', `${members}/${cleo.id}`),
      await bob.ask('PATCH', `${members}/${cleo.id}`, { role: 'admin' }),
    ]
    for (const { status } of denied) expect(status).toBe(403)
    await ada.ask('PATCH', `${members}/${bob.id}`, { role: 'admin' })
    expect((await bob.ask('DELETE', `${members}/${ada.id}`)).status).toBe(403)
    expect((await bob.ask('DELETE', `${members}/${cleo.id}`)).status).toBe(204)
    const owner = await ada.ask('PATCH', `${members}/${bob.id}`, { role: 'owner' })
    expect(owner.body).toMatchObject({ role: 'owner' })
    const all = (await ada.ask('GET', members)).body.data as { user_id: string; role: string }[]
    expect(all.map(one => [one.user_id, one.role])).toEqual(
      expect.arrayContaining([
        [ada.id, 'admin'],
        [bob.id, 'owner'],
      ]),
    )
  })

  test('a refusal says which of the people cannot be added', async () => {
    const [ada, bob, cleo] = (await world.people(3)) as [Json, Json, Json]
    const pointers = ({ body }: Json) => body.errors?.map((one: Json) => one.pointer)
    const member_ids = [ada.id, bob.id, newId(), cleo.id, newId()]
    const group = { type: 'group', title: 'Some', member_ids }
    const unknown = await ada.ask('POST', '/v1/conversations', group)
    expect(unknown.body.code).toBe('member_unknown')
    expect(pointers(unknown)).toEqual(['/member_ids/2', '/member_ids/4'])
    const members = `/v1/conversations/${await ada.group([bob])}/members`
    const user_ids = [cleo.id, bob.id.toUpperCase()]
    const again = await ada.ask('POST', members, { user_ids })
    expect(again.body.code).toBe('already_member')
    expect(pointers(again)).toEqual(['/user_ids/1'])
  })

  test('row 13: receipts rise, and never beyond the latest message', async () => {
    const [ada, bob] = (await world.people(2)) as [Json, Json]
    const id = await ada.direct(bob)
    for (const n of upTo(3)) await ada.send(id, `No. ${n}`)
    const read = (through_sequence: unknown) =>
      bob.ask('PUT', `/v1/conversations/${id}/read`, { through_sequence })
    expect((await read(2)).body).toEqual({ last_read_sequence: 2, unread_count: 1 })
    expect((await read(1)).body).toEqual({ last_read_sequence: 2, unread_count: 1 })
    const refused = [4, 2 ** 53 - 1, 2 ** 53, '2', 1.5, -1, null]
    for (const one of refused) expect((await read(one)).status, String(one)).toBe(422)
    expect((await read(4)).body.code).toBe('sequence_out_of_range')
    expect((await read(3)).body).toEqual({ last_read_sequence: 3, unread_count: 0 })
    const own = await ada.ask('GET', `/v1/conversations/${id}`)
    expect(own.body.me).toMatchObject({ last_read_sequence: 3, unread_count: 0 })
  })

  test('row 16: a conversation of others is like one that does not exist, everywhere', async () => {
    const [ada, bob, eve] = (await world.people(3)) as [Json, Json, Json]
    const id = await ada.group([bob])
    const sent = await ada.send(id, 'private')
    const tries = (
      conversation: string,
      message: string,
    ): readonly (readonly [string, string, unknown?])[] => [
      ['GET', `/v1/conversations/${conversation}`],
      ['PATCH', `/v1/conversations/${conversation}`, { title: 'x' }],
      ['GET', `/v1/conversations/${conversation}/messages`],
      ['POST', `/v1/conversations/${conversation}/messages`, { body: 'x' }],
      ['PATCH', `/v1/conversations/${conversation}/messages/${message}`, { body: 'x' }],
      ['DELETE', `/v1/conversations/${conversation}/messages/${message}`],
      ['GET', `/v1/conversations/${conversation}/messages/${message}/versions`],
      ['GET', `/v1/conversations/${conversation}/changes`],
      ['PUT', `/v1/conversations/${conversation}/read`, { through_sequence: 0 }],
      ['GET', `/v1/conversations/${conversation}/members`],
      ['POST', `/v1/conversations/${conversation}/members`, { user_ids: [eve.id] }],
      ['PATCH', `/v1/conversations/${conversation}/members/me`, {}],
      ['PATCH', `/v1/conversations/${conversation}/members/${eve.id}`, { role: 'admin' }],
      ['DELETE', `/v1/conversations/${conversation}/members/${eve.id}`],
      ['POST', '/v1/attachments/uploads', { conversation_id: conversation, expected_size: 1 }],
    ]
    const random = tries(newId(), newId())
    const stranger = await world.talker()
    for (const [at, [method, path, body]] of tries(id, sent.body.id).entries()) {
      const [, other = '', other_body] = random[at] ?? []
      const key = { key: newKey() }
      const answers = [
        await eve.ask(method, path, body, key),
        await stranger.ask(method, path, body, { key: newKey() }),
        await eve.ask(method, other, other_body, { key: newKey() }),
      ]
      const said = answers.map(({ status, body: { code, title, detail } }) => [
        status,
        code,
        title,
        detail,
      ])
      expect(said[0]?.slice(0, 2), `${method} ${path}`).toEqual([404, 'conversation_not_found'])
      expect(said[1]).toEqual(said[0])
      expect(said[2]).toEqual(said[0])
    }
  })
})

test('a title of a conversation shows something', async () => {
  const [ada, bob] = (await world.people(2)) as [Talker, Talker]
  const at = `/v1/conversations/${await ada.group([bob])}`
  for (const title of [' ', '\n\t', '\u200b\u00a0', 'a\u0007']) {
    const group = { type: 'group', member_ids: [bob.id], title }
    for (const refused of [
      await ada.ask('POST', '/v1/conversations', group),
      await ada.ask('PATCH', at, { title }),
    ]) {
      expect([refused.status, refused.body.errors?.[0]?.pointer]).toEqual([422, '/title'])
    }
  }
  expect((await ada.ask('PATCH', at, { title: null })).body.title).toBeNull()
})
