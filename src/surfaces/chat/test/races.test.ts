/** Races, slow and dead readers, wrong clocks, attachments and pushes. */
import { createECDH, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Type } from 'typebox'
import { newId, sql } from '#dodeca/kernel'
import { eventually, newKey } from '../../../../test/world.ts'
import { openBadNetwork } from './bad-network.ts'
import { raceRemovals } from './race-removals.ts'
import { connect, openChatWorld, upTo } from './chat-world.ts'
import type { ChatWorld, Json, Talker } from './chat-world.ts'

let world: ChatWorld
beforeAll(async () => {
  world = await openChatWorld({
    CHAT_HEARTBEAT_MS: '300',
    CHAT_PONG_MS: '2000',
    CHAT_PRESENCE_GRACE_MS: '50',
  })
})
afterAll(() => world.close())

describe.concurrent('races', () => {
  test('row 5: in a batch only the item that may not be sent fails', async () => {
    const people = (await world.people(6)) as [Talker, ...Talker[]]
    const [ada, ...others] = people
    const id = await ada.group(others)
    const [gone] = others
    if (!gone) throw new Error('no member to remove')
    await ada.ask('DELETE', `/v1/conversations/${id}/members/${gone.id}`)
    const rooms = await Promise.all(upTo(4).map(() => ada.group(others.slice(1))))
    const answers = await Promise.all(
      upTo(256).map(async n => {
        const who = people[n % people.length] as Talker
        const room = n % 2 ? id : (rooms[n % 4] as string)
        return { who, room, answer: await who.send(room, `No. ${n}`) }
      }),
    )
    for (const { who, room, answer } of answers) {
      const refused = room === id ? 403 : 404
      const wanted = who === gone ? refused : 201
      expect(answer.status, answer.text).toBe(wanted)
    }
    for (const room of [id, ...rooms]) {
      const sent = answers.filter(one => one.room === room && one.answer.status === 201)
      const sequences = sent.map(one => one.answer.body.sequence as number)
      expect(sequences.toSorted((a, b) => a - b)).toEqual(upTo(sent.length))
    }
  })

  test('changes that are read while messages are edited leave out no message', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const id = await ada.group([bob])
    const sent = await Promise.all(upTo(24).map(n => ada.send(id, `No. ${n}`)))
    let editors = 4
    const editing = upTo(editors).map(async n => {
      for (const { body } of sent.filter((_, at) => at % 4 === n - 1)) {
        for (const round of upTo(8)) {
          const at = `/v1/conversations/${id}/messages/${body.id}`
          await ada.ask('PATCH', at, { body: `No. ${n}, round ${round}` })
        }
      }
      editors--
    })
    while (editors > 0) {
      const { data } = await bob.changes(id)
      const sequences = data.map((one: Json) => one.sequence as number)
      expect(sequences.toSorted((a: number, b: number) => a - b)).toEqual(upTo(24))
    }
    await Promise.all(editing)
  })

  test('row 6: who is removed while others send gets nothing beyond', async () => {
    const [ada, bob, cleo] = (await world.people(3)) as [Talker, Talker, Talker]
    const { found, wanted } = await raceRemovals([ada, bob, cleo], 25)
    expect(found).toEqual(wanted)
  })
})

describe.concurrent('readers', () => {
  test('row 9: one whose peer is gone without a word ends, and is offline', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    await ada.direct(bob)
    const network = await openBadNetwork(world.base_url)
    const token = (await bob.ask('GET', '/v1/realtime-token')).body.token
    const lost = await connect(network.url, token, ['realtime.v1'])
    await lost.next('hello')
    const watcher = await ada.socket()
    watcher.put({ type: 'presence.subscribe', user_ids: [bob.id] })
    await watcher.next('presence.updated', one => one.state === 'online')
    network.stall()
    const gone = await watcher.next('presence.updated', one => one.state === 'offline')
    expect(gone.user_id).toBe(bob.id)
    lost.ws.terminate()
    watcher.close()
    network.close()
  })
})

