/** What Acme keeps, and the ways in which it can fail. */
import type { FaultScript } from '../fault-script.ts'
import type { RecordStore } from '../record-store.ts'
import type { Setup } from '../vendor.ts'
import { Type, type Static } from 'typebox'

export type Payment = {
  readonly id: string
  readonly reference: string
  readonly tenant: string
  readonly amount: number
  readonly currency: string
  readonly status: 'new' | 'processing' | 'authorized' | 'captured' | 'declined' | 'cancelled'
  readonly captured: number
  readonly decline_code: string | null
  readonly created: number
  /** The result that is decided and not public yet. */
  readonly next: Partial<Payment> | null
}

export type Refund = {
  readonly id: string
  readonly payment: string
  readonly reference: string
  readonly amount: number
  readonly currency: string
  readonly status: 'pending' | 'succeeded'
  readonly created: number
}

export type AcmeEvent = { readonly id: string; readonly object: string; readonly created: number }

export type Delivery = {
  readonly id: string
  readonly event: AcmeEvent
  readonly due_ms: number
  readonly attempts: number
}

/** Money that has moved, for tests. */
type Effect = { readonly kind: string; readonly object: string; readonly amount: number }

export type Tables = {
  payment: Payment
  refund: Refund
  /** The object that a request with this key has made or changed. */
  key: { readonly object: string }
  /** Results that become public at their time. */
  result: { readonly object: string; readonly due_ms: number }
  delivery: Delivery
  effect: Effect
  config: { readonly webhook_url: string | null; readonly settle_ms: number }
}

/**
 * `hang`: a request is carried out and gets no reply. `late`, `twice`, `drop`: a webhook comes after
 * `ms`, twice at once, or never. `foreign`: a webhook or a read names `object` in the place of its own.
 */
export const Fault = Type.Object(
  {
    action: Type.Unsafe<'hang' | 'late' | 'twice' | 'drop' | 'foreign'>({
      type: 'string',
      enum: ['hang', 'late', 'twice', 'drop', 'foreign'],
    }),
    /** `webhook`, or the last word of the path of a request: `confirm`, `refunds`. */
    at: Type.String({ maxLength: 40 }),
    times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000 })),
    object: Type.Optional(Type.String({ maxLength: 100 })),
  },
  { additionalProperties: false },
)
export type Fault = Static<typeof Fault>

export type Vended = {
  readonly setup: Setup
  readonly key: string
  readonly webhook_secret: string
  readonly store: RecordStore<Tables>
  readonly faults: FaultScript<Fault, { at: string }>
  config(): Tables['config']
}

export const seconds = ({ clock }: Setup): number => Math.floor(clock.nowMs() / 1000)
