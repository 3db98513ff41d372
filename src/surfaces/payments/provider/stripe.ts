/** The provider port on Stripe's API. Every write has a key that never changes. */
import type { Stripe } from 'stripe'
import { nearestOfStripe, toStripe } from '../money/currencies.ts'
import type { Kernel } from '../settings.ts'
import type { Call } from './call-stripe.ts'
import type { StripeLine } from './connect-stripe.ts'
import { openBrowser } from './stripe-browser.ts'
import { openCustomers } from './stripe-customers.ts'
import { verifyWebhook } from './verify-stripe.ts'
import {
  ProviderFailure,
  type ObjectKind,
  type Page,
  type PaymentProvider,
  type ProviderBooks,
  type Window,
} from './port.ts'
import { failureOf } from './stripe-failures.ts'
import {
  bookedOf,
  disputeOf,
  eventOf,
  idOf,
  payoutOf,
  refundOf,
  snapshotOf,
} from './stripe-snapshots.ts'

const expand = ['latest_charge.balance_transaction']
const expand_list = ['data.latest_charge.balance_transaction']
const page_size = 100

export function openStripe({ log }: Pick<Kernel, 'log'>, line: StripeLine): PaymentProvider {
  const call: Call = async work => {
    try {
      return await work(await line.client())
    } catch (error) {
      const failure = failureOf(error)
      if (failure.code === 'provider_unauthorized' || failure.code === 'idempotency_error') {
        log.error({ err: failure }, 'the payment provider refuses our credentials or our key')
      }
      throw failure
    }
  }
  return {
    name: 'stripe',
    accepting: line.configured,
    browser: () => openBrowser(line),
    kindOf: object_ref => kinds[object_ref.split('_')[0] ?? ''] ?? null,
    verify: (message, now_seconds) => verifyWebhook(line, message, now_seconds),
    ...writes(call),
    ...reads(call),
    customers: openCustomers(call),
    books: { ...bookReads(call), ...lists(call) },
  }
}

/** New disputes begin with `du_`, old ones with `dp_`. */
const kinds: Readonly<Record<string, ObjectKind>> = {
  pi: 'payment',
  ch: 'charge',
  py: 'charge',
  re: 'refund',
  pyr: 'refund',
  du: 'dispute',
  dp: 'dispute',
  po: 'payout',
}

type Intent = Stripe.PaymentIntent
type WriteParams =
  | Stripe.PaymentIntentCreateParams
  | Stripe.PaymentIntentConfirmParams
  | Stripe.PaymentIntentCaptureParams
  | Stripe.PaymentIntentCancelParams
type List<T> = Stripe.ApiList<T>

const intents = '/payment_intents'
const of = (list: string, id: string) => `${list}/${encodeURIComponent(id)}`

function writes(call: Call) {
  const write = (path: string, params: WriteParams, key: string) =>
    call(async stripe => snapshotOf(await stripe.post<Intent>(path, params, key)))
  return {
    createHandle: ({ intent_id, tenant_id, amount_minor, currency, key }) =>
      write(
        intents,
        {
          amount: exact(amount_minor, currency),
          currency: currency.toLowerCase(),
          capture_method: 'manual',
          allowed_payment_method_types: ['card'],
          metadata: { intent_id, tenant_id },
        },
        key,
      ),
    confirm: (handle, { payment_method, return_url, key, save, off_session }) =>
      write(
        `${of(intents, handle)}/confirm`,
        {
          ...methodOf(payment_method),
          ...(return_url ? { return_url } : {}),
          ...(save === undefined ? {} : { setup_future_usage: save ? 'off_session' : '' }),
          ...(off_session ? { off_session } : {}),
          expand,
        },
        key,
      ),
    capture: (handle, { amount_minor, currency, key }) =>
      write(
        `${of(intents, handle)}/capture`,
        { amount_to_capture: exact(amount_minor, currency), expand },
        key,
      ),
    cancel: (handle, { key }) => write(`${of(intents, handle)}/cancel`, { expand }, key),
    refund: ({ handle, amount_minor, currency, operation_id, reason, key }) =>
      call(async stripe => {
        const params: Stripe.RefundCreateParams = {
          payment_intent: handle,
          amount: exact(amount_minor, currency),
          metadata: { operation_id },
          ...(isReason(reason) ? { reason } : {}),
        }
        return refundOf(await stripe.post<Stripe.Refund>('/refunds', params, key))
      }),
  } satisfies Partial<PaymentProvider>
}

