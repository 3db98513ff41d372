/**
 * The product as users start it, with its API and its worker in separate processes, and people who
 * chat.
 */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import type { Bench } from '../ground/comparison.ts'
import { analyzeFilled, ask as query } from '../ground/database.ts'
import { productionEnvironment } from '../ground/platform.ts'
import { makePeople, type LoggedIn } from '../ground/product.ts'
import { startProgram, type Program } from '../ground/program.ts'

/** Each person has many sockets. For the server the result is the same. */
const people_count = 10

export type Person = LoggedIn & { readonly id: string }

export type Ground = {
  readonly database_url: string
  readonly api: Program
  readonly people: readonly Person[]
  ask(who: Person, method: string, path: string, body?: object): Promise<Record<string, unknown>>
  /** A conversation of all people. */
  group(): Promise<string>
  /**
   * Does what autovacuum does within a minute. The first statements of a new database were planned for empty
   * tables: an append searched all messages of its conversation.
   */
  analyze(): Promise<void>
  /** Ends when the worker has handled all events, so that one contender does not slow down the next. */
  settled(): Promise<void>
  close(): Promise<void>
}

let opened = 0

export async function openGround({ database, options }: Bench): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-bench-chat-'))
  const database_url = await database.create(`chat_${++opened}`)
  const environment = {
    ...productionEnvironment(database_url),
    DATA_DIR: folder,
    PUBLIC_URL: 'http://dodeca.test',
    KERNEL_SANDBOX: 'false',
    KERNEL_OVERLOAD_DELAY_MS: '60000',
    IDENTITY_REQUIRE_VERIFIED_EMAIL: 'false',
    IDENTITY_HASH_QUEUE: '1000',
    IDENTITY_HASH_WAIT_MS: '30000',
    CHAT_SOCKETS_PER_USER: '10000',
    CHAT_PUSH_DELAY_MS: '600000',
  }
  const { profile } = options
  const api = await startProgram({ ...environment, ROLES: 'api' }, { side: 'server', profile })
  const worker = await startProgram({ ...environment, ROLES: 'worker' })
  const ask: Ground['ask'] = async (who, method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${api.port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${who.access_token}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
    return JSON.parse(text) as Record<string, unknown>
  }
  const people: Person[] = []
  for (const one of await makePeople(api.port, people_count)) {
    const claims = Buffer.from(one.access_token.split('.')[1] ?? '', 'base64url').toString()
    const { sub } = JSON.parse(claims) as { sub: string }
    people.push(Object.assign(one, { id: sub }))
  }
  const [first, ...others] = people
  if (!first) throw new Error('two people are needed')
  return {
    database_url,
    api,
    people,
    ask,
    group: async () => {
      const member_ids = others.map(one => one.id)
      const made = await ask(first, 'POST', '/v1/conversations', { type: 'group', member_ids })
      return String(made['id'])
    },
    analyze: () => analyzeFilled(database_url),
    settled: () => untilSettled(database_url),
    close: async () => {
      for (const { wire } of people) wire.close()
      await Promise.all([api.stop(), worker.stop()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function untilSettled(url: string): Promise<void> {
  for (let looks = 0; looks < 1200; looks++) {
    const [row] = await query(url, 'select exists (select from kernel.outbox_events) as busy')
    if (row?.['busy'] === false) return
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  throw new Error('the worker did not catch up')
}

/** An address for each of so many sockets, of one person after the other. A token opens one socket. */
export async function socketUrls(ground: Ground, count: number): Promise<string[]> {
  return await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const who = ground.people[at % ground.people.length]
      if (!who) throw new Error('there are no people')
      const { token } = await ground.ask(who, 'GET', '/v1/realtime-token')
      return `ws://127.0.0.1:${ground.api.port}/v1/realtime?token=${String(token)}`
    }),
  )
}

/** The first socket is that of the first person, and so on. */
export async function openSockets(ground: Ground, count: number): Promise<WebSocket[]> {
  const urls = await socketUrls(ground, count)
  return await Promise.all(
    urls.map(async url => {
      const socket = new WebSocket(url, 'realtime.v1', { perMessageDeflate: false })
      await once(socket, 'message')
      return socket
    }),
  )
}
