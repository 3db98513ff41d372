/** The codec of PayPal: its documented objects and refusals in our names, and exact amounts. */
import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { digitsOf, UpstreamFailure } from '#dodeca/kernel'
import { fromPayPal, toPayPal } from '../../money/paypal-amounts.ts'
import { failureOf, failureOfReply } from '../paypal-failures.ts'
import {
  captureOf,
  disputeOf,
  kindOf,
  refundOf,
  reportedOf,
  snapshotOf,
} from '../paypal-snapshots.ts'
import type { Order } from '../paypal-objects.ts'
import { eventOf } from '../verify-paypal.ts'

const usd = (value: string) => ({ currency_code: 'USD', value })
const authorization = (status: string) => ({
  id: '0AW2184448108334S',
  status,
  amount: usd('100.00'),
  expiration_time: '2026-12-29T12:00:00Z',
})
const capture = (status: string, value = '100.00') => ({
  id: '2GG279541U471931P',
  status,
  amount: usd(value),
  create_time: '2026-11-30T12:00:00Z',
  seller_receivable_breakdown: { paypal_fee: usd('3.00'), net_amount: usd('97.00') },
})

function order(status: string, payments?: NonNullable<Order['purchase_units'][0]>['payments']) {
  const unit = { custom_id: 'intent/tenant', amount: usd('100.00'), ...(payments && { payments }) }
  const links = [{ href: 'https://www.paypal.com/checkoutnow?token=5O', rel: 'payer-action' }]
  const create_time = '2026-11-30T12:00:00Z'
  return { id: '5O190127TN364715T', status, purchase_units: [unit], links, create_time }
}

describe('an order', () => {
  test.each([
    [order('CREATED'), 'requires_payment_method', 0, 0],
    [order('PAYER_ACTION_REQUIRED'), 'requires_action', 0, 0],
    [order('APPROVED'), 'approved', 0, 0],
    [order('VOIDED'), 'canceled', 0, 0],
    [order('ANYTHING_NEW'), 'processing', 0, 0],
    [
      order('COMPLETED', { authorizations: [authorization('CREATED')] }),
      'requires_capture',
      10000,
      0,
    ],
    [order('COMPLETED', { authorizations: [authorization('PENDING')] }), 'processing', 0, 0],
    [order('COMPLETED', { authorizations: [authorization('VOIDED')] }), 'canceled', 0, 0],
    [order('COMPLETED', { authorizations: [authorization('EXPIRED')] }), 'canceled', 0, 0],
    [
      order('COMPLETED', { authorizations: [authorization('DENIED')] }),
      'requires_payment_method',
      0,
      0,
    ],
    [
      order('COMPLETED', {
        authorizations: [authorization('CAPTURED')],
        captures: [capture('COMPLETED', '42.00')],
      }),
      'succeeded',
      0,
      4200,
    ],
    [
      order('COMPLETED', {
        authorizations: [authorization('CAPTURED')],
        captures: [capture('PENDING')],
      }),
      'processing',
      0,
      0,
    ],
  ] as const)('%#: is %s', (given, status, capturable_minor, received_minor) => {
    expect(snapshotOf(given)).toMatchObject({
      handle: '5O190127TN364715T',
      intent_id: 'intent',
      tenant_id: 'tenant',
      amount_minor: 10_000,
      status,
      capturable_minor,
      received_minor,
    })
  })

  test('has the way of its payer, its charge, its fee and its end', () => {
    expect(snapshotOf(order('PAYER_ACTION_REQUIRED')).next_action).toEqual({
      type: 'redirect',
      url: 'https://www.paypal.com/checkoutnow?token=5O',
    })
    const payments = {
      authorizations: [authorization('CAPTURED')],
      captures: [capture('PARTIALLY_REFUNDED')],
      refunds: [{ id: '1JU08902781691411', status: 'COMPLETED', amount: usd('10.99') }],
    }
    expect(snapshotOf(order('COMPLETED', payments)).charge).toEqual({
      id: 'capture:2GG279541U471931P',
      captured: true,
      refunded_minor: 1099,
      disputed: false,
      capture_before_s: Date.parse('2026-12-29T12:00:00Z') / 1000,
      booked: expect.objectContaining({
        id: '2GG279541U471931P',
        kind: 'charge',
        source: 'capture:2GG279541U471931P',
        amount_minor: 10_000,
        fee_minor: 300,
        net_minor: 9700,
      }),
    })
  })

  test('with two currencies, or a second unit, never agrees with ours', () => {
    const euro = { ...authorization('CREATED'), amount: { currency_code: 'EUR', value: '100.00' } }
    expect(snapshotOf(order('COMPLETED', { authorizations: [euro] })).currency).toBe('EUR')
    const one = order('CREATED')
    const twice = { ...one, purchase_units: [...one.purchase_units, ...one.purchase_units] }
    expect(snapshotOf(twice).amount_minor).toBe(20_000)
  })
})

