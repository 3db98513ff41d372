/** Notifies buyers about events of their orders, once for each event. */
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { Amount, digitsOf, Id, nullable, type Consumer, type LoggedEvent } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'

const Payload = Type.Object({
  order_id: Id,
  number: nullable(Type.Integer()),
  buyer_id: Id,
  total_minor: Amount,
  currency: Type.String(),
  refund_minor: Type.Optional(nullable(Amount)),
})
type Payload = Static<typeof Payload>

const words: Readonly<Record<string, (order: Payload) => readonly [string, string]>> = {
  OrderConfirmed: order => [
    `Your order ${order.number} is confirmed`,
    `We have your order ${order.number} over ${moneyOf(order.total_minor, order.currency)}, and prepare it now.`,
  ],
  'order.shipped': order => [
    `Your order ${order.number} is on its way`,
    `We have shipped your order ${order.number}, or a part of it.`,
  ],
  'order.cancelled': order => [
    'Your order is cancelled',
    `Your order${order.number === null ? '' : ` ${order.number}`} is cancelled. What we held or took of your money goes back to you.`,
  ],
  'return.refunded': order => [
    `Your return of order ${order.number} is refunded`,
    `We have your return, and pay back ${moneyOf(order.refund_minor ?? 0, order.currency)}.`,
  ],
}

export function buyerMessages({ kernel, messages }: Pick<Deps, 'kernel' | 'messages'>): Consumer {
  const noticeOf = ({ id: event_id, type, tenant_id, payload }: LoggedEvent) => {
    if (!Value.Check(Payload, payload)) throw new Error('not an event of an order')
    const [subject, paragraph] = words[type]?.(payload) ?? ['', '']
    return {
      tenant_id,
      key: `event:${event_id}`,
      user_id: payload.buyer_id,
      category: 'order.updates',
      template: 'notice',
      data: {
        subject,
        paragraphs: [paragraph],
        url: `${kernel.public_url}/v1/orders/${payload.order_id}`,
      },
    }
  }
  return {
    name: 'commerce.buyer_messages',
    events: Object.keys(words),
    run: (tx, event) => messages.notifyAll(tx, [noticeOf(event)]),
    // In one portion, because lanes that lock inboxes of the same buyers twice could deadlock.
    runAll: (tx, events) => messages.notifyAll(tx, events.map(noticeOf)),
    portion: 50,
  }
}

/** 19.99 EUR, 1999 JPY. */
function moneyOf(amount_minor: number, currency: string): string {
  const decimals = digitsOf(currency) ?? 2
  const text = String(amount_minor).padStart(decimals + 1, '0')
  if (decimals === 0) return `${text} ${currency}`
  return `${text.slice(0, -decimals)}.${text.slice(-decimals)} ${currency}`
}
