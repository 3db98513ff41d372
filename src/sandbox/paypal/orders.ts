/** Orders: made, sent to their payer, approved on a page, and authorized. */
import { centsOf, moneyOf, readMoney } from './money.ts'
import {
  paymentsOf,
  paypalId,
  timeAt,
  type Change,
  type Order,
  type Payment,
  type Vended,
} from './records.ts'
import { issue, missing } from './refusal.ts'

type Body = Readonly<Record<string, unknown>>
export type Asked = {
  readonly account: string
  readonly id: string
  readonly body: Body
  readonly key: string | null
  readonly lie: string | undefined
}
export type Made = { readonly status: number; readonly body: unknown }
export type Route = (vended: Vended, change: Change, asked: Asked) => Made

export const createOrder: Route = (vended, change, { account, body }) => {
  const [unit, ...more] = (body['purchase_units'] as Body[] | undefined) ?? []
  if (!unit || more.length > 0 || body['intent'] !== 'AUTHORIZE') throw issue('UNSUPPORTED_INTENT')
  const order: Order = {
    account,
    id: paypalId(),
    status: 'CREATED',
    unit: {
      custom_id: unit['custom_id'] as string | undefined,
      amount: readMoney(unit['amount']),
    },
    urls: null,
    create_time: timeAt(vended.clock.nowMs()),
  }
  change.put('order', order.id, order)
  return { status: 201, body: showOrder(vended, order) }
}

export const confirmOrder: Route = (vended, change, { account, id, body }) => {
  const order = orderIn(vended, account, id)
  const source = (body['payment_source'] as Body | undefined)?.['paypal'] as Body | undefined
  const context = source?.['experience_context'] as Order['urls'] | undefined
  if (!context?.return_url) throw issue('RETURN_URL_REQUIRED')
  if (!context.cancel_url) throw issue('CANCEL_URL_REQUIRED')
  if (order.status === 'APPROVED') throw issue('PAYMENT_ALREADY_APPROVED')
  if (order.status === 'COMPLETED') throw issue('ORDER_ALREADY_AUTHORIZED')
  const { return_url, cancel_url } = context
  const next: Order = {
    ...order,
    status: 'PAYER_ACTION_REQUIRED',
    urls: { return_url, cancel_url },
  }
  change.put('order', id, next)
  return { status: 200, body: showOrder(vended, next) }
}

export const authorizeOrder: Route = (vended, change, { account, id, key, lie }) => {
  const order = orderIn(vended, account, id)
  if (order.status === 'COMPLETED') throw issue('ORDER_ALREADY_AUTHORIZED')
  if (order.status !== 'APPROVED') throw issue('ORDER_NOT_APPROVED')
  if (lie === 'decline') {
    change.put('order', id, { ...order, status: 'PAYER_ACTION_REQUIRED' })
    // The change is kept, unlike that of a request that was refused.
    const details = [{ issue: 'PAYER_CANNOT_PAY' }]
    return { status: 422, body: { name: 'UNPROCESSABLE_ENTITY', details } }
  }
  const { amount, custom_id } = order.unit
  const held =
    lie === 'other_amount' ? moneyOf(centsOf(amount) + 100, amount.currency_code) : amount
  const made = makePayment(vended, change, {
    kind: 'authorization',
    status: 'CREATED',
    amount: held,
    fee: null,
    account,
    order: id,
    of: null,
    custom_id,
    key,
  })
  const next: Order = { ...order, status: 'COMPLETED' }
  change.put('order', id, next)
  report(vended, change, { ...made, code: 'T1300', sign: 1 })
  emit(vended, change, account, 'PAYMENT.AUTHORIZATION.CREATED', showPayment(vended, made))
  return { status: 201, body: { ...showOrder(vended, next, [made]) } }
}

export const readOrder: Route = (vended, _change, { account, id }) => ({
  status: 200,
  body: showOrder(vended, orderIn(vended, account, id)),
})

/** The payer's decision on the page. */
export function approve(vended: Vended, id: string): void {
  vended.store.change(change => {
    const order = change.get('order', id)
    if (order?.status !== 'PAYER_ACTION_REQUIRED') return
    const next: Order = { ...order, status: 'APPROVED' }
    change.put('order', id, next)
    emit(vended, change, order.account, 'CHECKOUT.ORDER.APPROVED', showOrder(vended, next))
  })
  vended.wake()
}

