/** The balance and its payouts. Both are sums of balance transactions, as in the real Stripe. */
import { invalidRequest } from './api-error.ts'
import { newBalanceTransaction, type BalanceTransaction, type Payout } from './objects.ts'
import type { Store } from './store.ts'
import { stripeId } from './stripe-id.ts'
import type { Work } from './work.ts'

export function balanceOf(store: Pick<Store, 'all'>, now_s: number): object {
  const available = new Map<string, number>()
  const pending = new Map<string, number>()
  for (const one of store.all('balance_transaction')) {
    const sums = one.available_on <= now_s ? available : pending
    sums.set(one.currency, (sums.get(one.currency) ?? 0) + one.net)
  }
  const lines = (sums: ReadonlyMap<string, number>) =>
    [...new Set([...available.keys(), ...pending.keys()])].map(currency => ({
      amount: sums.get(currency) ?? 0,
      currency,
      source_types: { card: sums.get(currency) ?? 0 },
    }))
  return {
    object: 'balance',
    livemode: false,
    available: lines(available),
    pending: lines(pending),
  }
}

/** Pays out the available amount. Each balance transaction in it records the payout. */
export function payOut(
  work: Work,
  settled: readonly BalanceTransaction[],
  currency: string,
): Payout {
  const amount = settled.reduce((sum, one) => sum + one.net, 0)
  if (amount < 1) throw invalidRequest('balance_insufficient', 'Nothing is available to pay out.')
  const id = stripeId('po')
  const booked = work.book(
    newBalanceTransaction(
      { amount: -amount, fee: 0, currency, source: id, type: 'payout' },
      work.now_s,
      true,
    ),
  )
  for (const one of settled) {
    work.put('balance_transaction', one.id, { ...one, payout: id, status: 'available' })
  }
  work.put('balance_transaction', booked.id, { ...booked, payout: id })
  const payout: Payout = {
    id,
    object: 'payout',
    amount,
    arrival_date: work.now_s + 86_400,
    balance_transaction: booked.id,
    created: work.now_s,
    currency,
    failure_balance_transaction: null,
    failure_code: null,
    livemode: false,
    metadata: {},
    status: 'in_transit',
  }
  work.put('payout', id, payout)
  work.emit('payout.created', payout)
  return payout
}

export function endPayout(work: Work, payout: Payout, failed: boolean): Payout {
  const back = failed
    ? work.book(
        newBalanceTransaction(
          {
            amount: payout.amount,
            fee: 0,
            currency: payout.currency,
            source: payout.id,
            type: 'payout_failure',
          },
          work.now_s,
          true,
        ),
      )
    : null
  const ended: Payout = {
    ...payout,
    status: failed ? 'failed' : 'paid',
    failure_code: failed ? 'account_closed' : null,
    failure_balance_transaction: back?.id ?? null,
  }
  work.put('payout', payout.id, ended)
  work.emit(failed ? 'payout.failed' : 'payout.paid', ended)
  return ended
}
