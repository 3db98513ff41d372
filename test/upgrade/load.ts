/**
 * Clients that write to several surfaces without a pause, and read back what they wrote. They know
 * the address of every process that runs, and treat a process that refuses or breaks off as a proxy
 * and a client would: the same request goes to another one. What fails nevertheless is counted.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '#dodeca/kernel'
import { call, newKey, type Answer, type Ask } from '../world.ts'

export type Target = { readonly name: string; readonly url: string }

/** A write that was acknowledged: where it is read, and what the reader must find. */
type Written = { readonly path: string; readonly member: string; readonly value: unknown }

export type Account = { readonly email: string; readonly password: string }
export type Scene = {
  /** The session of all requests. */
  readonly token: string
  readonly account: Account
  /** Logs in all the time: an account has a limited number of sessions. */
  readonly other: Account
  readonly template: string
  readonly conversation_id: string
}

const tries_max = 50
const pause_ms = 20

export class Load {
  readonly failed: string[] = []
  retried = 0
  readonly written: Written[] = []
  /** Requests that each process has answered. */
  readonly answered = new Map<string, number>()
  readonly #targets: () => readonly Target[]
  readonly #scene: Scene
  #stopping = false
  #turn = 0
  #clients: Promise<unknown>[] = []

  constructor(targets: () => readonly Target[], scene: Scene) {
    this.#targets = targets
    this.#scene = scene
  }

  start(): void {
    const flows = Object.entries(flowsOf(this.#scene))
    this.#clients = flows.map(async ([name, flow]) => {
      while (!this.#stopping) {
        const written = await flow((method, path, ask) => this.send(method, path, ask)).catch(
          (error: unknown) => void this.failed.push(`${name}: ${String(error)}`),
        )
        if (!written) continue
        await this.check(written)
        this.written.push(written)
      }
    })
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all(this.#clients)
  }

  /** Reads a write again; what is missing or different counts as failed. */
  async check({ path, member, value }: Written): Promise<void> {
    const answer = await this.send('GET', path).catch((error: unknown) => String(error))
    const found = typeof answer === 'string' ? answer : answer.body[member]
    if (found !== value) this.failed.push(`${path}: ${member} is ${String(found)}`)
  }

  async send(method: string, path: string, ask: Ask = {}): Promise<Answer> {
    const { token } = this.#scene
    let last = 'no process runs'
    for (let attempt = 0; attempt < tries_max; attempt++) {
      const targets = this.#targets()
      const target = targets[this.#turn++ % targets.length]
      const answer =
        target && (await call(target.url, method, path, { token, ...ask }).catch(String))
      if (target && typeof answer === 'object' && !mayRetry(answer)) {
        this.answered.set(target.name, (this.answered.get(target.name) ?? 0) + 1)
        if (answer.status < 300) return answer
        throw new Error(`${method} ${path} at ${target.name}: ${answer.status} ${answer.text}`)
      }
      last = typeof answer === 'object' ? `${answer.status} ${answer.text}` : String(answer)
      this.retried++
      await pause(pause_ms)
    }
    throw new Error(`${method} ${path}: ${tries_max} times ${last}`)
  }
}

function mayRetry({ status, body }: Answer): boolean {
  return status === 503 || (status === 409 && body?.code === 'idempotency_in_progress')
}

type Send = (method: string, path: string, ask?: Ask) => Promise<Answer>

/** One write and how it is read again, for each surface that needs no provider. */
function flowsOf({ account, other, template, conversation_id }: Scene) {
  const post = async (send: Send, path: string, body: object) =>
    (await send('POST', path, { key: newKey(), body })).body
  return {
    identity: async (send: Send): Promise<Written> => {
      const { body } = await send('POST', '/v1/sessions', { body: other })
      const me = await send('GET', '/v1/sessions/current', { token: body.access_token })
      if (me.body.session_id !== body.session_id) throw new Error(`another session: ${me.text}`)
      return { path: '/v1/me', member: 'email', value: account.email }
    },
    links: async (send: Send): Promise<Written> => {
      const destination_url = `https://www.example.com/${newId()}`
      const { code } = await post(send, '/v1/links', { destination_url })
      return { path: `/v1/links/${code}`, member: 'destination_url', value: destination_url }
    },
    jobs: async (send: Send): Promise<Written> => {
      const { id } = await post(send, '/v1/jobs', { type: 'demo.count', parameters: { to: 1 } })
      return { path: `/v1/jobs/${id}`, member: 'id', value: id }
    },
    social: async (send: Send): Promise<Written> => {
      const body = `post ${newId()}`
      const { id } = await post(send, '/v1/posts', { body, visibility: 'public' })
      return { path: `/v1/posts/${id}`, member: 'body', value: body }
    },
    chat: async (send: Send): Promise<Written> => {
      const path = `/v1/conversations/${conversation_id}`
      await post(send, `${path}/messages`, { body: `message ${newId()}` })
      return { path, member: 'id', value: conversation_id }
    },
    commerce: async (send: Send): Promise<Written> => {
      const { id } = await post(send, '/v1/carts', { currency: 'EUR' })
      return { path: `/v1/carts/${id}`, member: 'id', value: id }
    },
    notifications: async (send: Send): Promise<Written> => {
      const me = await send('GET', '/v1/me')
      const recipient = { user_id: me.body.id }
      const body = { recipient, category: 'order.updates', template: { name: template } }
      const { id } = await post(send, '/v1/notifications', {
        ...body,
        data: { order: 'A-17' },
        channels: ['in_app'],
      })
      return { path: `/v1/notifications/${id}`, member: 'id', value: id }
    },
    uploads: async (send: Send): Promise<Written> => {
      const order = { expected_size: 3, media_category: 'any', purpose: 'generic' }
      const { id } = await post(send, '/v1/uploads', order)
      return { path: `/v1/uploads/${id}`, member: 'id', value: id }
    },
  }
}
