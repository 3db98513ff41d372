/** What needs no database: the state table, the units of currencies, and that one function writes the ledger. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Stripe } from 'stripe'
import { describe, expect, test } from 'vitest'
import { composition } from '../../../platform.ts'
import { refuseCardData } from '../intents/card-data.ts'
import { digitsOf } from '#dodeca/kernel'
import { fromStripe, nearestOfStripe, stepOf, toStripe } from '../money/currencies.ts'
import { nextState, type Held } from '../operations/state-after-answer.ts'
import type { Snapshot } from '../provider/port.ts'
import { bookedOf } from '../provider/stripe-snapshots.ts'

const snapshot = (status: Snapshot['status'], more: Partial<Snapshot> = {}): Snapshot => ({
  handle: 'pi_1',
  status,
  currency: 'EUR',
  amount_minor: 5000,
  capturable_minor: status === 'requires_capture' ? 5000 : 0,
  received_minor: status === 'succeeded' ? 5000 : 0,
  charge: null,
  last_error: null,
  cancellation_reason: null,
  next_action: null,
  intent_id: null,
  tenant_id: null,
  created_s: 0,
  ...more,
})
const held = (state: Held['state']): Held => ({
  state,
  amount_minor: 5000,
  provider_handle: 'pi_1',
  currency: 'EUR',
})

describe('the state table', () => {
  const all: Snapshot['status'][] = [
    'requires_payment_method',
    'requires_action',
    'requires_capture',
    'succeeded',
    'canceled',
    'processing',
  ]
  const table: Record<Held['state'], string[]> = {
    requires_authorization: [
      '',
      'requires_action',
      'authorized',
      'authorized captured',
      'cancelled',
      '',
    ],
    requires_action: ['declined', '', 'authorized', 'authorized captured', 'cancelled', ''],
    authorized: ['', '', '', 'captured', 'cancelled', ''],
    captured: ['', '', '', '', '', ''],
    cancelled: ['', '', '', '', '', ''],
  }
  test.each(Object.entries(table))('from %s', (state, expected) => {
    const moves = all.map(status => {
      const verdict = nextState(held(state as Held['state']), [], {
        snapshot: snapshot(status),
        declined: null,
      })
      return 'moves' in verdict ? verdict.moves.map(one => one.to).join(' ') : verdict.disagrees
    })
    expect(moves).toEqual(expected)
  })

  test('only the refusal of its own key declines what was not challenged', () => {
    const said = { snapshot: snapshot('requires_payment_method'), declined: 'lost_card' }
    expect(nextState(held('requires_authorization'), [], said)).toMatchObject({
      moves: [{ to: 'declined', decline_code: 'lost_card' }],
    })
  })

  test.each([
    [snapshot('requires_capture', { capturable_minor: 4999 }), 'amount_mismatch'],
    [snapshot('succeeded', { received_minor: 5001 }), 'amount_mismatch'],
    [snapshot('requires_capture', { currency: 'USD' }), 'currency_mismatch'],
    [snapshot('requires_capture', { amount_minor: 1 }), 'amount_mismatch'],
    [snapshot('requires_capture', { handle: 'pi_of_others' }), 'state_mismatch'],
  ])('another amount or object moves nothing', (lie, disagrees) => {
    expect(
      nextState(held('requires_authorization'), [], { snapshot: lie, declined: null }),
    ).toEqual({
      disagrees,
    })
  })
})

test('a cancelled object ends the payment, although its amount or currency is another', () => {
  for (const lie of [{ amount_minor: 1 }, { currency: 'USD' }]) {
    const report = { snapshot: snapshot('canceled', lie), declined: null }
    expect(nextState(held('requires_authorization'), [], report)).toMatchObject({
      moves: [{ to: 'cancelled' }],
    })
  }
})

test.each([
  ['EUR', 1234, 1234],
  ['JPY', 500, 500],
  ['ISK', 500, 50_000],
  ['UGX', 7, 700],
  ['MGA', 500, 5],
  ['MGA', 501, null],
  ['KWD', 1010, 1010],
  ['KWD', 1011, null],
] as const)('%s %i is %s at the provider', (currency, minor, there) => {
  expect(toStripe(minor, currency)).toBe(there)
  expect(there === null ? minor : fromStripe(there, currency)).toBe(minor)
  expect(minor % stepOf(currency) === 0).toBe(there !== null)
  expect(digitsOf(currency)).toBeTypeOf('number')
})

test('a fee that is a fraction of the smallest unit is rounded, and the net follows it', () => {
  const booked = bookedOf({
    id: 'txn_1',
    type: 'charge',
    source: 'ch_1',
    amount: 70_000,
    fee: 2060,
    net: 67_940,
    currency: 'isk',
    exchange_rate: null,
    available_on: 0,
    created: 0,
  } as Stripe.BalanceTransaction)
  expect(booked).toMatchObject({ amount_minor: 700, fee_minor: 21, net_minor: 679 })
})

test.each([
  [149, 'ISK', 1],
  [150, 'ISK', 2],
  [-149, 'ISK', -1],
  [-150, 'ISK', -1],
  [-151, 'ISK', -2],
  [9_007_199_254_740_950, 'UGX', 90_071_992_547_410],
  [-7, 'MGA', -700],
  [7, 'EUR', 7],
])('%i units of the provider in %s are nearest to %i of ours', (amount, currency, nearest) => {
  expect(nearestOfStripe(amount, currency)).toBe(nearest)
})

test('an amount that is not exact in our units is an error, and never another amount', () => {
  const amount = Number.MAX_SAFE_INTEGER
  expect(() => nearestOfStripe(amount, 'MGA')).toThrow(/too large/)
  expect(() => fromStripe(amount, 'MGA')).toThrow(/too large/)
})

test('nothing but its one SQL function writes the ledger', () => {
  const root = join(import.meta.dirname, '../../../..', 'src')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    name => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  )
  const writers = files.filter(name => {
    const text = readFileSync(join(root, name), 'utf8')
    return /(insert into|update|delete from|truncate)\s+payments\.ledger_/i.test(text)
  })
  expect(files.length).toBeGreaterThan(500)
  expect(writers).toEqual([])
})

test('no built-in role holds two of refund operator, support viewer and key administrator', () => {
  const duties = new Map<string, Set<string>>()
  for (const surface of composition.surfaces) {
    for (const { roles, duty } of Object.values(surface.permissions)) {
      for (const role of duty ? roles : []) {
        duties.set(role, (duties.get(role) ?? new Set()).add(duty ?? ''))
      }
    }
  }
  expect([...duties].filter(([, held]) => held.size > 1)).toEqual([])
  expect(duties.get('refund_operator')).toEqual(new Set(['refunds']))
})

test.each([
  '4242424242424242',
  'x4242424242424242y',
  '4242 4242-4242 4242',
  '4242\u00a04242\u20094242\u20114242',
  '4242.4242.4242.4242',
  '4242 - 4242 - 4242 - 4242',
  '\uff14\uff12\uff14\uff12'.repeat(4),
  '4242424242424242 12 27 123',
  '7 4242424242424242',
  'No. 12 4242 4242 4242 4242 123',
  '3782 822463 10005 1234',
  '4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2',
])('%s holds a card number', text => {
  const refusal = { code: 'card_data_refused' }
  for (const body of [{ a: [text] }, { [text]: 1 }]) {
    expect(() => refuseCardData(body)).toThrow(expect.objectContaining(refusal))
  }
})

test.each([
  '4242424242424241',
  '00004242424242424242',
  'DE12 3704 0044 0532 0130 00',
  '+49 4242 4242 424',
  '2026-11-26 12:30:00',
  '01900000-0000-7000-8000-000000000001',
  '1 '.repeat(30_000),
])('%.40s holds none', text => {
  expect(() => refuseCardData({ a: [text], [text]: 1 })).not.toThrow()
})
