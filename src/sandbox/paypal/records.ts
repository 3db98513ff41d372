/** What this PayPal keeps. Objects are as its API shows them, beside whom they belong to. */
import { randomInt } from 'node:crypto'
import type { Clock } from '#dodeca/kernel'
import type { RecordChange, RecordStore } from '../record-store.ts'
import type { Faults } from './faults.ts'

export type Money = { readonly currency_code: string; readonly value: string }

export type Account = {
  readonly account_id: string
  readonly client_id: string
  readonly client_secret: string
  readonly webhook_id: string
  readonly webhook_url: string | null
}
export type Order = {
  readonly account: string
  readonly id: string
  readonly status: 'CREATED' | 'PAYER_ACTION_REQUIRED' | 'APPROVED' | 'COMPLETED'
  readonly unit: { readonly custom_id: string | undefined; readonly amount: Money }
  readonly urls: { readonly return_url: string; readonly cancel_url: string } | null
  readonly create_time: string
}
/** An authorization, a capture or a refund. */
export type Payment = {
  readonly account: string
  readonly id: string
  readonly kind: 'authorization' | 'capture' | 'refund'
  readonly order: string
  /** What it captures or gives back. */
  readonly of: string | null
  readonly status: string
  readonly amount: Money
  readonly fee: Money | null
  readonly custom_id: string | undefined
  readonly create_time: string
}
export type Reported = {
  readonly account: string
  readonly id: string
  readonly code: string
  readonly amount: Money
  readonly fee: Money | null
  readonly at_ms: number
}
export type Event = {
  readonly account: string
  readonly id: string
  readonly event_type: string
  readonly create_time: string
  readonly resource: object
}
/** What happened to money, for tests. */
export type Effect = {
  readonly account: string
  readonly kind: string
  readonly object: string
  readonly order: string
  readonly amount: Money
  readonly key: string | null
}
export type Config = {
  readonly report_late_seconds: number
  readonly fee_percent: number
  readonly backoff_ms: number
}
export type Tables = {
  account: Account
  order: Order
  payment: Payment
  reported: Reported
  event: Event
  delivery: { readonly event: string; readonly due_ms: number; readonly attempts: number }
  effect: Effect
  key: { readonly at_ms: number; readonly status: number; readonly body: unknown }
  config: Config
}

export type Vended = {
  readonly store: RecordStore<Tables>
  readonly clock: Clock
  readonly faults: Faults
  /** Each token, with its account. */
  readonly tokens: Map<string, string>
  config(): Config
  address(): string
  /** The clock of messages, which this vendor's own does not move. */
  realMs(): number
  /** Sends what is due. */
  wake(): void
}
export type Change = RecordChange<Tables>

const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ0123456789'
export const paypalId = (length = 17) =>
  Array.from({ length }, () => letters[randomInt(letters.length)]).join('')

export const timeAt = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z/, 'Z')

export const paymentsOf = ({ store }: Vended, order: string, kind: Payment['kind']) =>
  store.all('payment').filter(one => one.order === order && one.kind === kind)
