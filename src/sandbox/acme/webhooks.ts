/**
 * Makes results public at their time, and says so by webhook: the id of the object, signed, again
 * until it is accepted. Both are records, so nothing is lost when the sandbox is killed.
 */
import { createHmac } from 'node:crypto'
import { newId } from '#dodeca/kernel'
import {
  seconds,
  type AcmeEvent,
  type Delivery,
  type Fault,
  type Payment,
  type Vended,
} from './records.ts'

const attempts_max = 8
const backoff_ms = 300
const answer_ms_max = 10_000

/** All results that are due, each with its webhook, in one change. */
export function publishResults({ store, setup, faults, config }: Vended): void {
  const now = setup.clock.nowMs()
  for (const { object, due_ms } of store.all('result')) {
    if (due_ms > now) continue
    store.change(change => {
      change.drop('result', object)
      const payment = change.get('payment', object)
      const refund = change.get('refund', object)
      if (payment?.next) {
        const next: Payment = { ...payment, ...payment.next, next: null }
        change.put('payment', object, next)
        const amount = next.status === 'captured' ? next.captured : next.amount
        change.put('effect', newId(), { kind: next.status, object, amount })
      }
      if (refund) {
        change.put('refund', object, { ...refund, status: 'succeeded' })
        change.put('effect', newId(), { kind: 'refunded', object, amount: refund.amount })
      }
      if (config().webhook_url === null) return
      const fault = faults.take({ at: 'webhook' })
      if (fault?.action === 'drop') return
      for (const event of eventsOf(object, seconds(setup), fault)) {
        const wait = fault?.action === 'late' ? (fault.ms ?? 500) : 0
        const id = newId()
        change.put('delivery', id, { id, event, due_ms: now + wait, attempts: 0 })
      }
    })
  }
}

function eventsOf(object: string, created: number, fault: Fault | undefined): AcmeEvent[] {
  const own = { id: `evt_${newId().replaceAll('-', '')}`, object, created }
  if (fault?.action === 'twice') return [own, own]
  return fault?.action === 'foreign' && fault.object ? [{ ...own, object: fault.object }] : [own]
}

/** Sends what is due. What is under way is not sent again. */
export function openSender({ store, setup, webhook_secret, config }: Vended) {
  const running = new Map<string, Promise<void>>()
  const send = async ({ id, event, due_ms, attempts }: Delivery): Promise<void> => {
    const { webhook_url } = config()
    const accepted = webhook_url !== null && (await post(webhook_url, event, webhook_secret))
    const wait = backoff_ms * 2 ** attempts
    store.change(change => {
      if (accepted || attempts === attempts_max) change.drop('delivery', id)
      else change.put('delivery', id, { id, event, due_ms: due_ms + wait, attempts: attempts + 1 })
    })
  }
  return {
    work: () => {
      for (const one of store.all('delivery')) {
        if (one.due_ms > setup.clock.nowMs() || running.has(one.id)) continue
        const sending = send(one).finally(() => running.delete(one.id))
        running.set(one.id, sending)
      }
    },
    close: async () => void (await Promise.allSettled(running.values())),
  }
}

async function post(url: string, event: AcmeEvent, secret: string): Promise<boolean> {
  const body = JSON.stringify(event)
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  try {
    const { ok, body: rest } = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'acme-signature': signature },
      body,
      signal: AbortSignal.timeout(answer_ms_max),
    })
    await rest?.cancel()
    return ok
  } catch {
    return false
  }
}
