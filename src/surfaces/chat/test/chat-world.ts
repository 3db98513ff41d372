/** The product with people who talk: conversations, messages over HTTP, and sockets that keep what they got. */
import { expect } from 'vitest'
import { WebSocket } from 'ws'
import type { Member, ProductWorld, Tenant } from '../../../../test/product-world.ts'
import { openUploadWorld } from '../../uploads/test/upload-world.ts'
import { call, eventually, newKey, type Answer } from '../../../../test/world.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
export type Json = any

export type Talker = Member & {
  ask(method: string, path: string, body?: unknown, more?: More): Promise<Answer>
  /** A group with these people. */
  group(others: readonly Member[], title?: string): Promise<string>
  direct(other: Member): Promise<string>
  send(conversation_id: string, body: string, more?: More): Promise<Answer>
  history(conversation_id: string, query?: string): Promise<Json>
  changes(conversation_id: string, after?: number): Promise<Json>
  socket(more?: SocketOptions): Promise<Client>
}

type More = {
  readonly key?: string
  readonly headers?: Record<string, string>
  readonly at?: string
}

export type SocketOptions = {
  /** Without our subprotocol. */
  readonly plain?: boolean
  /** Another process of the platform. */
  readonly at?: string
}

/** An open socket of the library `ws`. */
export type Client = {
  readonly ws: WebSocket
  /** All frames, oldest first. */
  readonly frames: Json[]
  readonly closed: Promise<{ code: number; reason: string }>
  put(frame: object | string): void
  /** The first frame of this type, that was not returned before, for which the condition holds. */
  next(type: string, fits?: (frame: Json) => boolean): Promise<Json>
  /** The frames of new messages of a conversation. */
  messages(conversation_id: string): Json[]
  close(): void
}

export type ChatWorld = Omit<ProductWorld, 'url'> & {
  readonly base_url: string
  talker(tenant?: Tenant): Promise<Talker>
  /** Several people of one tenant. */
  people(many: number): Promise<Talker[]>
} & Pick<Awaited<ReturnType<typeof openUploadWorld>>, 'send' | 'complete' | 'settled' | 'url'>

export async function openChatWorld(settings?: Record<string, string>): Promise<ChatWorld> {
  const world = await openUploadWorld(settings)
  const talker = async (tenant?: Tenant) => talkerOf(world.base_url, await world.member(tenant))
  return {
    ...world,
    talker,
    people: async many => {
      const tenant = await world.tenant()
      return await Promise.all(Array.from({ length: many }, () => talker(tenant)))
    },
  }
}

export function talkerOf(base_url: string, member: Member): Talker {
  const { token } = member
  const ask: Talker['ask'] = (method, path, body, { key, headers = {}, at = base_url } = {}) =>
    call(at, method, path, {
      token,
      headers,
      ...(key ? { key } : {}),
      ...(body === undefined ? {} : { body }),
    })
  const created = async (body: object) => {
    const made = await ask('POST', '/v1/conversations', body)
    expect([200, 201], made.text).toContain(made.status)
    return made.body.id as string
  }
  return {
    ...member,
    ask,
    group: (others, title = 'A group') =>
      created({ type: 'group', title, member_ids: others.map(one => one.id) }),
    direct: other => created({ type: 'direct', member_ids: [other.id] }),
    send: (id, body, more = {}) =>
      ask('POST', `/v1/conversations/${id}/messages`, { body }, { key: newKey(), ...more }),
    history: async (id, query = '') => {
      const answer = await ask('GET', `/v1/conversations/${id}/messages${query}`)
      expect(answer.status, answer.text).toBe(200)
      return answer.body
    },
    changes: async (id, after = 0) => {
      const answer = await ask('GET', `/v1/conversations/${id}/changes?after=${after}`)
      expect(answer.status, answer.text).toBe(200)
      return answer.body
    },
    socket: async ({ plain = false, at = base_url } = {}) => {
      const given = await ask('GET', '/v1/realtime-token', undefined, { at })
      expect(given.status, given.text).toBe(200)
      const client = await connect(at, given.body.token, plain ? [] : ['realtime.v1'])
      if (!plain) await client.next('hello')
      return client
    },
  }
}

export async function connect(
  at: string,
  token: string,
  protocols: readonly string[],
): Promise<Client> {
  const url = `${at.replace(/^http/, 'ws')}/v1/realtime`
  const ws =
    protocols.length === 0
      ? new WebSocket(`${url}?token=${token}`)
      : new WebSocket(url, [...protocols, `token.${token}`])
  const client = clientOf(ws)
  await new Promise((resolve, reject) => {
    ws.once('open', resolve)
    ws.once('error', reject)
  })
  return client
}

function clientOf(ws: WebSocket): Client {
  const frames: Json[] = []
  const taken = new Set<Json>()
  ws.on('message', data => frames.push(JSON.parse((data as Buffer).toString())))
  const closed = new Promise<{ code: number; reason: string }>(resolve => {
    ws.once('close', (code, reason) => resolve({ code, reason: reason.toString() }))
  })
  return {
    ws,
    frames,
    closed,
    put: frame => ws.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    next: (type, fits = () => true) =>
      eventually(`a frame ${type}, of ${JSON.stringify(frames).slice(-1500)}`, () => {
        const found = frames.find(one => one.type === type && !taken.has(one) && fits(one))
        if (found) taken.add(found)
        return found
      }),
    messages: id =>
      frames.filter(one => one.type === 'message.created' && one.conversation_id === id),
    close: () => ws.close(),
  }
}

/** The numbers 1 to n. */
export const upTo = (n: number) => Array.from({ length: n }, (_, at) => at + 1)
