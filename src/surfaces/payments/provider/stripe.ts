/** The provider port on the official SDK. Every write has a key that never changes. */
import type { Stripe } from 'stripe'
import { openGate, type Gate } from './gate.ts'
import { nearestOfStripe, toStripe } from '../money/currencies.ts'
import type { Kernel } from '../settings.ts'
import { connectStripe } from './connect-stripe.ts'
import { ProviderFailure, type Page, type PaymentProvider, type Window } from './port.ts'
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

export type StripeProvider = PaymentProvider & Pick<Gate, 'onRecovered'>

export function openStripe(kernel: Kernel): StripeProvider {
  const { settings, log } = kernel
  const line = connectStripe(kernel)
  const gate = openGate({
    reads_per_second: settings['payments.provider_reads_per_second'],
    writes_per_second: settings['payments.provider_writes_per_second'],
    concurrency: settings['payments.provider_concurrency'],
    open_ms: settings['payments.breaker_open_ms'],
  })
  const call = <T>(kind: 'read' | 'write', work: (stripe: Stripe) => Promise<T>): Promise<T> =>
    gate.pass(kind, async () => {
      try {
        return await work(await line.client())
      } catch (error) {
        const failure = failureOf(error)
        if (failure.code === 'provider_unauthorized' || failure.code === 'idempotency_error') {
          log.error({ err: failure }, 'the payment provider refuses our credentials or our key')
        }
        throw failure
      }
    })
  return {
    name: 'stripe',
    onRecovered: gate.onRecovered,
    accepting: () => line.configured() && !gate.open(),
    webhookSecrets: line.secrets,
    ...writes(call),
    ...reads(call),
    ...lists(call),
  }
}

type Call = <T>(kind: 'read' | 'write', work: (stripe: Stripe) => Promise<T>) => Promise<T>

function writes(call: Call) {
  return {
    createHandle: ({ intent_id, tenant_id, amount_minor, currency, key }) =>
      call('write', async stripe =>
        snapshotOf(
          await stripe.paymentIntents.create(
            {
              amount: exact(amount_minor, currency),
              currency: currency.toLowerCase(),
              capture_method: 'manual',
              allowed_payment_method_types: ['card'],
              metadata: { intent_id, tenant_id },
            },
            { idempotencyKey: key },
          ),
        ),
      ),
    confirm: (handle, { payment_method, return_url, key }) =>
      call('write', async stripe =>
        snapshotOf(
          await stripe.paymentIntents.confirm(
            handle,
            { payment_method, ...(return_url ? { return_url } : {}), expand },
            { idempotencyKey: key },
          ),
        ),
      ),
    capture: (handle, { amount_minor, currency, key }) =>
      call('write', async stripe =>
        snapshotOf(
          await stripe.paymentIntents.capture(
            handle,
            { amount_to_capture: exact(amount_minor, currency), expand },
            { idempotencyKey: key },
          ),
        ),
      ),
    cancel: (handle, { key }) =>
      call('write', async stripe =>
        snapshotOf(await stripe.paymentIntents.cancel(handle, { expand }, { idempotencyKey: key })),
      ),
    refund: ({ handle, amount_minor, currency, operation_id, reason, key }) =>
      call('write', async stripe => {
        const named = isReason(reason) ? { reason } : {}
        return refundOf(
          await stripe.refunds.create(
            {
              payment_intent: handle,
              amount: exact(amount_minor, currency),
              metadata: { operation_id },
              ...named,
            },
            { idempotencyKey: key },
          ),
        )
      }),
  } satisfies Partial<PaymentProvider>
}

function reads(call: Call) {
  return {
    read: handle =>
      call('read', async stripe =>
        snapshotOf(await stripe.paymentIntents.retrieve(handle, { expand })),
      ),
    readRefund: id => call('read', async stripe => refundOf(await stripe.refunds.retrieve(id))),
    readDispute: id => call('read', async stripe => disputeOf(await stripe.disputes.retrieve(id))),
    readPayout: id => call('read', async stripe => payoutOf(await stripe.payouts.retrieve(id))),
    handleOfCharge: id =>
      call('read', async stripe => idOf((await stripe.charges.retrieve(id)).payment_intent)),
    refundsOf: handle =>
      call('read', async stripe => {
        const list = await stripe.refunds.list({ payment_intent: handle, limit: page_size })
        return list.data.map(refundOf)
      }),
    balance: () =>
      call('read', async stripe => {
        const { available, pending } = await stripe.balance.retrieve()
        const sums = new Map<string, number>()
        for (const { amount, currency } of [...available, ...pending]) {
          const name = currency.toUpperCase()
          sums.set(name, (sums.get(name) ?? 0) + nearestOfStripe(amount, name))
        }
        return sums
      }),
  } satisfies Partial<PaymentProvider>
}

function lists(call: Call) {
  return {
    payments: window =>
      call('read', async stripe => {
        const list = await stripe.paymentIntents.list({ ...pageOf(window), expand: expand_list })
        return mapped(list, snapshotOf)
      }),
    refunds: window =>
      call('read', async stripe => mapped(await stripe.refunds.list(pageOf(window)), refundOf)),
    balanceTransactions: window =>
      call('read', async stripe =>
        mapped(await stripe.balanceTransactions.list(pageOf(window)), bookedOf),
      ),
    paidOut: (payout, after) =>
      call('read', async stripe => {
        const given = { payout, limit: page_size, ...(after ? { starting_after: after } : {}) }
        return mapped(await stripe.balanceTransactions.list(given), bookedOf)
      }),
    events: window =>
      call('read', async stripe => {
        const { data, has_more } = await stripe.events.list(pageOf(window))
        const last = data.at(-1)?.id
        return { data: data.flatMap(one => eventOf(one) ?? []), has_more, last }
      }),
  } satisfies Partial<PaymentProvider>
}

function pageOf({ from_s, to_s, after }: Window) {
  return {
    created: { gte: Math.floor(from_s), ...(to_s === undefined ? {} : { lte: Math.ceil(to_s) }) },
    limit: page_size,
    ...(after ? { starting_after: after } : {}),
  }
}

function mapped<A, B>(
  { data, has_more }: { readonly data: readonly A[]; readonly has_more: boolean },
  view: (one: A) => B,
): Page<B> {
  return { data: data.map(view), has_more }
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
