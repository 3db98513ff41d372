/**
 * The product as users start it, with its API and its worker in separate processes, and people who
 * chat.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench } from '../ground/comparison.ts'
import { productionEnvironment } from '../ground/platform.ts'
import { makePeople, type Somebody } from '../ground/product.ts'
import { startProgram, type Program } from '../ground/program.ts'

/** Each person has many sockets. For the server the result is the same. */
const people_count = 10

export type Person = Somebody & { readonly id: string }

export type Ground = {
  readonly database_url: string
  readonly api: Program
  readonly people: readonly Person[]
  ask(who: Person, method: string, path: string, body?: object): Promise<Record<string, unknown>>
  /** A conversation of all people. */
  group(): Promise<string>
  close(): Promise<void>
}

export async function openGround({ database, options }: Bench): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-bench-chat-'))
  const database_url = await database.create('chat')
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
  if (!first) throw new Error('nobody to talk')
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
    close: async () => {
      for (const { wire } of people) wire.close()
      await Promise.all([api.stop(), worker.stop()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}
