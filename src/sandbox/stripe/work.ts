/** One change: what it may read and write, its time, its key, and the events that it makes. */
import type { Change } from './store.ts'
import { stripeId } from './stripe-id.ts'
import type { BalanceTransaction, Config, Effect, StripeEvent } from './objects.ts'

export const api_version = '2026-10-28.endive'

export type Work = Change & {
  readonly now_s: number
  readonly now_ms: number
  readonly request_id: string | null
  readonly key: string | null
  readonly config: Config
  emit(type: string, object: object, previous?: object): void
  effect(effect: Pick<Effect, 'kind' | 'object' | 'amount' | 'currency' | 'metadata'>): void
  book(transaction: BalanceTransaction): BalanceTransaction
  /** Schedules an action that runs after some seconds of this vendor's clock. */
  later(kind: string, object: string, seconds: number): void
}

export type WorkFacts = Pick<Work, 'now_ms' | 'request_id' | 'key' | 'config'> & {
  /** Called for each event that was made. */
  made(event: StripeEvent): void
}

export function workOn(change: Change, { made, ...facts }: WorkFacts): Work {
  const now_s = Math.floor(facts.now_ms / 1000)
  return {
    ...change,
    ...facts,
    now_s,
    emit: (type, object, previous) => {
      const event: StripeEvent = {
        id: stripeId('evt'),
        object: 'event',
        api_version,
        created: now_s,
        data: {
          object: structuredClone(object),
          ...(previous ? { previous_attributes: previous } : {}),
        },
        livemode: false,
        pending_webhooks: facts.config.webhook_url ? 1 : 0,
        request: { id: facts.request_id, idempotency_key: facts.key },
        type,
      }
      change.put('event', event.id, event)
      made(event)
    },
    effect: effect => {
      const id = stripeId('eff')
      change.put('effect', id, {
        ...effect,
        idempotency_key: facts.key,
        created_ms: facts.now_ms,
      })
    },
    book: transaction => {
      change.put('balance_transaction', transaction.id, transaction)
      return transaction
    },
    later: (kind, object, seconds) => {
      const at_ms = facts.now_ms + seconds * 1000
      const id = stripeId('sch')
      change.put('scheduled', id, { id, at_ms, kind, object })
    },
  }
}
