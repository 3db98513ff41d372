/**
 * Sends webhooks as Stripe does: signed over time and bytes, with a new time for each attempt, again after
 * anything but a 2xx. Deliveries are records, so what was not delivered before a SIGKILL is sent after it.
 */
import { createHmac } from 'node:crypto'
import { request } from 'undici'
import type { Clock } from '../../kernel/clock.ts'
import type { Faults, FaultRule } from './faults.ts'
import type { Config, Delivery, StripeEvent } from './objects.ts'
import { stripeId, type Change, type Store } from './store.ts'

export type Deliveries = {
  /** In the change that made the event. */
  add(change: Change, event: StripeEvent): void
  /** After the change: sends what is due. */
  wake(): void
  /** Sends the deliveries of these events and waits for the outcome. */
  sendNow(events: readonly StripeEvent[]): Promise<void>
  flush(): Promise<number>
  close(): Promise<void>
}

type DeliveriesOptions = {
  readonly store: Store
  readonly clock: Clock
  readonly faults: Faults
  config(): Config
}

const in_flight_max = 16
const answer_ms_max = 10_000
const poll_ms = 200

export function openDeliveries({ store, clock, faults, config }: DeliveriesOptions): Deliveries {
  // The clock of signatures is the real one: only this vendor's business time can be moved.
  const realMs = () => clock.nowMs() - clock.offsetSeconds() * 1000
  const running = new Map<string, Promise<void>>()
  const held: Delivery[] = []
  const open = new Set(
    store.all('delivery').flatMap(one => (one.state === 'pending' ? [one.id] : [])),
  )
  let closed = false

  const keep = (delivery: Delivery) => {
    store.change(change => change.put('delivery', delivery.id, delivery))
    if (delivery.state !== 'pending') open.delete(delivery.id)
  }

  const post = async (event: StripeEvent, fault: FaultRule | undefined): Promise<number | null> => {
    const { webhook_url, secrets } = config()
    if (!webhook_url) return null
    const body = JSON.stringify(event)
    const shift =
      fault?.action === 'old_timestamp' ? -400 : fault?.action === 'future_timestamp' ? 400 : 0
    const t = Math.floor(realMs() / 1000) + shift
    const keys = fault?.action === 'bad_signature' ? ['whsec_wrong'] : secrets
    try {
      const answer = await request(webhook_url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'stripe-signature': signatureOf(t, body, keys),
        },
        body,
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

  const attempt = async (delivery: Delivery): Promise<void> => {
    const event = store.get('event', delivery.event_id)
    if (!event) return void open.delete(delivery.id)
    const fault = delivery.attempts === 0 ? faults.forWebhook(event.type) : undefined
    if (fault?.action === 'drop') return keep({ ...delivery, state: 'dropped' })
    if (fault?.action === 'delay') {
      return keep({ ...delivery, attempts: 1, due_ms: realMs() + (fault.ms ?? 500) })
    }
    if (fault?.action === 'reorder') return void held.push(delivery)
    const copies =
      fault?.action === 'concurrent' || fault?.action === 'duplicate' ? (fault.n ?? 5) : 1
    let status: number | null
    if (fault?.action === 'duplicate') {
      for (let sent = 1; sent < copies; sent++) await post(event, fault)
      status = await post(event, fault)
    } else {
      const all = await Promise.all(Array.from({ length: copies }, () => post(event, fault)))
      status = all[0] ?? null
    }
    if (closed) return
    const attempts = delivery.attempts + 1
    const done = status !== null && status >= 200 && status < 300
    const { backoff_ms } = config()
    const wait = backoff_ms[Math.min(attempts, backoff_ms.length) - 1] ?? 1000
    const state = done ? 'delivered' : attempts > backoff_ms.length ? 'dropped' : 'pending'
    keep({ ...delivery, attempts, last_status: status, state, due_ms: realMs() + wait })
    // What was held back for the sake of disorder follows what came after it.
    for (const late of held.splice(0))
      if (late.id !== delivery.id) await attempt({ ...late, attempts: 1 })
  }

  const send = (delivery: Delivery): Promise<void> => {
    const known = running.get(delivery.id)
    if (known) return known
    const sending = attempt(delivery).finally(() => running.delete(delivery.id))
    running.set(delivery.id, sending)
    return sending
  }
  const pending = () => {
    const waiting = new Set(held.map(one => one.id))
    return [...open].flatMap(id => {
      const one = waiting.has(id) ? undefined : store.get('delivery', id)
      return one ? [one] : []
    })
  }
  const wake = () => {
    if (closed || !config().webhook_url) return
    for (const one of pending()) {
      if (running.size >= in_flight_max) return
      if (one.due_ms <= realMs() && !running.has(one.id)) void send(one).then(wake)
    }
  }
  const timer = setInterval(wake, poll_ms)
  timer.unref()

  return {
    add: (change, event) => {
      if (!config().webhook_url) return
      const id = stripeId('whd')
      open.add(id)
      change.put('delivery', id, {
        id,
        event_id: event.id,
        state: 'pending',
        attempts: 0,
        due_ms: realMs(),
        last_status: null,
      })
    },
    wake: () => setImmediate(wake),
    sendNow: async events => {
      const ids = new Set(events.map(one => one.id))
      await Promise.all(
        pending()
          .filter(one => ids.has(one.event_id))
          .map(send),
      )
    },
    flush: async () => {
      const due = [...pending(), ...held.splice(0)]
      await Promise.all(due.map(send))
      return due.length
    },
    close: async () => {
      closed = true
      clearInterval(timer)
      await Promise.allSettled(running.values())
    },
  }
}

/** One `v1` for each live secret, and a `v0` that no verifier may believe. */
function signatureOf(t: number, body: string, secrets: readonly string[]): string {
  const mac = (secret: string) => createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')
  return [`t=${t}`, ...secrets.map(secret => `v1=${mac(secret)}`), `v0=${mac('v0')}`].join(',')
}