test.each([
  ['COMPLETED', 'succeeded', '1JU08902781691411', null],
  ['PENDING', 'pending', null, null],
  ['FAILED', 'failed', null, 'failed'],
  ['CANCELLED', 'failed', null, 'cancelled'],
])('a refund that is %s', (status, ours, booked_ref, failure_code) => {
  const href = 'https://api-m.paypal.com/v2/payments/captures/2GG279541U471931P'
  const links = [{ href, rel: 'up' }]
  const given = { id: '1JU08902781691411', status, amount: usd('10.99'), custom_id: 'op', links }
  expect(refundOf(given, '5O')).toMatchObject({
    id: 'refund:1JU08902781691411',
    handle: '5O',
    operation_id: 'op',
    amount_minor: 1099,
    status: ours,
    booked_ref,
    failure_code,
  })
  expect(captureOf(given)).toBe('2GG279541U471931P')
})

test.each([
  ['OPEN', 'INQUIRY', undefined, 'warning'],
  ['WAITING_FOR_SELLER_RESPONSE', 'CHARGEBACK', undefined, 'needs_response'],
  ['UNDER_REVIEW', 'CHARGEBACK', undefined, 'under_review'],
  ['RESOLVED', 'CHARGEBACK', 'RESOLVED_SELLER_FAVOUR', 'won'],
  ['RESOLVED', 'CHARGEBACK', 'RESOLVED_BUYER_FAVOUR', 'lost'],
  ['RESOLVED', 'INQUIRY', 'CANCELED_BY_BUYER', 'closed'],
])('a dispute that is %s, %s, %s', (status, stage, outcome_code, ours) => {
  const dispute = {
    dispute_id: 'PP-D-4012',
    status,
    dispute_amount: usd('96.00'),
    dispute_life_cycle_stage: stage,
    ...(outcome_code && { dispute_outcome: { outcome_code } }),
  }
  expect(disputeOf(dispute, null)).toMatchObject({ id: 'dispute:PP-D-4012', status: ours })
})

test.each([
  ['T0006', '100.00', '-3.00', 'charge', 'capture:X', 9700],
  ['T1107', '-10.00', undefined, 'refund', 'refund:X', -1000],
  ['T0400', '-50.00', undefined, 'payout', 'payout:X@1796040000', -5000],
  ['T0200', '-1.00', undefined, 'T0200', null, -100],
])('a transaction %s of the report', (code, value, fee, kind, source, net_minor) => {
  const given = {
    transaction_id: 'X',
    transaction_event_code: code,
    transaction_initiation_date: '2026-11-30T12:00:00Z',
    transaction_amount: usd(value),
    ...(fee && { fee_amount: usd(fee) }),
  }
  expect(reportedOf(given)).toMatchObject({ id: 'X', kind, source, net_minor })
})

