/**
 * Delivers webhooks as Stripe does: it sends them again after any reply except a 2xx, and in no
 * guaranteed order. Deliveries are records, so webhooks that were not delivered before a SIGKILL
 * are sent after it.
 */
import type { Clock } from '#dodeca/kernel'
import type { Faults, FaultRule } from './faults.ts'
import type { Config, Delivery, StripeEvent } from './objects.ts'
import { postEvent } from './post-event.ts'
import type { Change, Store } from './store.ts'
import { stripeId } from './stripe-id.ts'

type DeliveriesOptions = {
  readonly store: Store
  readonly clock: Clock
  readonly faults: Faults
  config(): Config
}

const in_flight_max = 16
const poll_ms = 200
const copies_default = 5

export class Deliveries {
  private readonly options: DeliveriesOptions
  private readonly running = new Map<string, Promise<void>>()
  private readonly open: Set<string>
  /** Held back to change the order, until another webhook overtakes it. */
  private readonly held: Delivery[] = []
  private closed = false
  private readonly timer: NodeJS.Timeout

  constructor(options: DeliveriesOptions) {
    this.options = options
    const known = options.store.all('delivery')
    this.open = new Set(known.flatMap(one => (one.state === 'pending' ? [one.id] : [])))
    this.timer = setInterval(() => this.work(), poll_ms)
    this.timer.unref()
  }

  /** Call it in the change that made the event. */
  add(change: Change, event: StripeEvent): void {
    if (!this.options.config().webhook_url) return
    const id = stripeId('whd')
    this.open.add(id)
    change.put('delivery', id, {
      id,
      event_id: event.id,
      state: 'pending',
      attempts: 0,
      due_ms: this.realMs(),
      last_status: null,
    })
  }

  /** Call it after the change. It sends what is due. */
  wake(): void {
    setImmediate(() => this.work())
  }

  /** Sends the deliveries of these events and waits for the outcome. */
  async sendNow(events: readonly StripeEvent[]): Promise<void> {
    const ids = new Set(events.map(one => one.id))
    const due = this.pending().filter(one => ids.has(one.event_id))
    await Promise.all(due.map(one => this.send(one)))
  }

  async flush(): Promise<number> {
    const due = [...this.pending(), ...this.held.splice(0)]
    await Promise.all(due.map(one => this.send(one)))
    return due.length
  }

  async close(): Promise<void> {
    this.closed = true
    clearInterval(this.timer)
    await Promise.allSettled(this.running.values())
  }

  /** Deliveries use the real clock. Only this vendor's business time can be moved. */
  private realMs(): number {
    const { clock } = this.options
    return clock.nowMs() - clock.offsetSeconds() * 1000
  }

  private pending(): Delivery[] {
    const waiting = new Set(this.held.map(one => one.id))
    return [...this.open].flatMap(id => {
      const one = waiting.has(id) ? undefined : this.options.store.get('delivery', id)
      return one ? [one] : []
    })
  }

  private work(): void {
    if (this.closed || !this.options.config().webhook_url) return
    for (const one of this.pending()) {
      if (this.running.size >= in_flight_max) return
      const due = one.due_ms <= this.realMs() && !this.running.has(one.id)
      if (due) void this.send(one).then(() => this.work())
    }
  }

  private send(delivery: Delivery): Promise<void> {
    const known = this.running.get(delivery.id)
    if (known) return known
    const sending = this.attempt(delivery).finally(() => this.running.delete(delivery.id))
    this.running.set(delivery.id, sending)
    return sending
  }

  private async attempt(delivery: Delivery): Promise<void> {
    const { store, faults } = this.options
    const event = store.get('event', delivery.event_id)
    if (!event) return void this.open.delete(delivery.id)
    const fault = delivery.attempts === 0 ? faults.forWebhook(event.type) : undefined
    if (fault?.action === 'drop') return this.keep({ ...delivery, state: 'dropped' })
    if (fault?.action === 'reorder') return void this.held.push(delivery)
    if (fault?.action === 'delay') {
      return this.keep({ ...delivery, attempts: 1, due_ms: this.realMs() + (fault.ms ?? 500) })
    }
    const status = await this.post(event, fault)
    if (this.closed) return
    this.keep(this.after(delivery, status))
    for (const late of this.held.splice(0)) await this.attempt({ ...late, attempts: 1 })
  }

  /** Sends the webhook once, several times in a row, or several times in parallel. */
  private async post(event: StripeEvent, fault: FaultRule | undefined): Promise<number | null> {
    const { config } = this.options
    const copies = fault?.n ?? copies_default
    const once = () => postEvent(config(), event, fault, this.realMs())
    if (fault?.action === 'concurrent') {
      const [first = null] = await Promise.all(Array.from({ length: copies }, once))
      return first
    }
    if (fault?.action === 'duplicate') for (let sent = 1; sent < copies; sent++) await once()
    return await once()
  }

  private after(delivery: Delivery, last_status: number | null): Delivery {
    const { backoff_ms } = this.options.config()
    const attempts = delivery.attempts + 1
    const wait = backoff_ms[Math.min(attempts, backoff_ms.length) - 1] ?? 1000
    const next = { ...delivery, attempts, last_status, due_ms: this.realMs() + wait }
    if (last_status !== null && last_status >= 200 && last_status < 300) {
      return { ...next, state: 'delivered' }
    }
    return { ...next, state: attempts > backoff_ms.length ? 'dropped' : 'pending' }
  }

  private keep(delivery: Delivery): void {
    this.options.store.change(change => change.put('delivery', delivery.id, delivery))
    if (delivery.state !== 'pending') this.open.delete(delivery.id)
  }
}