/** What a browser made is for one payment. Other ids name a payment method. */
function methodOf(id: string) {
  return id.startsWith('ctoken_') ? { confirmation_token: id } : { payment_method: id }
}

/** `never`: a view states what it reads of Stripe's object. */
const reading =
  (call: Call) =>
  <V>(view: (one: never) => V, list: string, id: string, params?: object) =>
    call(async stripe => view(await stripe.get<never>(of(list, id), params)))

function reads(call: Call) {
  const read = reading(call)
  return {
    read: handle => read(snapshotOf, intents, handle, { expand }),
    readRefund: id => read(refundOf, '/refunds', id),
    refundsOf: handle =>
      call(async stripe => {
        const params: Stripe.RefundListParams = { payment_intent: handle, limit: page_size }
        const list = await stripe.get<List<Stripe.Refund>>('/refunds', params)
        return list.data.map(refundOf)
      }),
  } satisfies Partial<PaymentProvider>
}

function bookReads(call: Call) {
  const read = reading(call)
  return {
    readDispute: id => read(disputeOf, '/disputes', id),
    readPayout: id => read(payoutOf, '/payouts', id),
    handleOfCharge: id =>
      read((charge: Stripe.Charge) => idOf(charge.payment_intent), '/charges', id),
    balance: () =>
      call(async stripe => {
        const { available, pending } = await stripe.get<Stripe.Balance>('/balance')
        const sums = new Map<string, number>()
        for (const { amount, currency } of [...available, ...pending]) {
          const name = currency.toUpperCase()
          sums.set(name, (sums.get(name) ?? 0) + nearestOfStripe(amount, name))
        }
        return sums
      }),
  } satisfies Partial<ProviderBooks>
}

function lists(call: Call) {
  const list = <V>(path: string, params: object, view: (one: never) => V): Promise<Page<V>> =>
    call(async stripe => {
      const { data, has_more } = await stripe.get<List<never>>(path, params)
      return { data: data.map(view), has_more }
    })
  return {
    payments: window => list(intents, { ...pageOf(window), expand: expand_list }, snapshotOf),
    refunds: window => list('/refunds', pageOf(window), refundOf),
    balanceTransactions: window => list(booked, pageOf(window), bookedOf),
    paidOut: (payout, after) => {
      const given = { payout, limit: page_size, ...(after ? { starting_after: after } : {}) }
      return list(booked, given satisfies Stripe.BalanceTransactionListParams, bookedOf)
    },
    events: window =>
      call(async stripe => {
        const { data, has_more } = await stripe.get<List<Stripe.Event>>('/events', pageOf(window))
        const last = data.at(-1)?.id
        return { data: data.flatMap(one => eventOf(one) ?? []), has_more, last }
      }),
  } satisfies Partial<ProviderBooks>
}

const booked = '/balance_transactions'

function pageOf({ from_s, to_s, after }: Window) {
  return {
    created: { gte: Math.floor(from_s), ...(to_s === undefined ? {} : { lte: Math.ceil(to_s) }) },
    limit: page_size,
    ...(after ? { starting_after: after } : {}),
  }
}

const reasons = ['duplicate', 'fraudulent', 'requested_by_customer'] as const

/** Stripe refuses a refund with any other reason, such as that of a cancelled order. */
function isReason(reason: string): reason is (typeof reasons)[number] {
  return (reasons as readonly string[]).includes(reason)
}

/** An amount that the provider cannot express exactly was refused when the payment was created. */
function exact(amount_minor: number, currency: string): number {
  const amount = toStripe(amount_minor, currency)
  if (amount === null) throw new ProviderFailure('refused', 'amount_not_representable')
  return amount
}
