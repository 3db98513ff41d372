/** Conversations over HTTP: who is in them, what is sent, read, edited and deleted. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { newKey } from '../../../../test/world.ts'
import { openChatWorld, upTo, type ChatWorld, type Json } from './chat-world.ts'

let world: ChatWorld
beforeAll(async () => {
  world = await openChatWorld()
})
afterAll(() => world.close())

const sequences = (list: Json) => (list.data as Json[]).map(one => one.sequence)

describe.concurrent('conversations', () => {
  test('row 12: many first requests of a pair make one direct conversation', async () => {
    const [one, other] = (await world.people(2)) as [Json, Json]
    const answers = await Promise.all(
      upTo(50).map(n => {
        const [from, to] = n % 2 ? [one, other] : [other, one]
        return from.ask('POST', '/v1/conversations', { type: 'direct', member_ids: [to.id] })
      }),
    )
    const others = answers.filter(answer => ![200, 201].includes(answer.status))
    expect(others.map(answer => answer.body)).toEqual([])
    expect(new Set(answers.map(answer => answer.body.id)).size).toBe(1)
    const statuses = answers.map(answer => answer.status)
    expect(statuses.filter(status => status === 201)).toHaveLength(1)
    expect(statuses.filter(status => status === 200)).toHaveLength(49)
  })

  test('are found under a key without a record of their last message', async () => {
    const [ada, bob] = (await world.people(2)) as [Json, Json]
    const id = await ada.direct(bob)
    const { body: sent } = await ada.send(id, 'words that must not stay')
    const key = newKey()
    const find = () =>
      bob.ask('POST', '/v1/conversations', { type: 'direct', member_ids: [ada.id] }, { key })
    const found = await find()
    expect([found.status, found.body.last_message.body]).toEqual([200, 'words that must not stay'])
    await ada.ask('DELETE', `/v1/conversations/${id}/messages/${sent.id}`)
    const again = await find()
    expect([again.status, again.body.id, again.body.last_message.body]).toEqual([200, id, null])
    const kept = sql`
      -- any tenant: the test made them
      select from kernel.idempotency_records where body::text like '%words that must not stay%'`
    expect(await world.platform.kernel.db.run(kept)).toBe(0)
  })

  test('are listed with the latest message first, page by page', async () => {
    const [ada, bob] = (await world.people(2)) as [Json, Json]
    const made: string[] = []
    for (const n of upTo(5)) made.push(await ada.group([bob], `Room ${n}`))
    await ada.send(made[1], 'to the front')
    const first = await bob.ask('GET', '/v1/conversations?limit=3')
    expect(first.body.data.map((one: Json) => one.title)).toEqual(['Room 2', 'Room 5', 'Room 4'])
    expect(first.body.data[0]).toMatchObject({
      last_message: { body: 'to the front', sequence: 1 },
      member_count: 2,
      me: { role: 'member', unread_count: 1 },
    })
    expect(first.body.data[0].last_message).not.toHaveProperty('client_request_id')
    const rest = await bob.ask('GET', `/v1/conversations?limit=3&cursor=${first.body.next_cursor}`)
    expect(rest.body.data.map((one: Json) => one.title)).toEqual(['Room 3', 'Room 1'])
  })

  test('take only active people of the tenant, and all others are refused alike', async () => {
    const [ada, bob] = (await world.people(2)) as [Json, Json]
    const stranger = await world.talker()
    const create = (id: string) =>
      ada.ask('POST', '/v1/conversations', { type: 'group', member_ids: [bob.id, id] })
    const answers = [await create(stranger.id), await create(newId())]
    for (const { status, body } of answers) {
      expect([status, body.code]).toEqual([422, 'member_unknown'])
    }
    expect(answers[0]?.body.detail).toBe(answers[1]?.body.detail)
  })

  test('are renamed, closed and opened by owner and admins', async () => {
    const [ada, bob, cleo] = (await world.people(3)) as [Json, Json, Json]
    const id = await ada.group([bob, cleo])
    const at = `/v1/conversations/${id}`
    expect((await bob.ask('PATCH', at, { title: 'Mine' })).body.code).toBe('permission_denied')
    expect((await ada.ask('PATCH', `${at}/members/${bob.id}`, { role: 'admin' })).status).toBe(200)
    expect((await bob.ask('PATCH', at, { title: 'Ours', state: 'closed' })).body).toMatchObject({
      title: 'Ours',
      state: 'closed',
    })
    expect((await cleo.send(id, 'hello?')).body.code).toBe('conversation_closed')
    const renamed = await ada.ask('PATCH', at, { title: 'Again' })
    expect(renamed.body).toMatchObject({ code: 'invalid_transition', current_state: 'closed' })
    expect((await ada.ask('PATCH', at, { state: 'active' })).status).toBe(200)
    expect((await cleo.send(id, 'hello!')).status).toBe(201)
  })

  test('row 18: the owner leaves, then everybody', async () => {
    const [ada, bob, cleo] = (await world.people(3)) as [Json, Json, Json]
    const id = await ada.group([bob, cleo])
    const members = `/v1/conversations/${id}/members`
    await ada.ask('PATCH', `${members}/${cleo.id}`, { role: 'admin' })
    expect((await ada.ask('DELETE', `${members}/${ada.id}`)).status).toBe(204)
    expect((await ada.ask('DELETE', `${members}/${ada.id}`)).status).toBe(204)
    const listed = await bob.ask('GET', members)
    expect(
      Object.fromEntries(listed.body.data.map((one: Json) => [one.user_id, one.role])),
    ).toEqual({
      [bob.id]: 'member',
      [cleo.id]: 'owner',
    })
    for (const who of [cleo, bob]) {
      const path = `${members}/${who.id}`
      const left = await Promise.all(upTo(5).map(() => who.ask('DELETE', path)))
      expect(left.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204])
    }
    const after = await bob.ask('GET', `/v1/conversations/${id}`)
    expect(after.body).toMatchObject({ state: 'closed', me: { role: 'owner' }, member_count: 1 })
  })

  test('of two people keep their members', async () => {
    const [ada, bob, cleo] = (await world.people(3)) as [Json, Json, Json]
    const id = await ada.direct(bob)
    const members = `/v1/conversations/${id}/members`
    const answers = [
      await ada.ask('POST', members, { user_ids: [cleo.id] }),
      await ada.ask('DELETE', `${members}/${ada.id}`),
      await ada.ask('PATCH', `${members}/${bob.id}`, { role: 'admin' }),
    ]
    for (const { body } of answers) expect(body.code).toBe('direct_members_fixed')
  })

  test('are not created by API keys', async () => {
    const ada = await world.talker()
    const permissions = ['links.links.create']
    const made = await ada.ask('POST', '/v1/api-keys', { name: 'a bot', permissions })
    expect(made.status, made.text).toBe(201)
    const answer = await world.call('POST', '/v1/conversations', {
      token: made.body.key,
      body: { type: 'direct', member_ids: [ada.id] },
    })
    expect(answer.body.code).toBe('permission_denied')
  })
})

describe.concurrent('messages', () => {
  test('have sequences without gaps, and pages in both directions', async () => {
    const [ada, bob] = (await world.people(2)) as [Json, Json]
    const id = await ada.direct(bob)
    for (const n of upTo(7)) expect((await ada.send(id, `No. ${n}`)).body.sequence).toBe(n)
    const newest = await bob.history(id, '?limit=3')
    expect(sequences(newest)).toEqual([7, 6, 5])
    expect(newest).toMatchObject({ has_more: true, next_before: 5, next_after: null })
    expect(sequences(await bob.history(id, '?limit=3&before=5'))).toEqual([4, 3, 2])
    expect(sequences(await bob.history(id, `?limit=3&cursor=${newest.next_cursor}`))).toEqual([
      4, 3, 2,
    ])
    const newer = await bob.history(id, '?limit=3&after=2')
    expect(sequences(newer)).toEqual([3, 4, 5])
    expect(sequences(await bob.history(id, `?limit=3&cursor=${newer.next_cursor}`))).toEqual([6, 7])
    const both = await bob.ask('GET', `/v1/conversations/${id}/messages?before=3&after=1`)
    expect(both.status).toBe(422)
  })

  test('rows 2 and 3: one key is one message for ever, and another text under it is refused', async () => {
    const [ada, bob] = (await world.people(2)) as [Json, Json]
    const id = await ada.direct(bob)
    const key = newKey()
    const first = await ada.send(id, 'only once', { key })
    const again = await ada.send(id, 'only once', { key })
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.body).toEqual(first.body)
    expect(first.body.client_request_id).toBe(key)
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const other = await ada.send(id, 'something else', { key })
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_reused'])
    // The key belongs to its sender.
    expect((await bob.send(id, 'mine', { key })).body.sequence).toBe(2)
    expect((await ada.history(id)).data.map((one: Json) => one.body)).toEqual(['mine', 'only once'])
    const none = await ada.ask('POST', `/v1/conversations/${id}/messages`, { body: 'x' })
    expect(none.body.code).toBe('idempotency_key_missing')
    expect((await ada.send(id, 'x', { key: 'short' })).body.code).toBe('idempotency_key_invalid')
  })

  test('are edited with versions, and deleted with all their texts', async () => {
    const [ada, bob] = (await world.people(2)) as [Json, Json]
    const id = await ada.direct(bob)
    const sent = await ada.send(id, 'first')
    const at = `/v1/conversations/${id}/messages/${sent.body.id}`
    const stale = { 'if-match': '"9"' }
    expect((await ada.ask('PATCH', at, { body: 'x' }, { headers: stale })).status).toBe(412)
    const edited = await ada.ask(
      'PATCH',
      at,
      { body: 'second' },
      { headers: { 'if-match': '"1"' } },
    )
    expect(edited.body).toMatchObject({ body: 'second', version: 2, sequence: 1 })
    expect(edited.headers.get('etag')).toBe('"2"')
    expect((await ada.ask('PATCH', at, { body: 'second' })).body).toEqual(edited.body)
    expect((await bob.ask('PATCH', at, { body: 'forged' })).body.code).toBe('permission_denied')
    const versions = await bob.ask('GET', `${at}/versions`)
    expect(versions.body.data).toMatchObject([{ version: 1, body: 'first' }])
    expect((await bob.ask('DELETE', at)).body.code).toBe('permission_denied')
    expect((await ada.ask('DELETE', at)).status).toBe(204)
    expect((await ada.ask('DELETE', at)).status).toBe(204)
    expect((await ada.ask('PATCH', at, { body: 'back' })).body.code).toBe('message_deleted')
    expect((await bob.ask('GET', `${at}/versions`)).body.data).toEqual([])
    const [shown] = (await bob.history(id)).data
    expect(shown).toMatchObject({ body: null, sequence: 1, attachments: [] })
    expect(shown.deleted_at).not.toBeNull()
  })

  test('row 11: what changed while a device was away is one row each, as it is now', async () => {
    const [ada, bob] = (await world.people(2)) as [Json, Json]
    const id = await ada.direct(bob)
    const kept = await ada.send(id, 'draft')
    const gone = await ada.send(id, 'a secret that must go')
    const { revision } = await bob.changes(id)
    const at = `/v1/conversations/${id}/messages`
    for (const body of ['draft 2', 'draft 3', 'final']) {
      await ada.ask('PATCH', `${at}/${kept.body.id}`, { body })
    }
    await ada.ask('PATCH', `${at}/${gone.body.id}`, { body: 'another secret' })
    await ada.ask('DELETE', `${at}/${gone.body.id}`)
    const answer = await bob.ask('GET', `/v1/conversations/${id}/changes?after=${revision}`)
    expect(answer.body.data).toMatchObject([
      { sequence: 1, body: 'final', version: 4 },
      { sequence: 2, body: null },
    ])
    expect(answer.text).not.toContain('secret')
    expect((await bob.changes(id, answer.body.revision)).data).toEqual([])
    const page = await bob.ask('GET', `/v1/conversations/${id}/changes?limit=1`)
    expect(page.body).toMatchObject({ has_more: true, next_after: page.body.data[0].revision })
    const { next_cursor } = page.body
    const next = await bob.ask('GET', `/v1/conversations/${id}/changes?cursor=${next_cursor}`)
    expect(next.body).toMatchObject({ data: [{ sequence: 2 }], has_more: false, next_cursor: null })
    const both = `/v1/conversations/${id}/changes?after=1&cursor=${next_cursor}`
    expect((await bob.ask('GET', both)).body.code).toBe('validation_failed')
  })

  test('are read by their own address, until their reader may not see them', async () => {
    const [ada, bob, cleo] = (await world.people(3)) as [Json, Json, Json]
    const id = await ada.group([bob])
    const { headers, body: sent } = await ada.send(id, 'one')
    const path = headers.get('location')
    expect((await ada.ask('GET', path)).body).toEqual(sent)
    const { client_request_id: _own, ...rest } = sent
    expect((await bob.ask('GET', path)).body).toEqual(rest)
    expect((await cleo.ask('GET', path)).body.code).toBe('conversation_not_found')
    await ada.ask('POST', `/v1/conversations/${id}/members`, { user_ids: [cleo.id] })
    expect((await cleo.ask('GET', path)).body.code).toBe('message_not_found')
    await ada.ask('DELETE', path)
    expect((await bob.ask('GET', path)).body).toMatchObject({ body: null, sequence: 1 })
  })

  test('answer others, and only those that their reader may see', async () => {
    const [ada, bob] = (await world.people(2)) as [Json, Json]
    const id = await ada.direct(bob)
    await ada.send(id, 'a question')
    const at = `/v1/conversations/${id}/messages`
    const reply = (reply_to_sequence: number) =>
      bob.ask('POST', at, { body: 'an answer', reply_to_sequence }, { key: newKey() })
    expect((await reply(1)).body.reply_to_sequence).toBe(1)
    expect((await reply(9)).body.code).toBe('reply_target_unknown')
  })

  test('have texts of up to 8000 characters, normalized', async () => {
    const [ada, bob] = (await world.people(2)) as [Json, Json]
    const id = await ada.direct(bob)
    expect((await ada.send(id, 'e\u0301')).body.body).toBe('\u00e9')
    expect((await ada.send(id, '\u{1F600}'.repeat(8000))).status).toBe(201)
    expect((await ada.send(id, '\u{1F600}'.repeat(8001))).status).toBe(422)
    expect((await ada.send(id, 'bell \u0007')).status).toBe(422)
    expect((await ada.send(id, '')).status).toBe(422)
    expect((await ada.send(id, ' two\n\tlines ')).body.body).toBe(' two\n\tlines ')
  })

  test('are encrypted where they lie', async () => {
    const [ada, bob] = (await world.people(2)) as [Json, Json]
    const id = await ada.direct(bob)
    const sent = await ada.send(id, 'needle in a haystack')
    await ada.ask('PATCH', `/v1/conversations/${id}/messages/${sent.body.id}`, { body: 'hay' })
    const { db } = world.platform.kernel
    const { Type } = await import('typebox')
    const { sql } = await import('#dodeca/kernel')
    const [row] = await db.many(
      Type.Object({ all: Type.String() }),
      sql`
        select string_agg(encode(m.body_cipher_or_ref, 'escape') || encode(v.body_ref, 'escape'), '')
          as all
        from chat.messages m
        join chat.message_versions v on v.tenant_id = m.tenant_id and v.message_id = m.id
        where m.conversation_id = ${id}`,
    )
    expect(row?.all.length).toBeGreaterThan(60)
    expect(row?.all).not.toMatch(/needle|hay/)
  })
})
