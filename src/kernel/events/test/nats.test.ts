/** The sink against a real NATS server: order per lane, and no event twice after a crash. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { sql } from '../../database/sql.ts'
import { newId } from '../../ids.ts'
import { openLog } from '../../observability/log.ts'
import { openNatsSink } from '../sinks/nats.ts'
import { changed, count, emit, eventually, openWorld, tenant_id } from './process.ts'

const binary = ['/usr/sbin/nats-server', '/usr/bin/nats-server'].find(path => existsSync(path))
const log = openLog({ level: 'silent', readable: false })

// Skipped where nats-server is not installed: the sink is only tested against a real one.
describe.skipIf(binary === undefined)('the NATS sink', () => {
  let server: ChildProcess | undefined
  let folder: string
  let port: number
  let ground: Clone
  const url = () => `nats://127.0.0.1:${port}`

  const startServer = async () => {
    const args = ['-js', '-a', '127.0.0.1', '-p', String(port), '-sd', folder]
    server = spawn(binary ?? '', args, { stdio: ['ignore', 'ignore', 'pipe'] })
    await eventually(async () => {
      try {
        await (await connect({ servers: url(), reconnect: false })).close()
        return true
      } catch {
        return false
      }
    })
  }
  const stopServer = async () => {
    if (!server) return
    const gone = once(server, 'exit')
    server.kill('SIGKILL')
    await gone
    server = undefined
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'nats-'))
    const probe = createServer().listen(0, '127.0.0.1')
    await once(probe, 'listening')
    port = (probe.address() as { port: number }).port
    probe.close()
    await startServer()
  })
  afterAll(async () => {
    await stopServer()
    rmSync(folder, { recursive: true })
  })
  beforeEach(async () => {
    ground = await cloneDatabase()
  })
  afterEach(() => ground.drop())

  async function stored(stream: string) {
    const connection = await connect({ servers: url() })
    try {
      const { state } = await (await jetstreamManager(connection)).streams.info(stream)
      const consumer = await jetstream(connection).consumers.get(stream)
      const found: { subject: string; id: string; body: Record<string, unknown> }[] = []
      if (state.messages === 0) return found
      for await (const message of await consumer.fetch({ max_messages: state.messages })) {
        const id = message.headers?.get('Nats-Msg-Id') ?? ''
        found.push({ subject: message.subject, id, body: message.json() })
      }
      return found
    } finally {
      await connection.close()
    }
  }

  async function removeStream(stream: string) {
    const connection = await connect({ servers: url() })
    await (await jetstreamManager(connection)).streams.delete(stream)
    await connection.close()
  }

  test('publishes the outside envelope, in order, and waits while NATS is away', async () => {
    const sink = openNatsSink({ servers: { urls: [url()] }, log, stream: 'ORDER' })
    const world = openWorld({ url: ground.url, sinks: [sink.listener] })
    await world.events.start()
    const things = Array.from({ length: 10 }, newId)
    for (let n = 1; n <= 5; n++) await emit(world.db, ...things.map(id => changed(id, n)))
    await eventually(async () => (await stored('ORDER').catch(() => [])).length === 50)
    await stopServer()
    await emit(world.db, ...things.map(id => changed(id, 6)))
    await eventually(async () => (await count(world.db, sql`from kernel.events`)) === 60)
    await startServer()
    await eventually(async () => (await stored('ORDER').catch(() => [])).length === 60)
    const messages = await stored('ORDER')
    for (const id of things) {
      const mine = messages.filter(one => one.body['aggregate_id'] === id)
      expect(mine.map(one => one.body['aggregate_version'])).toEqual([1, 2, 3, 4, 5, 6])
    }
    const [first] = messages
    expect(first?.subject).toMatch(/^evt\.\d{1,2}\.thing\.changed$/)
    expect(first?.id).toBe(first?.body['id'])
    expect(Object.keys(first?.body ?? {}).sort()).toEqual(
      [
        'id',
        'tenant_id',
        'type',
        'schema_version',
        'aggregate_id',
        'aggregate_version',
        'payload_ref',
        'occurred_at',
        'created_at',
      ].sort(),
    )
    expect(first?.body).toMatchObject({
      tenant_id,
      schema_version: 1,
      payload_ref: `/v1/webhook-events/${first?.id}`,
    })
    expect(await count(world.db, sql`from kernel.event_parks`)).toBe(0)
    await world.stop()
    await sink.stop()
    await removeStream('ORDER')
  })

  test('what was published before a crash is published again and falls to the window', async () => {
    const sink = openNatsSink({ servers: { urls: [url()] }, log, stream: 'TWICE' })
    let published = 0
    const dying = {
      ...sink.listener,
      publish: async (event: Parameters<NonNullable<typeof sink.listener.publish>>[0]) => {
        await sink.listener.publish?.(event)
        // The process is gone after the ack of the third event, before its cursor moved.
        if (++published === 3) await new Promise(() => {})
      },
    }
    const before = openWorld({ url: ground.url, sinks: [dying as typeof sink.listener] })
    await before.events.start()
    const id = newId()
    await emit(before.db, ...[1, 2, 3, 4, 5].map(n => changed(id, n)))
    await eventually(() => published === 3)
    const sink_again = openNatsSink({ servers: { urls: [url()] }, log, stream: 'TWICE' })
    await before.db.run(
      sql`update kernel.event_consumers set lease_token = null, leased_until = null`,
    )
    const after = openWorld({ url: ground.url, sinks: [sink_again.listener] })
    await after.events.start()
    await eventually(async () => (await stored('TWICE')).length === 5)
    const messages = await stored('TWICE')
    expect(messages.map(one => one.body['aggregate_version'])).toEqual([1, 2, 3, 4, 5])
    await after.stop()
    await sink.stop()
    await sink_again.stop()
    await removeStream('TWICE')
  })
})
