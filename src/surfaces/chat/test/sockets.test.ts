/** The socket: what it takes and refuses, what it delivers to whom, and how it ends. */
import { once } from 'node:events'
import { connect as dial } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket as Ws } from 'ws'
import { eventually, newKey } from '../../../../test/world.ts'
import { openChatWorld, upTo, type ChatWorld, type Json, type Talker } from './chat-world.ts'

let world: ChatWorld
beforeAll(async () => {
  world = await openChatWorld({
    CHAT_PRESENCE_GRACE_MS: '100',
    // A socket may send 1,000 frames at once, and 100 a second.
    KERNEL_RATE_FACTOR: '100',
    CHAT_FRAMES_BURST: '10',
    CHAT_FRAMES_PER_SECOND: '1',
  })
})
afterAll(() => world.close())

const tokenFor = async (who: Talker): Promise<string> =>
  (await who.ask('GET', '/v1/realtime-token')).body.token

/** The answer to a handshake that is refused. */
async function refused(
  path: string,
  headers: Record<string, string> = {},
  protocols: string[] = [],
) {
  const ws = new Ws(`${world.base_url.replace(/^http/, 'ws')}${path}`, protocols, { headers })
  ws.on('error', () => {})
  const [, response] = (await once(ws, 'unexpected-response')) as [unknown, Json]
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return {
    status: response.statusCode as number,
    body: JSON.parse(text),
    headers: response.headers,
  }
}

describe.concurrent('a handshake', () => {
  test('is refused with a problem document', async () => {
    const ada = await world.talker()
    const token = await tokenFor(ada)
    const at = '/v1/realtime'
    const cases = [
      [await refused(at), 401, 'invalid_token'],
      [await refused(`${at}?token=${token}x`), 401, 'invalid_token'],
      [await refused(`${at}?token=${ada.token}`), 401, 'invalid_token'],
      [
        await refused(`${at}?token=${token}`, { authorization: `Bearer ${token}` }),
        401,
        'invalid_token',
      ],
      [
        await refused(`${at}?token=${token}`, { origin: 'https://evil.test' }),
        403,
        'origin_not_allowed',
      ],
      [await refused('/v1/conversations'), 401, 'authentication_required'],
    ] as const
    for (const [{ status, body, headers }, wanted, code] of cases) {
      expect([status, body.code]).toEqual([wanted, code])
      expect(headers['content-type']).toContain('application/problem+json')
    }
    const plain = await ada.ask('GET', at)
    expect([plain.status, plain.body.code]).toEqual([400, 'websocket_upgrade_required'])
    // The token opens the socket and nothing else.
    expect((await world.call('GET', '/v1/me', { token })).status).toBe(401)
  })

  test('takes its token in three ways, and a page of our own origin', async () => {
    const ada = await world.talker()
    const [first_token, token, other, last] = await Promise.all(upTo(4).map(() => tokenFor(ada)))
    const url = `${world.base_url.replace(/^http/, 'ws')}/v1/realtime`
    const headers = { authorization: `Bearer ${first_token}`, origin: 'http://dodeca.test' }
    const by_header = new Ws(url, [], { headers })
    await once(by_header, 'open')
    expect(by_header.protocol).toBe('')
    const by_protocol = new Ws(url, ['realtime.v1', `token.${token}`])
    await once(by_protocol, 'open')
    expect(by_protocol.protocol).toBe('realtime.v1')
    // The client that comes with Node.
    const builtin = new WebSocket(`${url}?token=${other}`, 'realtime.v1')
    const [first] = (await once(builtin, 'message')) as [{ data: string }]
    expect(JSON.parse(first.data)).toMatchObject({ type: 'hello', user_id: ada.id, v: 1 })
    // A development server on this machine.
    const vite = new Ws(`${url}?token=${last}`, [], { origin: 'http://localhost:5173' })
    await once(vite, 'open')
    for (const one of [by_header, by_protocol, builtin, vite]) one.close()
  })

  test('opens one socket with a token, however often it is sent', async () => {
    const ada = await world.talker()
    const token = await tokenFor(ada)
    const url = `${world.base_url.replace(/^http/, 'ws')}/v1/realtime`
    const opened = await Promise.all(
      upTo(5).map(async () => {
        const ws = new Ws(url, ['realtime.v1', `token.${token}`])
        ws.on('error', () => {})
        const won = once(ws, 'open').then(() => ws)
        const lost = once(ws, 'unexpected-response').then(() => null)
        return await Promise.race([won, lost])
      }),
    )
    expect(opened.filter(one => one !== null)).toHaveLength(1)
    const again = await refused(`/v1/realtime?token=${token}`)
    expect([again.status, again.body.code]).toEqual([401, 'invalid_token'])
    expect(again.body.detail).toContain('used before')
    for (const ws of opened) ws?.close()
  })

  test('row 10: a frame in the same packet as the handshake is not lost', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const id = await ada.direct(bob)
    const token = await tokenFor(ada)
    const { hostname, port } = new URL(world.base_url)
    const raw = dial(Number(port), hostname)
    await once(raw, 'connect')
    const frame = JSON.stringify({
      type: 'message.send',
      request_id: newKey(),
      conversation_id: id,
      body: 'early',
    })
    const masked = Buffer.concat([
      Buffer.from([0x81, 0x80 | 126, frame.length >> 8, frame.length & 255, 0, 0, 0, 0]),
      Buffer.from(frame),
    ])
    const head = `GET /v1/realtime?token=${token} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`
    raw.write(Buffer.concat([Buffer.from(head), masked]))
    const [message] = await eventually('the message is there', async () => {
      const { data } = await bob.history(id)
      return data.length > 0 && data
    })
    expect(message.body).toBe('early')
    raw.destroy()
  })

  test('is limited for each person', async () => {
    const ada = await world.talker()
    const clients = await Promise.all(upTo(20).map(() => ada.socket()))
    const answer = await refused(`/v1/realtime?token=${await tokenFor(ada)}`)
    expect([answer.status, answer.body.code]).toEqual([429, 'rate_limited'])
    for (const client of clients) client.close()
  })
})

