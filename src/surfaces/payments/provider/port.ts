/**
 * The port to a payment provider, in our own names and units. A snapshot is the provider's current
 * state of one object. A failure contains only certain facts: its `kind`.
 */
import type { ProviderVerdict, SignedProviderMessage, Reader } from '#dodeca/kernel'
import type { ProviderCustomers, UsedMethod } from './port-customers.ts'

export type Snapshot = {
  readonly handle: string
  readonly status:
    | 'requires_payment_method'
    | 'requires_action'
    /** The payer has agreed, and nothing is held until `finish`. */
    | 'approved'
    | 'requires_capture'
    | 'succeeded'
    | 'canceled'
    | 'processing'
  readonly currency: string
  readonly amount_minor: number
  readonly capturable_minor: number
  readonly received_minor: number
  readonly charge: Charge | null
  readonly last_error: { readonly code: string; readonly decline_code: string | null } | null
  readonly cancellation_reason: string | null
  readonly next_action: {
    readonly type: string
    /** Where the payer goes. Without one, the script of the provider does it with the secret. */
    readonly url: string | null
    readonly client_secret?: string | null
  } | null
  /** The id of our intent that the object was made for, if the object carries it. */
  readonly intent_id: string | null
  readonly tenant_id: string | null
  readonly created_s: number
  /** The method of a payment of a customer. */
  readonly method?: UsedMethod
}

/** The `cancellation_reason` of an object that the provider has no more. */
export const gone = 'gone'

export type Charge = {
  readonly id: string
  readonly captured: boolean
  readonly refunded_minor: number
  readonly disputed: boolean
  readonly capture_before_s: number | null
  readonly booked: BalanceTransaction | null
}

export type BalanceTransaction = {
  readonly id: string
  readonly kind: string
  readonly source: string | null
  readonly amount_minor: number
  readonly fee_minor: number
  readonly net_minor: number
  readonly currency: string
  readonly exchange_rate: string | null
  readonly available_on_s: number
  readonly created_s: number
}

export type RefundSnapshot = {
  readonly id: string
  readonly handle: string | null
  readonly operation_id: string | null
  readonly amount_minor: number
  readonly currency: string
  readonly status: 'pending' | 'succeeded' | 'failed'
  readonly failure_code: string | null
  readonly booked_ref: string | null
  readonly failure_booked_ref: string | null
  readonly created_s: number
}

export type DisputeSnapshot = {
  readonly id: string
  readonly handle: string | null
  readonly amount_minor: number
  readonly currency: string
  readonly status: 'warning' | 'needs_response' | 'under_review' | 'won' | 'lost' | 'closed'
  readonly reason: string
  readonly respond_by_s: number | null
  readonly booked: readonly BalanceTransaction[]
}

export type PayoutSnapshot = {
  readonly id: string
  readonly amount_minor: number
  readonly currency: string
  readonly status: string
  readonly arrival_s: number
  readonly booked_ref: string | null
  readonly failure_booked_ref: string | null
}

export type ProviderEvent = {
  readonly event_id: string
  readonly type: string
  /** The object to read. The rest of the event is not trusted. */
  readonly object_ref: string
  readonly created_s: number
}

export type Page<T> = {
  readonly data: readonly T[]
  readonly has_more: boolean
  /** Where the next page begins, if that is not the id of the last row. */
  readonly next?: string
}
/** `last` is the id of the last event of the list, which may name no object and be left out. */
export type EventPage = Page<ProviderEvent> & { readonly last: string | undefined }
export type Window = { readonly from_s: number; readonly to_s?: number; readonly after?: string }

/** How a browser makes a payment method, without showing it to a page of ours. */
export type ProviderBrowser = {
  /** Null: by redirect. The payment method has the name of the method. */
  readonly script_url: string | null
  readonly publishable_key: string
  /** What a button of ours says, if it is by redirect. */
  readonly title?: string
  /** `held`: the amount is reserved first and captured later. */
  readonly methods: readonly { readonly method: string; readonly timing: 'held' }[]
  /** What a page with the script needs, besides what is its own, as a content security policy. */
  readonly policy: Readonly<Record<'script' | 'frame' | 'connect' | 'img', readonly string[]>>
  /**
   * JavaScript of our page: an async function that gets this setup, the amount and the place of the
   * form, and returns `{ change(amount), pay(return_url, save), act(client_secret) }`.
   * Null: by redirect.
   */
  readonly page_script: string | null
  /** The amount in the provider's own unit. */
  amountOf(amount_minor: number, currency: string): number
}

export type ObjectKind = 'payment' | 'charge' | 'refund' | 'dispute' | 'payout'

export type ProviderRules = {
  /** For how long a call may be sent again with its key. Afterwards it is only read. */
  readonly resend_seconds: { readonly refund: number; readonly other: number }
  readonly books_late_seconds: number
}

