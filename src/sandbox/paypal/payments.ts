/** What is done with an authorization: captured once, voided, and given back in parts. */
import { centsOf, moneyOf, readMoney } from './money.ts'
import { emit, makePayment, noteEffect, report, showPayment, type Route } from './orders.ts'
import { paymentsOf, type Payment, type Vended } from './records.ts'
import { issue, missing } from './refusal.ts'

export const captureAuthorization: Route = (vended, change, { account, id, body, key, lie }) => {
  const held = paymentIn(vended, account, id, 'authorization')
  if (held.status === 'VOIDED') throw issue('AUTHORIZATION_VOIDED')
  if (held.status !== 'CREATED') throw issue('AUTHORIZATION_ALREADY_CAPTURED')
  const asked = body['amount'] === undefined ? held.amount : readMoney(body['amount'])
  const { currency_code } = held.amount
  if (asked.currency_code !== currency_code) throw issue('AUTH_CAPTURE_CURRENCY_MISMATCH')
  if (centsOf(asked) > centsOf(held.amount)) throw issue('MAX_CAPTURE_AMOUNT_EXCEEDED')
  if (lie === 'decline') throw issue('PAYER_CANNOT_PAY')
  const amount = lie === 'other_amount' ? moneyOf(centsOf(asked) - 100, currency_code) : asked
  const rate = vended.config().fee_percent / 100
  const step = moneyOf(0, currency_code).value === '0' ? 100 : 1
  const cost = Math.round((centsOf(amount) * rate) / step) * step
  const made = makePayment(vended, change, {
    kind: 'capture',
    status: 'COMPLETED',
    amount,
    fee: moneyOf(cost, currency_code),
    account,
    order: held.order,
    of: id,
    custom_id: held.custom_id,
    key,
  })
  change.put('payment', id, { ...held, status: 'CAPTURED' })
  report(vended, change, { ...made, code: 'T0006', sign: 1 })
  const shown = showPayment(vended, made)
  emit(vended, change, account, 'PAYMENT.CAPTURE.COMPLETED', shown)
  return { status: 201, body: shown }
}

export const voidAuthorization: Route = (vended, change, { account, id, key }) => {
  const held = paymentIn(vended, account, id, 'authorization')
  if (held.status === 'VOIDED') throw issue('PREVIOUSLY_VOIDED')
  if (held.status !== 'CREATED') throw issue('PREVIOUSLY_CAPTURED')
  const next = { ...held, status: 'VOIDED' }
  change.put('payment', id, next)
  noteEffect(change, next, 'void', key)
  emit(vended, change, account, 'PAYMENT.AUTHORIZATION.VOIDED', showPayment(vended, next))
  return { status: 204, body: null }
}

export const refundCapture: Route = (vended, change, { account, id, body, key, lie }) => {
  const taken = paymentIn(vended, account, id, 'capture')
  const before = paymentsOf(vended, taken.order, 'refund').filter(one => one.of === id)
  const left = centsOf(taken.amount) - before.reduce((sum, one) => sum + centsOf(one.amount), 0)
  const { currency_code } = taken.amount
  const asked =
    body['amount'] === undefined ? moneyOf(left, currency_code) : readMoney(body['amount'])
  if (left === 0) throw issue('CAPTURE_FULLY_REFUNDED')
  if (asked.currency_code !== currency_code) throw issue('REFUND_CAPTURE_CURRENCY_MISMATCH')
  if (centsOf(asked) > left) throw issue('REFUND_AMOUNT_EXCEEDED')
  if (lie === 'decline') throw issue('REFUND_FAILED_INSUFFICIENT_FUNDS')
  const amount = lie === 'other_amount' ? moneyOf(centsOf(asked) - 100, currency_code) : asked
  const made = makePayment(vended, change, {
    kind: 'refund',
    status: 'COMPLETED',
    amount,
    fee: null,
    account,
    order: taken.order,
    of: id,
    custom_id: body['custom_id'] as string | undefined,
    key,
  })
  const whole = centsOf(amount) === left
  change.put('payment', id, { ...taken, status: whole ? 'REFUNDED' : 'PARTIALLY_REFUNDED' })
  report(vended, change, { ...made, code: 'T1107', sign: -1 })
  const shown = showPayment(vended, made)
  emit(vended, change, account, 'PAYMENT.CAPTURE.REFUNDED', shown)
  return { status: 201, body: shown }
}

export const readPayment =
  (kind: Payment['kind']): Route =>
  (vended, _change, { account, id }) => ({
    status: 200,
    body: showPayment(vended, paymentIn(vended, account, id, kind)),
  })

function paymentIn({ store }: Vended, account: string, id: string, kind: Payment['kind']): Payment {
  const found = store.get('payment', id)
  if (found?.account !== account || found.kind !== kind) throw missing()
  return found
}
