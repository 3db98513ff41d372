/**
 * Sockets that open while their conversation is read for others. The reads of the test's own process
 * stop where the race needs it.
 */
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { eventually } from '../../../../test/world.ts'
import type { Db } from '#dodeca/kernel'
import { compile } from '../../../kernel/database/sql.ts'
import type { Inside as Social } from '../../social/face.ts'
import { openBodyCipher } from '../messages/body-cipher.ts'
import { Connection, limitsOf } from '../realtime/connection.ts'
import { openFrameHandler, type SocketDeps } from '../realtime/handle-frame.ts'
import { OpenLive } from '../realtime/open-live.ts'
import type { Kernel } from '../settings.ts'
import { openChatWorld, type ChatWorld, type Talker } from './chat-world.ts'

let world: ChatWorld
let server: WebSocketServer
beforeAll(async () => {
  world = await openChatWorld({ ROLES: 'api' })
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
})
afterAll(async () => {
  server.close()
  await world.close()
})

const memberships = /select b\.conversation_id, b\.role, b\.revision/
const head = /select c\.latest_sequence, c\.revision/
const messages = /from chat\.messages m/
const acquainted = /select w\.user_id from unnest/

/** The sockets of a process whose statements can be held. */
function slowProcess() {
  const kernel = world.platform.kernel as unknown as Kernel
  const holds: { of: RegExp; when: 'before' | 'after'; gate: PromiseWithResolvers<undefined> }[] =
    []
  const held = async <T>(text: string, run: () => Promise<T>): Promise<T> => {
    const at = holds.findIndex(one => one.of.test(text))
    const [hold] = at < 0 ? [] : holds.splice(at, 1)
    if (hold?.when === 'before') await hold.gate.promise
    const found = await run()
    if (hold?.when === 'after') await hold.gate.promise
    return found
  }
  const db: Db = {
    ...kernel.db,
    many: (row, statement) => held(compile(statement).text, () => kernel.db.many(row, statement)),
    maybe: (row, statement) => held(compile(statement).text, () => kernel.db.maybe(row, statement)),
  }
  const blocks = world.platform.opened['social']?.face as Social
  const slow = { ...kernel, db }
  const live = new OpenLive({
    kernel: slow,
    cipher: openBodyCipher(kernel),
    people: world.identity,
    blocks,
  })
  return {
    live,
    kernel: slow,
    blocks,
    /** Holds the next such statement: before it is sent, or before its rows arrive. */
    hold: (when: 'before' | 'after', of: RegExp): (() => void) => {
      const gate = Promise.withResolvers<undefined>()
      holds.push({ of, when, gate })
      return () => gate.resolve(undefined)
    },
    isHeld: (count: number) =>
      eventually('the statement is held', () => Promise.resolve(holds.length === count)),
  }
}

/** A socket of this person, on the side of the process, and the messages that its client gets. */
async function open(who: Talker) {
  const { port } = server.address() as AddressInfo
  const accepted = once(server, 'connection')
  const client = new WebSocket(`ws://127.0.0.1:${port}`)
  const bodies: string[] = []
  client.on('message', data => {
    const frame = JSON.parse((data as Buffer).toString())
    if (frame.type === 'message.created') bodies.push(frame.message.body as string)
  })
  const [socket, request] = (await accepted) as [WebSocket, { socket: Socket }]
  const holder = {
    tenant_id: who.tenant.id,
    user_id: who.id,
    session_id: who.session_id,
    device_id: null,
  }
  const limits = limitsOf(world.platform.kernel as unknown as Kernel)
  return {
    connection: new Connection(socket, request.socket, holder, limits, () => false),
    bodies,
    client,
  }
}

async function cast() {
  const [ada, bob, cleo] = (await world.people(3)) as [Talker, Talker, Talker]
  const id = await ada.group([bob, cleo])
  await ada.send(id, 'before')
  const there = slowProcess()
  const [first, second] = [await open(bob), await open(cleo)]
  await there.live.watch(first.connection)
  const watched = there.live.watched.find(ada.tenant.id, id)
  if (!watched) throw new Error('the conversation is not watched')
  const read = () => {
    const { known_revision: revision, known_sequence: latest_sequence } = watched
    const key = { tenant_id: ada.tenant.id, id }
    there.live.changed({ ...key, revision: revision + 1, latest_sequence })
  }
  return { ada, cleo, id, there, first, second, watched, read }
}

test('a member who was removed meanwhile gets nothing that was sent later', async () => {
  const { ada, cleo, id, there, first, second, watched, read } = await cast()
  const showMemberships = there.hold('after', memberships)
  const opening = there.live.watch(second.connection)
  await there.isHeld(0)
  await ada.ask('DELETE', `/v1/conversations/${id}/members/${cleo.id}`)
  await ada.send(id, 'without her')
  const showMessages = there.hold('after', messages)
  read()
  await there.isHeld(0)
  showMemberships()
  await opening
  showMessages()
  await eventually('the other member has it', () =>
    Promise.resolve(first.bodies.includes('without her')),
  )
  await eventually('nothing is read any more', () => Promise.resolve(watched.reading === null))
  expect(watched.people.has(cleo.id)).toBe(false)
  await ada.send(id, 'and later')
  read()
  await eventually('the other member has it', () =>
    Promise.resolve(first.bodies.includes('and later')),
  )
  expect(second.bodies).toEqual([])
  await there.live.close()
})

test('a message that is committed while a read begins reaches a socket that opens then', async () => {
  const { ada, id, there, first, second, watched, read } = await cast()
  const showMemberships = there.hold('after', memberships)
  const opening = there.live.watch(second.connection)
  await there.isHeld(0)
  // The process has delivered this one, so the memberships just read are older.
  await ada.send(id, 'one')
  read()
  await eventually('the first member has it', () => Promise.resolve(first.bodies.includes('one')))
  await eventually('nothing is read any more', () => Promise.resolve(watched.reading === null))
  const begin = there.hold('before', head)
  read()
  await there.isHeld(0)
  showMemberships()
  await opening
  await ada.send(id, 'two')
  begin()
  for (const { bodies } of [first, second]) {
    await eventually('it has the message', () => Promise.resolve(bodies.includes('two')))
  }
  expect(second.bodies.filter(one => one === 'two')).toEqual(['two'])
  await there.live.close()
})

test('a socket that closes while its subscription to presence is checked is forgotten', async () => {
  const { ada, there, second } = await cast()
  const { live, kernel, blocks } = there
  const handle = openFrameHandler({
    kernel,
    live,
    blocks,
    people: world.identity,
  } as unknown as SocketDeps)
  const check = there.hold('after', acquainted)
  const done = handle(second.connection, { type: 'presence.subscribe', user_ids: [ada.id] })
  await there.isHeld(0)
  second.connection.end(1001, 'reconnect')
  live.presence.forget(second.connection)
  check()
  await done
  expect(second.connection.presence_of.size).toBe(0)
  await live.close()
})
