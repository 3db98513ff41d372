/** Notifies buyers about events of their orders, once for each event. */
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { LoggedEvent } from '../../../kernel/events/event.ts'
import { Amount, Id, nullable } from '../../../kernel/http/shapes.ts'
import type { Consumer } from '../../../kernel/surface.ts'
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

type Order = Payload & { readonly total: string; readonly refund: string }

const words: Readonly<Record<string, (order: Order) => readonly [string, string]>> = {
  OrderConfirmed: order => [
    `Your order ${order.number} is confirmed`,
    `We have your order ${order.number} over ${order.total}, and prepare it now.`,
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
    `We have your return, and pay back ${order.refund}.`,
  ],
}

type Needed = Pick<Deps, 'kernel' | 'messages' | 'payments'>

export function buyerMessages({ kernel, messages, payments }: Needed): Consumer {
  const orderOf = (payload: Payload): Order => {
    const { total_minor, refund_minor, currency } = payload
    const money = (minor: number) => moneyOf(minor, currency, payments.digitsOf(currency))
    return { ...payload, total: money(total_minor), refund: money(refund_minor ?? 0) }
  }
  const noticeOf = ({ id: event_id, type, tenant_id, payload }: LoggedEvent) => {
    if (!Value.Check(Payload, payload)) throw new Error('not an event of an order')
    const [subject, paragraph] = words[type]?.(orderOf(payload)) ?? ['', '']
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

/**
 * The amount with the digits of ISO 4217: 19.99 EUR, 1999 JPY. `Intl` has other digits for some
 * currencies, such as none for HUF.
 */
function moneyOf(amount_minor: number, currency: string, digits = 2): string {
  const text = String(amount_minor).padStart(digits + 1, '0')
  if (digits === 0) return `${text} ${currency}`
  return `${text.slice(0, -digits)}.${text.slice(-digits)} ${currency}`
}