function orderIn({ store }: Vended, account: string, id: string): Order {
  const order = store.get('order', id)
  if (order?.account !== account) throw missing()
  return order
}

type Making = Omit<Payment, 'id' | 'create_time'> & { readonly key: string | null }

export function makePayment(vended: Vended, change: Change, { key, ...given }: Making): Payment {
  const create_time = timeAt(vended.clock.nowMs())
  const made: Payment = { ...given, id: paypalId(), create_time }
  change.put('payment', made.id, made)
  noteEffect(change, made, given.kind, key)
  return made
}

export function noteEffect(change: Change, one: Payment, kind: string, key: string | null): void {
  const { account, id: object, order, amount } = one
  change.put('effect', paypalId(), { account, kind, object, order, amount, key })
}

export function report(
  { clock }: Vended,
  change: Change,
  given: Pick<Payment, 'account' | 'id' | 'amount' | 'fee'> & { code: string; sign: 1 | -1 },
): void {
  const { account, id, amount, fee, code, sign } = given
  const signed = moneyOf(sign * centsOf(amount), amount.currency_code)
  const cost = fee && moneyOf(-centsOf(fee), fee.currency_code)
  const reported = { account, id, code, amount: signed, fee: cost, at_ms: clock.nowMs() }
  change.put('reported', `${id}/${code}`, reported)
}

export function emit(
  { store, clock }: Vended,
  change: Change,
  account: string,
  event_type: string,
  resource: object,
): void {
  const id = `WH-${paypalId()}-${paypalId()}`
  const create_time = timeAt(clock.nowMs())
  change.put('event', id, { account, id, event_type, create_time, resource })
  if (store.get('account', account)?.webhook_url) {
    change.put('delivery', id, { event: id, due_ms: 0, attempts: 0 })
  }
}

function showOrder(vended: Vended, order: Order, more: readonly Payment[] = []): object {
  const { id, status, unit, create_time } = order
  const shown = (kind: Payment['kind']) =>
    [...paymentsOf(vended, id, kind), ...more.filter(one => one.kind === kind)].map(one =>
      showPayment(vended, one),
    )
  const [authorizations, captures, refunds] = [
    shown('authorization'),
    shown('capture'),
    shown('refund'),
  ]
  const payments = {
    ...(authorizations.length > 0 && { authorizations }),
    ...(captures.length > 0 && { captures }),
    ...(refunds.length > 0 && { refunds }),
  }
  const api = `${vended.address()}/v2/checkout/orders/${id}`
  const page = `${vended.address()}/checkoutnow?token=${id}`
  const approving = status === 'PAYER_ACTION_REQUIRED'
  return {
    id,
    intent: 'AUTHORIZE',
    status,
    purchase_units: [
      {
        reference_id: 'default',
        ...unit,
        ...(Object.keys(payments).length > 0 && { payments }),
      },
    ],
    create_time,
    links: [
      { href: api, rel: 'self', method: 'GET' },
      ...(approving ? [{ href: page, rel: 'payer-action', method: 'GET' }] : []),
    ],
  }
}

const expires_ms = 29 * 86_400_000

export function showPayment(vended: Vended, one: Payment): object {
  const { id, kind, status, amount, fee, custom_id, create_time, of, order } = one
  const base = `${vended.address()}/v2/payments`
  const self = { href: `${base}/${kind}s/${id}`, rel: 'self', method: 'GET' }
  const parent = kind === 'refund' ? 'captures' : 'authorizations'
  const up = of === null ? [] : [{ href: `${base}/${parent}/${of}`, rel: 'up', method: 'GET' }]
  const net = (less: number) => moneyOf(centsOf(amount) - less, amount.currency_code)
  const none = moneyOf(0, amount.currency_code)
  return {
    id,
    status,
    amount,
    ...(custom_id !== undefined && { custom_id }),
    create_time,
    update_time: create_time,
    links: [self, ...up],
    ...(kind !== 'refund' && { supplementary_data: { related_ids: { order_id: order } } }),
    ...(kind === 'authorization' && {
      expiration_time: timeAt(Date.parse(create_time) + expires_ms),
    }),
    ...(kind === 'capture' && {
      final_capture: true,
      seller_receivable_breakdown: {
        gross_amount: amount,
        paypal_fee: fee ?? none,
        net_amount: net(fee ? centsOf(fee) : 0),
      },
    }),
    ...(kind === 'refund' && {
      seller_payable_breakdown: { gross_amount: amount, paypal_fee: none, net_amount: amount },
    }),
  }
}