/** A call that fails throws a `ProviderFailure`. Any other error leaves its outcome in doubt. */
export type PaymentProvider = {
  readonly name: string
  /** Without them: those of Stripe. */
  readonly rules?: ProviderRules
  /** Makes the object of a payment. It holds no money yet. */
  createHandle(order: {
    readonly intent_id: string
    readonly tenant_id: string
    readonly amount_minor: number
    readonly currency: string
    readonly key: string
  }): Promise<Snapshot>
  confirm(
    handle: string,
    how: {
      readonly payment_method: string
      readonly return_url: string | null
      readonly key: string
      /** Keep it for the customer of the payment; false: do not, whatever was said before. */
      readonly save?: boolean
      /** The payer is absent. */
      readonly off_session?: boolean
    },
  ): Promise<Snapshot>
  /**
   * Holds the money of an object that its payer has approved. Only we do this, so an object that was
   * never finished holds nothing for certain.
   */
  finish?(handle: string, how: { readonly key: string }): Promise<Snapshot>
  capture(
    handle: string,
    how: { readonly amount_minor: number; readonly currency: string; readonly key: string },
  ): Promise<Snapshot>
  cancel(handle: string, how: { readonly key: string }): Promise<Snapshot>
  refund(how: {
    readonly handle: string
    readonly amount_minor: number
    readonly currency: string
    readonly operation_id: string
    readonly reason: string
    readonly key: string
  }): Promise<RefundSnapshot>
  read(handle: string): Promise<Snapshot>
  readRefund(id: string): Promise<RefundSnapshot>
  refundsOf(handle: string): Promise<readonly RefundSnapshot[]>
  /** What an id in an event names. Null: nothing about money. */
  kindOf(object_ref: string): ObjectKind | null
  /** Checks a webhook by its exact bytes. `now_seconds` is real time. */
  verify(
    message: SignedProviderMessage,
    now_seconds: number,
  ): ProviderVerdict<ProviderEvent> | Promise<ProviderVerdict<ProviderEvent>>
  /** False while it is not configured. */
  accepting?(): boolean
  /** Null while a browser cannot use it. Without it, there are no pages of ours. */
  browser?(): Promise<ProviderBrowser | null>
  /** Without it, no payment method is saved. */
  readonly customers?: ProviderCustomers
  /** Its own books. Without them nothing is reconciled, and lost webhooks are not looked for. */
  readonly books?: ProviderBooks
}

/**
 * One account with a provider, as use cases have it: behind its own gate. Its `name` is what rows have
 * in `provider`: `stripe` for the platform's own account, `stripe:<id>` for one of a tenant.
 */
export type OpenProvider = PaymentProvider & {
  /** The tenant to which the account belongs. The nil tenant is the platform. */
  readonly owner_id: string
  /** The name that its tenant gave it. Without one it is the platform's. */
  readonly account?: string
  readonly rules: ProviderRules
  accepting(): boolean
  /** Called when the provider works again after the breaker was open. */
  onRecovered(run: () => void): void
}

/** `name` is that of the tenant's account, or `platform`. */
export type Offer = { readonly key: string; readonly name: string }

/** All accounts: the platform's own, and those of tenants. */
export type Providers = {
  /** By the column `provider` of a row. Undefined for an account that is closed or unknown. */
  of(key: string): Promise<OpenProvider | undefined>
  byId(account_id: string): Promise<OpenProvider | undefined>
  /** The platform's own. The first one is the usual one. */
  readonly platform: readonly [OpenProvider, ...OpenProvider[]]
  /** Undefined if this process has not opened it. */
  known(key: string): OpenProvider | undefined
  /**
   * The accounts at which who pays the tenant may choose to pay, one for each provider: its own if it
   * has any, or else those of the platform. The first is the usual one. The list is at most a second
   * old, and read `now` for what is decided by it.
   */
  offered(reader: Reader, tenant_id: string, read?: 'now'): Promise<readonly [Offer, ...Offer[]]>
  close(): Promise<void>
}

export type ProviderBooks = {
  payments(window: Window): Promise<Page<Snapshot>>
  refunds(window: Window): Promise<Page<RefundSnapshot>>
  balanceTransactions(window: Window): Promise<Page<BalanceTransaction>>
  /** Lists the balance transactions that a payout contains. */
  paidOut(payout: string, after?: string): Promise<Page<BalanceTransaction>>
  events(window: Window): Promise<EventPage>
  /** The sum of available and pending money, by currency. */
  balance(): Promise<ReadonlyMap<string, number>>
  readDispute(id: string): Promise<DisputeSnapshot>
  readPayout(id: string): Promise<PayoutSnapshot>
  /** Returns the payment that a charge belongs to. */
  handleOfCharge(charge: string): Promise<string | null>
}

export type FailureKind =
  /** Final: the card was refused. */
  | 'declined'
  /** Final: the request was refused and had no effect. */
  | 'refused'
  /** The object is in another state than we expected. Read it. */
  | 'unexpected_state'
  /** The call may or may not have had its effect. */
  | 'doubt'
  /** The call was not sent, or was rejected unread. Try again with the same key. */
  | 'not_sent'

export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure'
  readonly kind: FailureKind
  readonly code: string
  /** The object's state in the reply of a decline. */
  readonly snapshot: Snapshot | null
  constructor(
    kind: FailureKind,
    code: string,
    { snapshot = null, cause }: { snapshot?: Snapshot | null; cause?: unknown } = {},
  ) {
    super(`the payment provider: ${kind} (${code})`, { cause })
    this.kind = kind
    this.code = code
    this.snapshot = snapshot
  }
}

/** For the comparison of the books, which is only begun where there are some. */
export function booksOf({ books }: Pick<PaymentProvider, 'books'>): ProviderBooks {
  if (!books) throw new ProviderFailure('not_sent', 'provider_without_books')
  return books
}
