/**
 * Webhooks about background responses, signed by Standard Webhooks. They are sent again after any
 * reply except a 2xx. They are records, so webhooks that were not delivered before a SIGKILL are
 * sent after it.
 */
import { Buffer } from 'node:buffer'
import { setTimeout as pause } from 'node:timers/promises'
import { request } from 'undici'
import { signStandard, type Clock } from '#dodeca/kernel'
import type { RecordChange } from '../record-store.ts'
import type { Config, Delivery, Store, Tables } from './store.ts'
import { idOf } from '../model/vendor-id.ts'

export type Sending = {
  readonly id: string
  readonly type: string
  readonly response_id: string
  readonly created_at: number
  /** Changes the body after it was signed. */
  readonly tamper?: boolean
  readonly old_timestamp?: boolean
}

export type Deliveries = {
  /** Call it in the change that ended the response. */
  add(change: RecordChange<Tables>, response_id: string, type: string): void
  /** Call it after the change. */
  wake(): void
  /**
   * Sends one webhook now, apart from the queue. Returns the status, or null if there was no reply.
   */
  send(sending: Sending): Promise<number | null>
  /** Sends the waiting webhooks about a response, and returns after the attempt. */
  flush(response_id: string): Promise<void>
  close(): Promise<void>
}

const poll_ms = 100
const answer_ms_max = 10_000
const old_seconds = 600

type Options = {
  readonly store: Store
  readonly clock: Clock
  readonly secret: Buffer
  config(): Config
}

export function openDeliveries({ store, clock, secret, config }: Options): Deliveries {
  const running = new Map<string, Promise<void>>()
  const open = new Set(
    store.all('delivery').flatMap(one => (one.state === 'pending' ? one.id : [])),
  )
  let closed = false
  const send: Deliveries['send'] = sending =>
    post({ url: config().webhook_url, secret, now_seconds: clock.nowSeconds() }, sending)
  const attempt = async (one: Delivery): Promise<void> => {
    const next = after(one, await send(one))
    if (closed) return
    if (next.state !== 'pending') open.delete(one.id)
    store.change(change => change.put('delivery', one.id, next))
  }
  const after = (one: Delivery, last_status: number | null): Delivery => {
    const { backoff_ms } = config()
    const attempts = one.attempts + 1
    const wait = backoff_ms[attempts - 1]
    const ok = last_status !== null && last_status >= 200 && last_status < 300
    const failed = wait === undefined ? 'dropped' : 'pending'
    const state = ok ? 'delivered' : failed
    return { ...one, attempts, last_status, state, due_ms: clock.nowMs() + (wait ?? 0) }
  }
  const sendOnce = (one: Delivery): Promise<void> => {
    const known = running.get(one.id)
    if (known) return known
    const sending = attempt(one).finally(() => running.delete(one.id))
    running.set(one.id, sending)
    return sending
  }
  const pending = () => [...open].flatMap(id => store.get('delivery', id) ?? [])
  const work = (): void => {
    if (closed || !config().webhook_url) return
    for (const one of pending()) if (one.due_ms <= clock.nowMs()) void sendOnce(one)
  }
  const timer = setInterval(work, poll_ms)
  return {
    send,
    wake: () => void setImmediate(work),
    flush: async response_id => {
      const mine = pending().filter(one => one.response_id === response_id)
      await Promise.all(mine.map(sendOnce))
    },
    add: (change, response_id, type) => {
      const id = idOf('wh')
      open.add(id)
      const created_at = clock.nowSeconds()
      const due_ms = clock.nowMs()
      const base = { attempts: 0, state: 'pending' as const, last_status: null }
      change.put('delivery', id, { id, type, response_id, created_at, due_ms, ...base })
    },
    close: async () => {
      closed = true
      clearInterval(timer)
      await Promise.race([Promise.allSettled(running.values()), pause(1000)])
    },
  }
}

type Sender = { readonly url: string | null; readonly secret: Buffer; readonly now_seconds: number }

async function post(
  { url, secret, now_seconds }: Sender,
  sending: Sending,
): Promise<number | null> {
  if (!url) return null
  const { id, type, response_id, created_at, tamper, old_timestamp } = sending
  const event = { id: id.replace('wh', 'evt'), object: 'event', created_at, type }
  const body = JSON.stringify({ ...event, data: { id: response_id } })
  const timestamp_seconds = now_seconds - (old_timestamp ? old_seconds : 0)
  const signed = signStandard({ id, timestamp_seconds, body: Buffer.from(body), secrets: [secret] })
  try {
    const answer = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'OpenAI/1.0', ...signed },
      body: tamper ? body.replace(response_id, `${response_id}0`) : body,
      reset: true,
      headersTimeout: answer_ms_max,
      bodyTimeout: answer_ms_max,
    })
    await answer.body.dump()
    return answer.statusCode
  } catch {
    return null
  }
}