test.each([
  [401, 'AUTHENTICATION_FAILURE', '', 'not_sent', 'provider_unauthorized'],
  [403, 'NOT_AUTHORIZED', 'PERMISSION_DENIED', 'not_sent', 'provider_unauthorized'],
  [429, 'RATE_LIMIT_REACHED', '', 'not_sent', 'provider_busy'],
  [400, 'INVALID_REQUEST', 'INVALID_STRING_LENGTH', 'refused', 'invalid_string_length'],
  [404, 'RESOURCE_NOT_FOUND', 'INVALID_RESOURCE_ID', 'refused', 'invalid_resource_id'],
  [422, 'UNPROCESSABLE_ENTITY', 'PAYER_CANNOT_PAY', 'refused', 'payer_cannot_pay'],
  [422, 'UNPROCESSABLE_ENTITY', 'ORDER_NOT_APPROVED', 'unexpected_state', 'order_not_approved'],
  [422, 'UNPROCESSABLE_ENTITY', 'PREVIOUSLY_VOIDED', 'unexpected_state', 'previously_voided'],
  [
    409,
    'RESOURCE_CONFLICT',
    'PREVIOUS_REQUEST_IN_PROGRESS',
    'doubt',
    'previous_request_in_progress',
  ],
  [500, 'INTERNAL_SERVER_ERROR', '', 'doubt', 'internal_server_error'],
])('%i %s %s', (status, name, issue, kind, code) => {
  const body = Buffer.from(JSON.stringify({ name, ...(issue && { details: [{ issue }] }) }))
  expect(failureOfReply(status, body)).toMatchObject({ kind, code })
})

test('a page of a gateway, an unreadable answer and a lost connection are no certain answer', () => {
  expect(failureOfReply(502, Buffer.from('<html>'))).toMatchObject({
    kind: 'doubt',
    code: 'http_502',
  })
  expect(failureOf(new SyntaxError('JSON'))).toMatchObject({ kind: 'doubt' })
  const lost = (ambiguous: boolean) =>
    failureOf(new UpstreamFailure('paypal', 'connect', { ambiguous }))
  expect([lost(true).kind, lost(false).kind]).toEqual(['doubt', 'not_sent'])
})

test.each([
  ['CHECKOUT.ORDER.APPROVED', { id: '5O190127TN364715T' }, '5O190127TN364715T', 'payment'],
  [
    'PAYMENT.CAPTURE.COMPLETED',
    { id: '2GG', supplementary_data: { related_ids: { order_id: '5O190127TN364715T' } } },
    '5O190127TN364715T',
    'payment',
  ],
  ['PAYMENT.CAPTURE.DENIED', { id: '2GG' }, 'capture:2GG', 'charge'],
  ['PAYMENT.CAPTURE.REFUNDED', { id: '1JU' }, 'refund:1JU', 'refund'],
  ['CUSTOMER.DISPUTE.CREATED', { dispute_id: 'PP-D-1' }, 'dispute:PP-D-1', 'dispute'],
])('an event %s names its object', (event_type, resource, object_ref, kind) => {
  expect(eventOf({ id: 'WH-1', event_type, resource })).toMatchObject({ object_ref })
  expect(kindOf(object_ref)).toBe(kind)
})

test('an event that names nothing, or something else than a text, is about no object', () => {
  expect(eventOf({ id: 'WH-1', event_type: 'CHECKOUT.ORDER.APPROVED', resource: {} })).toBeNull()
  expect(eventOf({ id: 'WH-1', event_type: 'X.Y', resource: { id: 'A' } })).toBeNull()
  const resource = { id: { $ne: null } }
  expect(eventOf({ id: 'WH-1', event_type: 'CHECKOUT.ORDER.APPROVED', resource })).toBeNull()
  expect([kindOf('other:1'), kindOf('x y')]).toEqual([null, null])
})

test('an amount that PayPal takes comes back as it was', () => {
  const currencies = ['EUR', 'USD', 'HUF', 'TWD', 'JPY', 'PLN', 'KWD', 'ISK']
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 99_999_999 }),
      fc.constantFrom(...currencies),
      (minor, currency) => {
        const text = toPayPal(minor, currency)
        const whole = currency === 'HUF' || currency === 'TWD'
        const taken = currency !== 'KWD' && currency !== 'ISK' && (!whole || minor % 100 === 0)
        expect(text !== null).toBe(taken)
        if (text === null) return
        expect(text).toMatch(whole || digitsOf(currency) === 0 ? /^\d+$/ : /^\d+\.\d\d$/)
        expect(fromPayPal(text, currency)).toBe(minor)
        expect(fromPayPal(`-${text}`, currency)).toBe(-minor)
      },
    ),
  )
})

test.each(['1e3', '', '1.005', '1,00', '0x10', ' 1', '99999999999999999'])(
  '%j is no amount',
  text => {
    expect(() => fromPayPal(text, 'EUR')).toThrow('no amount')
  },
)
