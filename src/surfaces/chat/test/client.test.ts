/** The device of the typed client on a network that fails: nothing is lost, doubled or out of order. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  ChatRefused,
  createClient,
  type ChatEvents,
  type ChatOptions,
} from '../../../../client/src/index.ts'
import { newId } from '#dodeca/kernel'
import { eventually } from '../../../../test/world.ts'
import { openBadNetwork } from './bad-network.ts'
import { openChatWorld, upTo, type ChatWorld, type Talker } from './chat-world.ts'

let world: ChatWorld
beforeAll(async () => {
  world = await openChatWorld({ CHAT_PAUSE_BYTES: '65536' })
})
afterAll(() => world.close())

type Seen = { [K in keyof ChatEvents]: ChatEvents[K][] }

/** A device of this person that keeps what it got, behind its own network. */
async function deviceOf(who: Talker, options: ChatOptions = {}) {
  const network = await openBadNetwork(world.base_url)
  const api = createClient({ base_url: network.url, token: who.token, retries: 0 })
  const chat = api.chat.connect({ wait_ms_max: 100, ...options })
  const seen: Seen = {
    online: [],
    offline: [],
    message: [],
    removed: [],
    member: [],
    conversation: [],
    receipt: [],
    typing: [],
    presence: [],
  }
  for (const type of Object.keys(seen) as (keyof ChatEvents)[]) {
    chat.on(type, event => void (seen[type] as unknown[]).push(event))
  }
  const end = () => {
    chat.close()
    network.close()
  }
  const online = (times = 1) =>
    eventually('the device is online', () => seen.online.length >= times)
  const sequences = (id: string) =>
    seen.message
      .filter(one => one.kind === 'created' && one.conversation_id === id)
      .map(one => one.message.sequence)
  return { chat, network, seen, online, sequences, [Symbol.dispose]: end }
}

