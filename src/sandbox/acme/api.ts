/**
 * Acme's API: JSON, a bearer key, an `Idempotency-Key` for each write. A write is accepted with 202
 * and never says its result: that becomes public later, and a webhook says so. A write that repeats a
 * key gets the object as it is now.
 */
import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { newId } from '#dodeca/kernel'
import { seconds, type Payment, type Refund, type Vended } from './records.ts'

type Body = Readonly<Record<string, unknown>>
type Reply = { readonly status: number; readonly body: unknown }
type Asked = { readonly path: readonly string[]; readonly body: Body; readonly key: string }

export async function serveApi(
  vended: Vended,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname.split('/').slice(1)
  const reply = await replyTo(vended, request, path)
  const fault = vended.faults.take({ at: path.at(-1) ?? '' })
  // The caller waits until it gives up.
  if (fault?.action === 'hang') return
  const body =
    fault?.action === 'foreign' ? { ...(reply.body as object), id: fault.object } : reply.body
  response.writeHead(reply.status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

async function replyTo(
  vended: Vended,
  request: IncomingMessage,
  path: readonly string[],
): Promise<Reply> {
  if (!isKnown(request.headers.authorization ?? '', `Bearer ${vended.key}`)) {
    return refusal(401, 'unauthorized')
  }
  if (request.method === 'GET') return read(vended, path)
  const key = request.headers['idempotency-key']
  if (request.method !== 'POST' || typeof key !== 'string') return refusal(400, 'key_missing')
  let text = ''
  for await (const part of request as AsyncIterable<Buffer>) text += part.toString()
  try {
    return write(vended, { path, body: JSON.parse(text || '{}') as Body, key })
  } catch {
    return refusal(400, 'malformed')
  }
}

function isKnown(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}

const refusal = (status: number, code: string): Reply => ({ status, body: { code } })

function read({ store }: Vended, [kind, id = '', part]: readonly string[]): Reply {
  if (part === 'refunds') {
    return { status: 200, body: store.all('refund').filter(one => one.payment === id) }
  }
  const found = kind === 'refunds' ? store.get('refund', id) : shown(store.get('payment', id))
  return found ? { status: 200, body: found } : refusal(404, 'not_found')
}

/** Without what is not public yet. */
function shown(payment: Payment | undefined): Omit<Payment, 'next'> | undefined {
  if (!payment) return undefined
  const { next: _next, ...rest } = payment
  return rest
}

function write(vended: Vended, asked: Asked): Reply {
  const { store } = vended
  const { path, key } = asked
  const known = store.get('key', key)
  if (known) {
    const found = shown(store.get('payment', known.object)) ?? store.get('refund', known.object)
    return { status: 202, body: found }
  }
  const [kind, id = '', verb] = path
  if (kind === 'refunds') return makeRefund(vended, asked)
  if (kind !== 'payments') return refusal(404, 'not_found')
  if (verb === undefined) return makePayment(vended, asked)
  const payment = store.get('payment', id)
  if (!payment) return refusal(404, 'not_found')
  const next = nextOf(payment, verb, asked.body)
  if (typeof next === 'string') return refusal(409, next)
  const changed: Payment = { ...payment, ...next.now, next: next.later }
  store.change(change => {
    change.put('payment', id, changed)
    change.put('key', key, { object: id })
    change.put('result', id, due(vended, id))
  })
  return { status: 202, body: shown(changed) }
}

const due = ({ setup, config }: Vended, object: string) => ({
  object,
  due_ms: setup.clock.nowMs() + config().settle_ms,
})

type Next = { readonly now: Partial<Payment>; readonly later: Partial<Payment> }

/** What a request begins, or why the payment is not ready for it. */
function nextOf(payment: Payment, verb: string, body: Body): Next | string {
  const { status, amount } = payment
  const ready = status === 'new' || status === 'declined'
  if (verb === 'confirm' && ready) {
    const declined = body['method'] === 'card_declined'
    const later = declined
      ? ({ status: 'declined', decline_code: 'card_declined' } as const)
      : ({ status: 'authorized' } as const)
    return { now: { status: 'processing' }, later }
  }
  if (verb === 'capture' && status === 'authorized') {
    const captured = Number(body['amount'])
    if (!(captured > 0 && captured <= amount)) return 'amount_invalid'
    return { now: {}, later: { status: 'captured', captured } }
  }
  const open = ready || status === 'processing' || status === 'authorized'
  if (verb === 'cancel' && open) return { now: {}, later: { status: 'cancelled' } }
  return `payment_${status}`
}

function makePayment({ store, setup }: Vended, { body, key }: Asked): Reply {
  const payment: Payment = {
    id: `pay_${newId().replaceAll('-', '')}`,
    reference: String(body['reference']),
    tenant: String(body['tenant']),
    amount: Number(body['amount']),
    currency: String(body['currency']),
    status: 'new',
    captured: 0,
    decline_code: null,
    created: seconds(setup),
    next: null,
  }
  store.change(change => {
    change.put('payment', payment.id, payment)
    change.put('key', key, { object: payment.id })
  })
  return { status: 202, body: shown(payment) }
}

function makeRefund(vended: Vended, { body, key }: Asked): Reply {
  const { store, setup } = vended
  const payment = store.get('payment', String(body['payment']))
  const amount = Number(body['amount'])
  if (!payment) return refusal(404, 'not_found')
  const before = store.all('refund').filter(one => one.payment === payment.id)
  const left = payment.captured - before.reduce((sum, one) => sum + one.amount, 0)
  if (!(amount > 0 && amount <= left)) return refusal(409, 'amount_invalid')
  const refund: Refund = {
    id: `ref_${newId().replaceAll('-', '')}`,
    payment: payment.id,
    reference: String(body['reference']),
    amount,
    currency: payment.currency,
    status: 'pending',
    created: seconds(setup),
  }
  store.change(change => {
    change.put('refund', refund.id, refund)
    change.put('key', key, { object: refund.id })
    change.put('result', refund.id, due(vended, refund.id))
  })
  return { status: 202, body: refund }
}