test('row 15: a client that floods is refused first, and disconnected if it goes on', async () => {
  const ada = await world.talker()
  const socket = await ada.socket()
  for (const n of upTo(20_000)) socket.put({ type: 'ping', request_id: `p-${n}` })
  expect(await socket.closed).toEqual({ code: 4429, reason: 'flooding' })
  const refusal = socket.frames.find(one => one.type === 'error')
  expect(refusal).toMatchObject({ code: 'rate_limited', status: 429, retry_after_ms: 1000 })
})

describe.concurrent('messages', () => {
  test('go to all devices of all members, in order, with one event id everywhere', async () => {
    const [ada, bob, eve] = (await world.people(3)) as [Talker, Talker, Talker]
    const id = await ada.direct(bob)
    const clients = await Promise.all([ada.socket(), bob.socket(), bob.socket(), eve.socket()])
    const [own, phone, laptop, stranger] = clients
    for (const n of upTo(5)) {
      own.put({ type: 'message.send', request_id: `r-${n}`, conversation_id: id, body: `No. ${n}` })
    }
    const acks = await Promise.all(
      upTo(5).map(n => own.next('message.ack', one => one.request_id === `r-${n}`)),
    )
    expect(acks.map(one => one.sequence)).toEqual(upTo(5))
    expect((await ada.send(id, 'No. 6')).body.sequence).toBe(6)
    for (const client of [own, phone, laptop]) {
      await client.next('message.created', one => one.sequence === 6)
      expect(client.messages(id).map(one => one.sequence)).toEqual(upTo(6))
    }
    const [seen] = phone.messages(id)
    expect(seen).toMatchObject({
      v: 1,
      conversation_id: id,
      sequence: 1,
      message: { id: acks[0].message_id, body: 'No. 1', sender_id: ada.id },
    })
    expect(seen.message).not.toHaveProperty('client_request_id')
    expect(own.messages(id)[0]).toMatchObject({
      event_id: seen.event_id,
      message: { client_request_id: 'r-1' },
    })
    expect(stranger.frames.map(one => one.type)).toEqual(['hello'])
    for (const client of clients) client.close()
  })

  test('row 2: one key, sent over HTTP and both sockets at once, is one message', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const id = await ada.direct(bob)
    const socket = await ada.socket()
    for (const round of upTo(100)) {
      const key = newKey()
      const frame = { type: 'message.send', request_id: key, conversation_id: id, body: `${round}` }
      const http = ada.send(id, `${round}`, { key })
      socket.put(frame)
      socket.put(frame)
      const isOurs = (one: Json) => one.request_id === key
      const acks = [
        await socket.next('message.ack', isOurs),
        await socket.next('message.ack', isOurs),
      ]
      const ids = [(await http).body.id, ...acks.map(one => one.message_id)]
      expect(new Set(ids).size).toBe(1)
    }
    const { data } = await bob.history(id, '?limit=100')
    expect(data.map((one: Json) => one.sequence)).toEqual(upTo(100).toReversed())
    socket.put({ type: 'message.send', request_id: 'r', conversation_id: id, body: 'one' })
    socket.put({ type: 'message.send', request_id: 'r', conversation_id: id, body: 'other' })
    expect(await socket.next('error')).toMatchObject({
      request_id: 'r',
      code: 'idempotency_key_reused',
      status: 409,
    })
    socket.close()
  })

  test('reach a client that was written from the specification alone', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const id = await ada.direct(bob)
    const plain = await ada.socket({ plain: true })
    const frame = { type: 'message.send', request_id: 'mine-1', conversation_id: id, body: 'hi' }
    plain.put(frame)
    const first = await plain.next('message.created')
    expect(first.message.client_request_id).toBe('mine-1')
    plain.put(frame)
    expect((await plain.next('message.created')).event_id).toBe(first.event_id)
    await bob.ask('PATCH', `/v1/conversations/${id}/members/me`, {})
    await ada.ask('PATCH', `/v1/conversations/${id}/messages/${first.message.id}`, {
      body: 'hello',
    })
    plain.put({ type: 'receipt.read', conversation_id: id, through_sequence: 99 })
    expect(await plain.next('error')).toMatchObject({
      request_id: null,
      code: 'sequence_out_of_range',
    })
    expect(new Set(plain.frames.map(one => one.type))).toEqual(
      new Set(['message.created', 'error']),
    )
    plain.close()
  })

  test('are edited and deleted live, and members change', async () => {
    const [ada, bob, cleo] = (await world.people(3)) as [Talker, Talker, Talker]
    const id = await ada.group([bob])
    const [phone, late] = await Promise.all([bob.socket(), cleo.socket()])
    const sent = await ada.send(id, 'draft')
    await phone.next('message.created')
    const at = `/v1/conversations/${id}`
    await ada.ask('PATCH', `${at}/messages/${sent.body.id}`, { body: 'final' })
    expect((await phone.next('message.updated')).message).toMatchObject({
      body: 'final',
      version: 2,
    })
    await ada.ask('DELETE', `${at}/messages/${sent.body.id}`)
    expect((await phone.next('message.deleted')).message.body).toBeNull()
    await ada.ask('POST', `${at}/members`, { user_ids: [cleo.id] })
    expect((await phone.next('member.updated')).member).toMatchObject({ user_id: cleo.id })
    await ada.send(id, 'welcome')
    expect(await late.next('message.created')).toMatchObject({ sequence: 2 })
    await ada.ask('PATCH', at, { title: 'New name' })
    await phone.next('conversation.updated', one => one.title === 'New name')
    await ada.ask('DELETE', `${at}/members/${cleo.id}`)
    const gone = await late.next('member.updated', one => one.member.left_sequence !== null)
    expect(gone.member).toMatchObject({ user_id: cleo.id, left_sequence: 2 })
    await ada.send(id, 'without her')
    await phone.next('message.created', one => one.sequence === 3)
    expect(late.messages(id).map(one => one.sequence)).toEqual([2])
    for (const client of [phone, late]) client.close()
  })
})
