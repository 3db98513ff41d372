/** Two processes and both buses: sockets of each get what is sent in the other, also where the bus is cut. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../../test/free-port.ts'
import { startProcess, type PlatformProcess } from '../../../../test/process.ts'
import { newId, sql } from '#dodeca/kernel'
import { openChatWorld, upTo, type ChatWorld, type Talker } from './chat-world.ts'

const binary = ['/usr/sbin/nats-server', '/usr/bin/nats-server'].find(path => existsSync(path))
const Killed = Type.Object({ n: Type.Integer() })

describe.each(['postgres', 'nats'] as const)('over %s', bus => {
  describe.skipIf(bus === 'nats' && binary === undefined)('two processes', () => {
    let nats: ChildProcess | undefined
    let nats_port = 0
    let world: ChatWorld
    let beside: PlatformProcess

    const startNats = async () => {
      nats = spawn(binary ?? '', ['-a', '127.0.0.1', '-p', String(nats_port)], { stdio: 'ignore' })
      await once(nats, 'spawn')
    }
    beforeAll(async () => {
      nats_port = await freePort()
      if (bus === 'nats') await startNats()
      world = await openChatWorld({
        KERNEL_BUS: bus,
        KERNEL_NATS_URL: `nats://127.0.0.1:${nats_port}`,
        CHAT_REPAIR_MS: '500',
        CHAT_PRESENCE_GRACE_MS: '100',
      })
      beside = await startProcess({ ...world.environment, ROLES: 'api' }, 'product')
    })
    afterAll(async () => {
      await beside.kill()
      await world.close()
      nats?.kill('SIGKILL')
    })

    /** The way by which hints travel. */
    const cut = async () => {
      if (bus === 'nats') {
        nats?.kill('SIGKILL')
        await startNats()
        return
      }
      await world.platform.kernel.db.many(
        Killed,
        sql`
          select count(pg_terminate_backend(pid))::int as n from pg_stat_activity
          where application_name = 'dodeca direct' and datname = current_database()`,
      )
    }

    test('a session that ended while its process stood still neither sends nor receives', async () => {
      const [ada, bob] = (await world.people(2)) as [Talker, Talker]
      const id = await ada.group([bob])
      const still = await startProcess({ ...world.environment, ROLES: 'api' }, 'product')
      const socket = await bob.socket({ at: still.url })
      still.child.kill('SIGSTOP')
      const ended = await bob.ask('DELETE', `/v1/sessions/${bob.session_id}`)
      expect(ended.status).toBe(204)
      socket.put({ type: 'message.send', request_id: newId(), conversation_id: id, body: 'late' })
      await ada.send(id, 'a secret')
      await world.platform.kernel.db.one(Type.Object({}), sql`select pg_sleep(3)::text as it`)
      still.child.kill('SIGCONT')
      expect((await socket.closed).code).toBe(4401)
      expect(socket.messages(id)).toEqual([])
      const bodies = (await ada.history(id)).data.map((one: { body: string }) => one.body)
      expect(bodies).toEqual(['a secret'])
      await still.kill()
    })

    test('row 1: concurrent sends in both are one dense order, seen by all without a hole', async () => {
      const [ada, bob] = (await world.people(2)) as [Talker, Talker]
      const id = await ada.group([bob])
      const sockets = await Promise.all([bob.socket(), bob.socket({ at: beside.url })])
      let reading = true
      const seen: number[] = []
      const reader = (async () => {
        while (reading) {
          const { data } = (await ada.history(id, '?limit=100')) as { data: { sequence: number }[] }
          const found = data.map(one => one.sequence)
          expect(found).toEqual(upTo(found.length).toReversed())
          seen.push(found.length)
        }
      })()
      const sent = await Promise.all(
        upTo(50).map(n =>
          (n % 2 ? ada : bob).send(id, `No. ${n}`, n % 3 ? { at: beside.url } : {}),
        ),
      )
      reading = false
      await reader
      expect(sent.map(one => one.body.sequence).toSorted((a, b) => a - b)).toEqual(upTo(50))
      expect(seen.length).toBeGreaterThan(1)
      for (const socket of sockets) {
        await socket.next('message.created', one => one.sequence === 50)
        expect(socket.messages(id).map(one => one.sequence)).toEqual(upTo(50))
        socket.close()
      }
    })

    test('members, typing, receipts and presence cross from one to the other', async () => {
      const [ada, bob] = (await world.people(2)) as [Talker, Talker]
      const [here, there] = [await ada.socket(), await bob.socket({ at: beside.url })]
      // It stays when they share the group no longer, and with it the presence.
      await ada.direct(bob)
      const id = await ada.group([bob])
      await ada.send(id, 'welcome')
      await there.next('message.created', one => one.conversation_id === id)
      there.put({ type: 'typing', conversation_id: id, active: true })
      expect(await here.next('typing')).toMatchObject({ user_id: bob.id })
      there.put({ type: 'receipt.read', conversation_id: id, through_sequence: 1 })
      expect(await here.next('receipt.updated')).toMatchObject({ last_read_sequence: 1 })
      here.put({ type: 'presence.subscribe', user_ids: [bob.id] })
      await here.next('presence.updated', one => one.state === 'online')
      await ada.ask('DELETE', `/v1/conversations/${id}/members/${bob.id}`)
      await there.next('member.updated', one => one.member.left_sequence === 1)
      await ada.send(id, 'alone')
      await here.next('message.created', one => one.sequence === 2)
      there.close()
      await here.next('presence.updated', one => one.state === 'offline')
      expect(there.messages(id).map(one => one.sequence)).toEqual([1])
      here.close()
    })

    test('row 7: with the bus cut all the while, every socket gets every message in order', async () => {
      const [ada, bob] = (await world.people(2)) as [Talker, Talker]
      const id = await ada.group([bob])
      const sockets = await Promise.all([bob.socket(), bob.socket({ at: beside.url })])
      const sendHundred = (round: number) =>
        upTo(100).map(n => ada.send(id, `${round}-${n}`, n % 2 ? { at: beside.url } : {}))
      for (const round of upTo(10)) {
        await cut()
        await Promise.all(sendHundred(round))
      }
      for (const socket of sockets) {
        await socket.next('message.created', one => one.sequence === 1000)
        expect(socket.messages(id).map(one => one.sequence)).toEqual(upTo(1000))
        socket.close()
      }
    })

    test('row 14: a session that ended in one loses its socket in the other', async () => {
      const ada = await world.talker()
      const socket = await ada.socket({ at: beside.url })
      await ada.ask('DELETE', `/v1/sessions/${ada.session_id}`)
      expect(await socket.closed).toEqual({ code: 4401, reason: 'session_revoked' })
    })

    test('a process that stops says so, acknowledges what it took and closes with 1001', async () => {
      const [ada, bob] = (await world.people(2)) as [Talker, Talker]
      const id = await ada.direct(bob)
      const leaving = await startProcess({ ...world.environment, ROLES: 'api' }, 'product')
      const socket = await ada.socket({ at: leaving.url })
      socket.put({ type: 'message.send', request_id: 'last', conversation_id: id, body: 'last' })
      const gone = leaving.kill('SIGTERM')
      await socket.next('server.draining')
      expect((await socket.closed).code).toBe(1001)
      expect((await gone).signal).toBeNull()
      const acks = socket.frames.filter(one => one.type === 'message.ack')
      expect((await bob.history(id)).data).toHaveLength(acks.length)
    })
  })
})