describe.concurrent('a device', () => {
  test('gets each message once, and its sends are acknowledged', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const id = await ada.direct(bob)
    using phone = await deviceOf(ada)
    using laptop = await deviceOf(bob)
    await Promise.all([phone.online(), laptop.online()])
    const sent = await Promise.all(
      upTo(20).map(n => phone.chat.send({ conversation_id: id, body: `No. ${n}` })),
    )
    expect(sent.map(one => one.sequence)).toEqual(upTo(20))
    laptop.chat.typing(id, true)
    laptop.chat.read(id, 20)
    for (const one of [phone, laptop]) {
      await eventually('all messages', () => one.sequences(id).length === 20)
      expect(one.sequences(id)).toEqual(upTo(20))
    }
    await eventually('what bob does', () => phone.seen.typing[0] && phone.seen.receipt[0])
    expect(phone.seen.receipt).toMatchObject([{ user_id: bob.id, last_read_sequence: 20 }])
  })

  test('sends what it could not while the network was gone, and fetches what it missed', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const id = await ada.direct(bob)
    using phone = await deviceOf(ada)
    await phone.online()
    const first = await phone.chat.send({ conversation_id: id, body: 'first' })
    await eventually('its own message', () => phone.sequences(id).length === 1)
    phone.network.down()
    await eventually('it is offline', () => phone.seen.offline.length > 0)
    const later = upTo(5).map(n => phone.chat.send({ conversation_id: id, body: `later ${n}` }))
    await Promise.all(upTo(150).map(n => bob.send(id, `meanwhile ${n}`)))
    await ada.ask('PATCH', `/v1/conversations/${id}/messages/${first.message_id}`, { body: '1st' })
    const away = await bob.send(id, 'not for long')
    await bob.ask('DELETE', `/v1/conversations/${id}/messages/${away.body.id}`)
    phone.network.up()
    const sent = await Promise.all(later)
    expect(sent.map(one => one.sequence)).toEqual([153, 154, 155, 156, 157])
    await eventually('all messages', () => phone.sequences(id).length === 157)
    expect(phone.sequences(id)).toEqual(upTo(157))
    expect(phone.seen.message).toContainEqual(
      expect.objectContaining({
        kind: 'updated',
        message: expect.objectContaining({ sequence: 1, body: '1st' }),
      }),
    )
    const gone = phone.seen.message.find(one => one.message.sequence === 152)
    expect(gone?.message).toMatchObject({ body: null })
    const { data } = await bob.history(id)
    expect(data[0].sequence).toBe(157)
  })

  test('a send whose acknowledgement was lost is stored once', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const id = await ada.direct(bob)
    using phone = await deviceOf(ada)
    await phone.online()
    for (const n of upTo(5)) {
      const sending = phone.chat.send({ conversation_id: id, body: `No. ${n}` })
      await eventually('it is stored', async () => (await bob.history(id)).data.length === n)
      phone.network.cut()
      expect((await sending).sequence).toBe(n)
    }
    await eventually('all messages', () => phone.sequences(id).length === 5)
    expect(phone.sequences(id)).toEqual(upTo(5))
  })

  test('goes on after a restart where it stopped, also in conversations that are new', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const [old, left] = [await ada.direct(bob), await bob.group([ada])]
    await bob.send(old, 'before')
    using phone = await deviceOf(ada)
    await phone.online()
    expect(phone.sequences(old)).toEqual([])
    await bob.send(old, 'seen')
    await eventually('the live message', () => phone.sequences(old).length === 1)
    const resume = JSON.parse(JSON.stringify(phone.chat.positions())) as ChatOptions['resume']
    phone.chat.close()
    await bob.send(old, 'missed')
    const fresh = await bob.group([ada])
    for (const n of upTo(3)) await bob.send(fresh, `fresh ${n}`)
    await bob.ask('DELETE', `/v1/conversations/${left}/members/${ada.id}`)
    using again = await deviceOf(ada, resume ? { resume } : {})
    await again.online()
    expect(again.sequences(old)).toEqual([3])
    expect(again.sequences(fresh)).toEqual(upTo(3))
    expect(again.seen.removed).toEqual([{ conversation_id: left }])
    // While it is connected, too.
    const later = await bob.group([ada])
    await bob.send(later, 'hello')
    await eventually('the new group', () => again.sequences(later).length === 1)
    await bob.ask('DELETE', `/v1/conversations/${later}/members/${ada.id}`)
    await eventually('it is removed', () => again.seen.removed.length === 2)
  })

  test('that read too slowly fetches what was not sent', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const id = await ada.direct(bob)
    using phone = await deviceOf(bob)
    await phone.online()
    phone.network.stall()
    const body = 'x'.repeat(8000)
    using sender = await deviceOf(ada)
    await Promise.all(upTo(900).map(() => sender.chat.send({ conversation_id: id, body })))
    phone.network.flow()
    await eventually('all messages', () => phone.sequences(id).length === 900)
    expect(phone.sequences(id)).toEqual(upTo(900))
    expect(phone.seen.offline).toEqual([])
  })

  test('what is refused is refused once, and without a session it ends', async () => {
    const ada = await world.talker()
    using phone = await deviceOf(ada)
    await phone.online()
    const refused = phone.chat.send({ conversation_id: newId(), body: 'to whom?' })
    await expect(refused).rejects.toBeInstanceOf(ChatRefused)
    await expect(refused).rejects.toMatchObject({ code: 'conversation_not_found', status: 404 })
    await ada.ask('DELETE', `/v1/sessions/${ada.session_id}`)
    await eventually('it has ended', () =>
      phone.seen.offline.some(({ retry_ms }) => retry_ms === null),
    )
    await expect(phone.chat.send({ conversation_id: newId(), body: 'x' })).rejects.toThrow()
  })

  test('whose session ends while it fetches what it missed is not removed from anything', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const id = await ada.direct(bob)
    using phone = await deviceOf(ada)
    await phone.online()
    await bob.send(id, 'first')
    await eventually('the live message', () => phone.sequences(id).length === 1)
    const real = globalThis.fetch
    const refused = {
      type: 'about:blank',
      title: 'Unauthorized',
      status: 401,
      code: 'session_revoked',
    }
    vi.stubGlobal('fetch', async (...given: Parameters<typeof fetch>) => {
      const { url } = given[0] as Request
      if (!url?.startsWith(phone.network.url) || !url.includes('/changes')) return real(...given)
      return Response.json(refused, {
        status: 401,
        headers: { 'content-type': 'application/problem+json' },
      })
    })
    phone.network.down()
    await bob.send(id, 'missed')
    phone.network.up()
    await eventually(
      'it has ended, or goes on',
      () => phone.seen.offline.some(one => one.retry_ms === null) || phone.seen.removed.length > 0,
    )
    vi.unstubAllGlobals()
    expect(phone.seen.removed).toEqual([])
  })
})
