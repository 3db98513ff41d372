/** Frames of the socket beside messages, frames of wrong forms, and how sockets end. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { eventually } from '../../../../test/world.ts'
import { jsonFrames } from './fuzz.ts'
import {
  connect,
  openChatWorld,
  upTo,
  type ChatWorld,
  type Json,
  type Talker,
} from './chat-world.ts'

let world: ChatWorld
beforeAll(async () => {
  world = await openChatWorld({
    CHAT_PRESENCE_GRACE_MS: '100',
    IDENTITY_ADMIN_REQUIRES_MFA: 'false',
    CHAT_PAUSE_BYTES: '262144',
  })
})
afterAll(() => world.close())

const tokenFor = async (who: Talker): Promise<string> =>
  (await who.ask('GET', '/v1/realtime-token')).body.token

describe.concurrent('frames', () => {
  test('say to a new member that he is one, although no other member is connected', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const socket = await bob.socket()
    const id = await ada.group([bob])
    const { member } = await socket.next('member.updated', one => one.conversation_id === id)
    expect(member).toMatchObject({ user_id: bob.id, role: 'member', left_sequence: null })
    await ada.send(id, 'welcome')
    await socket.next('message.created', one => one.conversation_id === id)
    socket.close()
  })

  test('say to the other devices of a person what was read, also across a block', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const id = await ada.direct(bob)
    for (const body of ['one', 'two']) await ada.send(id, body)
    const [phone, desk, other] = await Promise.all([bob.socket(), bob.socket(), ada.socket()])
    phone.put({ type: 'receipt.read', conversation_id: id, through_sequence: 1 })
    for (const one of [desk, other]) {
      const { user_id, last_read_sequence } = await one.next('receipt.updated')
      expect([user_id, last_read_sequence]).toEqual([bob.id, 1])
    }
    await bob.ask('PUT', `/v1/users/me/blocks/${ada.id}`)
    const at = `/v1/conversations/${id}/read`
    expect((await bob.ask('PUT', at, { through_sequence: 2 })).status).toBe(200)
    for (const one of [phone, desk]) {
      await one.next('receipt.updated', frame => frame.last_read_sequence === 2)
    }
    other.put({ type: 'ping' })
    await other.next('pong')
    expect(other.frames.filter(one => one.type === 'receipt.updated')).toHaveLength(1)
    for (const one of [phone, desk, other]) one.close()
  })

  test('show who reads, types and is there', async () => {
    const [ada, bob, eve] = (await world.people(3)) as [Talker, Talker, Talker]
    const id = await ada.direct(bob)
    await ada.send(id, 'one')
    const [own, other] = await Promise.all([ada.socket(), bob.socket()])
    other.put({ type: 'receipt.read', conversation_id: id, through_sequence: 1 })
    expect(await own.next('receipt.updated')).toMatchObject({
      conversation_id: id,
      user_id: bob.id,
      last_read_sequence: 1,
    })
    other.put({ type: 'typing', conversation_id: id, active: true })
    expect(await own.next('typing')).toMatchObject({
      user_id: bob.id,
      active: true,
      expires_in_ms: 6000,
    })
    own.put({ type: 'presence.subscribe', user_ids: [bob.id, eve.id, newId()] })
    expect(await own.next('presence.updated')).toMatchObject({ user_id: bob.id, state: 'online' })
    other.close()
    expect(await own.next('presence.updated')).toMatchObject({ user_id: bob.id, state: 'offline' })
    await eve.socket()
    own.put({ type: 'ping', request_id: 'p' })
    expect((await own.next('pong')).request_id).toBe('p')
    const about = own.frames.filter(one => one.type === 'presence.updated')
    expect(new Set(about.map(one => one.user_id))).toEqual(new Set([bob.id]))
    own.close()
  })

  test('of people who block each other do not show who types in their direct conversation', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const [pair, group] = [await ada.direct(bob), await ada.group([bob])]
    const [own, other] = await Promise.all([ada.socket(), bob.socket()])
    expect((await bob.ask('PUT', `/v1/users/me/blocks/${ada.id}`)).status).toBe(200)
    for (const [from, to] of [
      [own, other],
      [other, own],
    ] as const) {
      for (const id of [pair, group]) {
        from.put({ type: 'typing', conversation_id: id, active: true })
      }
      expect((await to.next('typing')).conversation_id).toBe(group)
    }
    await bob.ask('DELETE', `/v1/users/me/blocks/${ada.id}`)
    own.put({ type: 'typing', conversation_id: pair, active: false })
    expect(await other.next('typing')).toMatchObject({ conversation_id: pair, active: false })
    own.close()
    other.close()
  })

  test('tell a device that comes back how far each conversation is', async () => {
    const [ada, bob, cleo] = (await world.people(3)) as [Talker, Talker, Talker]
    const [known, gone, fresh] = [
      await ada.direct(bob),
      await ada.group([bob]),
      await cleo.group([bob]),
    ]
    await ada.send(known, 'one')
    await ada.ask('DELETE', `/v1/conversations/${gone}/members/${bob.id}`)
    const socket = await bob.socket()
    const conversations = [known, gone].map(conversation_id => ({
      conversation_id,
      last_sequence: 0,
    }))
    socket.put({ type: 'sync', conversations })
    expect(await socket.next('sync.state')).toMatchObject({
      conversations: [
        { conversation_id: known, latest_sequence: 1, revision: 2, last_read_sequence: 0 },
      ],
      removed: [gone],
      unlisted: [{ conversation_id: fresh }],
    })
    socket.close()
  })

  test('row 15: every frame of a hostile client has an answer, and the socket stays', async () => {
    const ada = await world.talker()
    const socket = await ada.socket()
    for (const [at, frame] of fc.sample(jsonFrames, 300).entries()) {
      socket.put(frame)
      socket.put({ type: 'ping', request_id: `after-${at}` })
      await socket.next('pong', one => one.request_id === `after-${at}`)
    }
    const answers = socket.frames.filter(one => one.type === 'error')
    expect(answers.length).toBeGreaterThan(50)
    for (const one of answers) expect(one.status, JSON.stringify(one)).toBeLessThan(500)
    expect(socket.ws.readyState).toBe(socket.ws.OPEN)
    socket.close()
  })

  test('row 15: of wrong forms are refused, and the process lives', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const id = await ada.direct(bob)
    const socket = await ada.socket()
    const send = { type: 'message.send', request_id: 'r', conversation_id: id }
    const cases: readonly (readonly [object | string, string])[] = [
      [{ type: 'nothing' }, 'unknown_type'],
      [{ type: '__proto__' }, 'unknown_type'],
      [{ type: 'ping', v: 2 }, 'unsupported_version'],
      ['[]', 'malformed_request'],
      [`{"type":"ping","deep":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 'pong'],
      [`{"__proto__":{"type":"ping"}}`, 'unknown_type'],
      [{ ...send, body: 'x'.repeat(8001) }, 'validation_failed'],
      [{ ...send, body: '\u0007' }, 'validation_failed'],
      [{ ...send, body: 5 }, 'validation_failed'],
      [{ ...send, request_id: 'with space', body: 'x' }, 'validation_failed'],
      [{ ...send, conversation_id: newId(), body: 'x' }, 'conversation_not_found'],
      [{ type: 'typing', conversation_id: newId(), active: true }, 'conversation_not_found'],
      [
        { type: 'receipt.read', conversation_id: newId(), through_sequence: 0 },
        'conversation_not_found',
      ],
      ...[2 ** 53, '5', 1.5, -1].map(
        n =>
          [
            { type: 'receipt.read', conversation_id: id, through_sequence: n },
            'validation_failed',
          ] as const,
      ),
      [
        { type: 'receipt.read', conversation_id: id, through_sequence: 2 ** 53 - 1 },
        'sequence_out_of_range',
      ],
    ]
    for (const [frame, wanted] of cases) {
      const before = socket.frames.length
      socket.put(frame)
      const answer = await eventually(
        `an answer to ${JSON.stringify(frame).slice(0, 100)}`,
        () => socket.frames[before],
      )
      expect(answer.code ?? answer.type, JSON.stringify(frame).slice(0, 200)).toBe(wanted)
    }
    expect(({} as Json).type).toBeUndefined()
    for (const _ of upTo(3)) socket.put('{')
    expect(await socket.closed).toEqual({ code: 4400, reason: 'not_json' })
    const binary = await ada.socket()
    binary.ws.send(Buffer.from('{}'))
    expect((await binary.closed).code).toBe(1003)
    const large = await ada.socket()
    large.put({ type: 'ping', fill: 'x'.repeat(128 * 1024) })
    expect((await large.closed).code).toBe(1009)
    const broken = await ada.socket()
    broken.ws.send(Buffer.from([0xc3, 0x28]), { binary: false })
    expect((await broken.closed).code).toBe(1007)
  })
})

describe.concurrent('a slow reader', () => {
  test('row 8: one that stops reading is asked to fetch, and misses nothing', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const id = await ada.direct(bob)
    const slow = await bob.socket()
    const sender = await ada.socket()
    // A client that knows only the frames of the specification cannot be asked to fetch.
    const plain = await bob.socket({ plain: true })
    for (const one of [slow, plain]) one.ws.pause()
    const many = 1500
    const body = 'x'.repeat(8000)
    for (const n of upTo(many)) {
      sender.put({ type: 'message.send', request_id: `r-${n}`, conversation_id: id, body })
    }
    await sender.next('message.ack', one => one.sequence === many)
    for (const one of [slow, plain]) one.ws.resume()
    await plain.closed
    const last = plain.messages(id).length
    expect(last).toBeLessThan(many)
    expect(plain.messages(id).map(one => one.sequence)).toEqual(upTo(last))
    const resync = await slow.next('resync.required')
    const live = slow.messages(id).map(one => one.sequence)
    // What waited for it was bounded: our limit, and what the kernel holds for a socket.
    expect(live.length * body.length).toBeLessThan(9 * 1024 * 1024)
    const before = live.filter(one => one <= resync.after_revision)
    expect(before).toEqual(upTo(before.length))
    const got = new Set(live)
    for (let after = resync.after_revision as number; ;) {
      const page = await bob.changes(id, after)
      for (const one of page.data as Json[]) got.add(one.sequence)
      after = page.revision
      if (!page.has_more) break
    }
    expect([...got].toSorted((a, b) => a - b)).toEqual(upTo(many))
    await ada.send(id, 'live again')
    await slow.next('message.created', one => one.sequence === many + 1)
    for (const one of [slow, sender]) one.close()
  })
})

describe.concurrent('a socket ends', () => {
  test('row 14: with its session, and sends are refused at once', async () => {
    const ada = await world.talker()
    const socket = await ada.socket()
    await ada.ask('DELETE', `/v1/sessions/${ada.session_id}`)
    expect(await socket.closed).toEqual({ code: 4401, reason: 'session_revoked' })
    const { status } = await ada.send(newId(), 'too late')
    expect(status).toBe(401)
  })

  test('with the account', async () => {
    const [ada, admin] = (await world.people(2)) as [Talker, Talker]
    await world.give(admin, 'tenant_admin')
    const socket = await ada.socket()
    const token = await tokenFor(ada)
    const done = await admin.ask('PATCH', `/v1/accounts/${ada.id}`, { status: 'disabled' })
    expect(done.status, done.text).toBeLessThan(300)
    expect((await socket.closed).code).toBe(4401)
    await expect(connect(world.base_url, token, [])).rejects.toThrow('401')
  })

  test('with the last role that its person has in the tenant', async () => {
    const [admin, guest] = [await world.talker(), await world.talker()]
    await world.give(admin, 'tenant_admin')
    await world.give({ ...guest, tenant: admin.tenant }, 'auditor')
    const refreshed = await world.call('POST', `/v1/sessions/${guest.session_id}/refresh`, {
      body: { refresh_token: guest.refresh_token, tenant_id: admin.tenant.id },
    })
    const token = refreshed.body.access_token as string
    const given = await world.call('GET', '/v1/realtime-token', { token })
    const socket = await connect(world.base_url, given.body.token, ['realtime.v1'])
    await socket.next('hello')
    const at = `/v1/devices/${newId()}`
    const device = { platform: 'android', push_token: `token-${newId()}` }
    expect((await world.call('PUT', at, { token, body: device })).status).toBe(200)
    const taken = await admin.ask('DELETE', `/v1/accounts/${guest.id}/roles/auditor`)
    expect(taken.status, taken.text).toBe(204)
    expect(await socket.closed).toEqual({ code: 4401, reason: 'session_revoked' })
    // Otherwise the device would get pushes for ever.
    const { db } = world.platform.kernel
    const kept = sql`
      -- any tenant: the test made it
      select from chat.devices where user_id = ${guest.id}`
    await eventually('the device is gone', async () => (await db.run(kept)) === 0)
  })
})