describe.concurrent('neighbours', () => {
  test('attachments are uploaded, sent once and read by the members alone', async () => {
    const [ada, bob, eve] = (await world.people(3)) as [Talker, Talker, Talker]
    const id = await ada.group([bob])
    const phone = await bob.socket()
    const bytes = Buffer.from('the route of the hike')
    const begun = await ada.ask('POST', '/v1/attachments/uploads', {
      conversation_id: id,
      filename: 'route.txt',
      expected_size: bytes.length,
    })
    expect(begun.status, begun.text).toBe(201)
    const { attachment_id, upload } = begun.body
    const at = `/v1/conversations/${id}/messages`
    const send = (who: Talker) =>
      who.ask('POST', at, { attachment_ids: [attachment_id] }, { key: newKey() })
    expect((await send(ada)).body.code).toBe('attachment_not_ready')
    await world.send(upload, bytes)
    const { createHash } = await import('node:crypto')
    const checksum = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
    const parts = [{ part_number: 1 }]
    expect((await world.complete(ada, upload.upload_id, { parts, checksum })).status).toBe(202)
    const { status, body: sent } = await send(ada)
    expect(status).toBe(201)
    expect(sent).toMatchObject({
      body: null,
      attachments: [{ id: attachment_id, filename: 'route.txt' }],
    })
    expect((await send(ada)).body.code).toBe('attachment_not_ready')
    await phone.next('message.created', one => one.message.attachments[0]?.id === attachment_id)
    const ready = await eventually('the file is available', async () => {
      const [message] = (await bob.history(id)).data
      return message.attachments[0].state === 'available' && message
    })
    const { file_id } = ready.attachments[0]
    expect((await bob.changes(id, sent.revision)).data).toHaveLength(
      ready.revision > sent.revision ? 1 : 0,
    )
    expect((await world.url(bob, file_id)).status).toBe(200)
    expect((await world.url(eve, file_id)).status).toBe(404)
    await ada.ask('DELETE', `${at}/${sent.id}`)
    await eventually('the file is gone', async () => (await world.url(bob, file_id)).status === 404)
    phone.close()
  })

  test('whom a person blocks, or no longer talks with, sees their presence no more', async () => {
    const [ada, bob, cleo, dan] = (await world.people(4)) as [Talker, Talker, Talker, Talker]
    const id = await bob.group([ada, cleo, dan])
    const watchers = await Promise.all([ada.socket(), cleo.socket(), dan.socket()])
    const phone = await bob.socket()
    for (const watcher of watchers) {
      watcher.put({ type: 'presence.subscribe', user_ids: [bob.id] })
      await watcher.next('presence.updated', one => one.state === 'online')
    }
    expect((await bob.ask('PUT', `/v1/users/me/blocks/${ada.id}`)).status).toBe(200)
    expect((await bob.ask('DELETE', `/v1/conversations/${id}/members/${dan.id}`)).status).toBe(204)
    phone.close()
    const [blocked, friend, removed] = watchers
    await friend?.next('presence.updated', one => one.state === 'offline')
    // All of them were written to, or not, in one turn; what was written comes before the answer.
    for (const watcher of [blocked, removed]) {
      watcher?.put({ type: 'ping', request_id: 'last' })
      await watcher?.next('pong', one => one.request_id === 'last')
      const states = watcher?.frames.filter(one => one.type === 'presence.updated')
      expect(states?.map(one => one.state)).toEqual(['online'])
    }
    for (const watcher of watchers) watcher.close()
  })

  test('sockets that open at the same moment are limited too', async () => {
    const [ada] = (await world.people(1)) as [Talker]
    const most = 20
    const tokens = await Promise.all(
      upTo(most + 5).map(async () => (await ada.ask('GET', '/v1/realtime-token')).body.token),
    )
    const opened = await Promise.all(
      tokens.map(token => connect(world.base_url, token, ['realtime.v1']).catch(() => null)),
    )
    const open = () => opened.filter(one => one?.ws.readyState === one?.ws.OPEN && one !== null)
    await eventually('only so many stay open', () => open().length === most)
    for (const one of open()) await one?.next('hello')
    expect(open()).toHaveLength(most)
    for (const one of opened) one?.close()
  })

  test('of people who block each other refuse direct messages, and new conversations', async () => {
    const [ada, bob, cleo] = (await world.people(3)) as [Talker, Talker, Talker]
    const [pair, group] = [await ada.direct(bob), await ada.group([bob, cleo])]
    const blocked = await bob.ask('PUT', `/v1/users/me/blocks/${ada.id}`)
    expect(blocked.status, blocked.text).toBeLessThan(300)
    for (const who of [ada, bob]) {
      expect((await who.send(pair, 'still there?')).body.code).toBe('message_not_allowed')
      expect((await who.send(group, 'here we meet')).status).toBe(201)
    }
    // Messages that wait for the same transaction are stored, each once.
    const together = await Promise.all(
      upTo(40).map(n => (n % 4 ? cleo.send(group, `No. ${n}`) : ada.send(pair, `No. ${n}`))),
    )
    const statuses = together.map(({ status }) => status)
    expect(statuses).toEqual(upTo(40).map(n => (n % 4 ? 201 : 403)))
    expect((await bob.history(group, '?limit=100')).data).toHaveLength(32)
    const member_ids = [bob.id]
    const made = await ada.ask('POST', '/v1/conversations', { type: 'group', member_ids })
    expect(made.body.code).toBe('member_unknown')
    await bob.ask('DELETE', `/v1/users/me/blocks/${ada.id}`)
    expect((await ada.send(pair, 'hello again')).body.sequence).toBe(1)
  })

  test('pushes go to those who are away, do not mute and have not read', async () => {
    const [ada, away, online, muted] = (await world.people(4)) as [Talker, Talker, Talker, Talker]
    const id = await ada.group([away, online, muted])
    const socket = await online.socket()
    await muted.ask('PATCH', `/v1/conversations/${id}/members/me`, {
      muted_until: '2099-01-01T00:00:00Z',
    })
    for (const n of upTo(3)) await ada.send(id, `No. ${n}`)
    const inbox = async (who: Talker) =>
      (await who.ask('GET', '/v1/inbox')).body.data as { category: string }[]
    await eventually(
      'the one who is away is notified',
      async () => (await inbox(away)).length === 1,
    )
    for (const who of [ada, online, muted]) expect(await inbox(who)).toEqual([])
    expect(JSON.stringify(await inbox(away))).not.toContain('No. ')
    socket.close()
  })

  test('devices are kept by their person, and lose their push token with it', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const [mine, theirs] = [newId(), newId()]
    const put = (who: Talker, id: string, push_token: string) =>
      who.ask('PUT', `/v1/devices/${id}`, { platform: 'android', push_token })
    const push_token = `token-${newId()}-${'x'.repeat(100)}`
    const made = await put(ada, mine, push_token)
    expect(made.status, made.text).toBe(200)
    expect(made.text).not.toContain(push_token)
    await put(bob, theirs, push_token)
    expect((await ada.ask('GET', '/v1/devices')).body.data).toEqual([])
    expect((await bob.ask('GET', '/v1/devices')).body.data).toMatchObject([{ id: theirs }])
    for (const _ of upTo(11)) await ada.ask('PUT', `/v1/devices/${newId()}`, { platform: 'web' })
    expect((await ada.ask('GET', '/v1/devices')).body.data).toHaveLength(10)
  })

  test('a browser is registered only at a push service, with the keys of a browser', async () => {
    const [ada] = (await world.people(1)) as [Talker]
    const p256dh = createECDH('prime256v1').generateKeys('base64url')
    const keys = { p256dh, auth: randomBytes(16).toString('base64url') }
    const put = (endpoint: string, more: object = {}) =>
      ada.ask('PUT', `/v1/devices/${newId()}`, {
        platform: 'web',
        push_subscription: { endpoint, keys: { ...keys, ...more } },
      })
    const known = 'https://fcm.googleapis.com/fcm/send/x'
    expect((await put(known)).status).toBe(200)
    for (const [endpoint, pointer, more] of [
      ['https://internal.example/x', '/push_subscription/endpoint'],
      ['http://127.0.0.1:1/x', '/push_subscription/endpoint'],
      ['https://fcm.googleapis.com:444/x', '/push_subscription/endpoint'],
      ['https://a:b@fcm.googleapis.com/x', '/push_subscription/endpoint'],
      ['no address', '/push_subscription/endpoint'],
      [known, '/push_subscription/keys', { p256dh: 'x' }],
      [known, '/push_subscription/keys', { auth: 'x' }],
    ] as const) {
      const refused = await put(endpoint, more)
      expect([refused.status, refused.body.errors?.[0].pointer], endpoint).toEqual([422, pointer])
    }
    const spaced = { platform: 'android', push_token: 'not a token' }
    const token = await ada.ask('PUT', `/v1/devices/${newId()}`, spaced)
    expect([token.status, token.body.errors?.[0].pointer]).toEqual([422, '/push_token'])
    expect((await ada.ask('GET', '/v1/devices')).body.data).toHaveLength(1)
  })
})

test('row 17: a clock that goes back changes no order', async () => {
  const [ada, bob] = (await world.people(2)) as [Talker, Talker]
  const id = await ada.direct(bob)
  await ada.send(id, 'before')
  try {
    await world.call('POST', '/dev/clock', { body: { offset_seconds: -30 } })
    await ada.send(id, 'after')
  } finally {
    await world.call('POST', '/dev/clock', { body: { offset_seconds: 0 } })
  }
  const { data } = await bob.history(id)
  expect(data.map((one: Json) => [one.sequence, one.body])).toEqual([
    [2, 'after'],
    [1, 'before'],
  ])
  const earlier = await world.platform.kernel.db.one(
    Type.Object({ it: Type.Boolean() }),
    sql`
      select max(created_at) filter (where sequence = 2)
        < max(created_at) filter (where sequence = 1) as it
      from chat.messages where conversation_id = ${id}`,
  )
  expect(earlier.it).toBe(true)
})
