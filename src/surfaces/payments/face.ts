/**
 * What other surfaces may call. Each call contains the id of the caller's operation. An operation
 * takes effect once, and the same id returns the stored outcome again. Every result is also an
 * event. The functions of `Face` write in the caller's transaction, and the provider is called
 * later. Those of `Inside`, for a buyer who waits, use their own transactions, because the provider
 * is called between two of them.
 */
import type { Principal, Reader, Tx } from '#dodeca/kernel'
import type { Static } from 'typebox'
import type { IntentSummary } from './intents/intent-view.ts'

export type IntentOrder = {
  /** The caller's own id for the payment. */
  readonly id?: string
  readonly tenant_id: string
  readonly amount_minor: number
  readonly currency: string
  readonly order_ref?: string
  /** The name of an account of the tenant, or `platform`. Without it: as for `POST /v1/payment-intents`. */
  readonly account?: string
  /** Who pays. The payment is in the export of this account, and its erasure removes the link. */
  readonly customer_account_id?: string
  /** Of `/v1/customers`: whose saved methods the payment may use. */
  readonly customer_id?: string
  readonly metadata?: Readonly<Record<string, string>>
}

/** Without an amount, all of it is meant. */
export type OperationOrder = {
  /** The caller's own id for the operation. The events about it contain the id. */
  readonly operation_id?: string
  readonly tenant_id: string
  readonly intent_id: string
} & (
  | {
      readonly type: 'authorize'
      /** The provider's id of a method that a browser made, or our id of a saved one. */
      readonly payment_method: string
      /** Keep the method for later payments of the customer or of the account. */
      readonly save?: boolean
      /** The payer is absent. */
      readonly off_session?: boolean
      readonly return_url?: string
      /** Who pays. Declines are counted for this account. */
      readonly customer_account_id?: string
    }
  | { readonly type: 'capture'; readonly amount_minor?: number }
  | { readonly type: 'void' }
  | {
      readonly type: 'refund'
      readonly amount_minor?: number
      readonly reason?: 'requested_by_customer' | 'duplicate' | 'fraudulent' | 'other'
    }
)

export type PaymentResult = {
  readonly status:
    'authorized' | 'captured' | 'released' | 'declined' | 'requires_action' | 'pending'
  /** Null if no authorization was begun, because the release came first. */
  readonly intent_id: string | null
  readonly decline_code: string | null
  readonly next_action: {
    readonly type: string
    readonly url: string | null
    /** For the browser of the buyer only. */
    readonly client_secret: string | null
  } | null
  /** The provider holds the money until this time. */
  readonly authorization_expires_at: string | null
  readonly amount_captured_minor: number
}

export type RefundResult = {
  readonly status: 'succeeded' | 'pending' | 'failed'
  readonly intent_id: string
  readonly refund_id: string
}

/** Of what is offered to who pays: a provider, the name of an account, or both. */
type AccountWish = {
  readonly provider?: string | undefined
  readonly account?: string | undefined
}

export type AuthorizeOrder = {
  readonly operation_id: string
  readonly tenant_id: string
  readonly order_ref: string
  readonly amount_minor: number
  readonly currency: string
  /** An account from `choose`. Without it: the usual one of the tenant. */
  readonly account?: string | null
  /** The provider's id of a method that a browser made, or our id of one that the buyer saved. */
  readonly payment_method: string
  readonly save?: boolean
  readonly return_url?: string | null
  /** The buyer. Declines are counted for the buyer. */
  readonly buyer_id: string | null
}

/** A line of goods by its text, or a sum by its kind. */
export type OwnedLine = {
  readonly label: { readonly text: string } | { readonly sum: 'discount' | 'shipping' | 'tax' }
  readonly amount_minor: number
}

type OwnedRequest = {
  readonly id: string
  readonly url: string
  readonly state: 'open' | 'processing' | 'paid' | 'expired' | 'cancelled'
  readonly amount_minor: number | null
  readonly currency: string
  readonly description: string
  readonly return_url: string | null
  readonly expires_at: string
}

type RequestKey = { readonly tenant_id: string; readonly id: string }

/** The surface whose orders are paid by requests. */
export type RequestOwner = {
  /**
   * Pays the order of the request with the payment method, or continues this attempt. Throws if
   * nothing was paid. Called outside of a transaction. `account` is the one for which the page made
   * the payment method.
   */
  attempt(
    request: RequestKey & { readonly url: string },
    given: { readonly attempt_id: string; readonly payment_method: string },
    facts: { readonly ip: string; readonly account: string },
  ): Promise<void>
  /** Where the payer goes after a payment, if the request does not say it. */
  pageOf(reader: Reader, key: RequestKey): Promise<string | null>
}

/** Requests that the page of payments shows, and whose payment is that of another surface's order. */
export type OwnedRequests = {
  plug(owner: RequestOwner): void
  /** Whether a page can take payments for the tenant now. Asked outside of a transaction. */
  canPay(tenant_id: string): Promise<boolean>
  create(
    tx: Tx,
    order: {
      readonly tenant_id: string
      readonly amount_minor: number
      readonly currency: string
      readonly description: string
      readonly order_ref: string
      readonly lines: readonly OwnedLine[]
      readonly locale?: string
      readonly return_url?: string
      readonly expires_at: string
    },
  ): Promise<OwnedRequest>
  find(reader: Reader, key: RequestKey): Promise<OwnedRequest | undefined>
  /** Takes the request for one order. False if it is not open. */
  begin(tx: Tx, key: RequestKey): Promise<boolean>
  /** The order waits for its payer or was paid, or has ended: then the request is `open` again. */
  follow(
    tx: Tx,
    key: RequestKey,
    to: 'processing' | 'paid' | 'open',
    intent_id: string | null,
  ): Promise<void>
  cancel(tx: Tx, key: RequestKey): Promise<void>
}

export type Face = {
  /**
   * Creates a payment. The same order twice is one payment, and another order with the id is refused
   * with `idempotency_key_reused`. The routes of payments can move it too.
   */
  createIntent(tx: Tx, order: IntentOrder): Promise<{ id: string; existing: boolean }>
  /**
   * Begins an operation, which is carried out after the commit, however long the provider cannot be
   * reached. Its outcome is an event with the `operation_id`. It moves payments of the tenant that
   * no other surface manages.
   */
  begin(tx: Tx, order: OperationOrder): Promise<{ operation_id: string; existing: boolean }>
  /** Undefined if the tenant has no such payment. */
  find(
    reader: Reader,
    key: { readonly tenant_id: string; readonly id: string },
  ): Promise<Static<typeof IntentSummary> | undefined>
  /** Refuses a body that contains a card number. For routes that accept payment methods. */
  refuseCardData(body: unknown): void
}

export type Inside = Pick<Face, 'refuseCardData'> & {
  /** For a buyer who saves a method or uses a saved one. Refuses sessions that may not. */
  requireMethods(
    principal: Principal,
    wish: { readonly payment_method: string; readonly save?: boolean | undefined },
  ): void
  readonly requests: OwnedRequests
  authorize(order: AuthorizeOrder): Promise<PaymentResult>
  /** Captures the whole authorization or a part of it. The rest is released. */
  capture(order: {
    readonly operation_id: string
    readonly tenant_id: string
    readonly intent_id: string
    readonly amount_minor: number
  }): Promise<PaymentResult>
  /**
   * Releases the money of an authorization that is no longer wanted. Before the authorization
   * begins, it will be refused. While it is in doubt or held, it is released: `pending` until that is
   * certain. After a capture, all of it is refunded. `captured` or `authorized` means that the release
   * failed, for example because the provider captured first. Then order it again, with a new id.
   */
  void(order: {
    readonly operation_id: string
    readonly tenant_id: string
    readonly authorize_operation_id: string
    readonly reason: 'order_expired' | 'order_cancelled'
  }): Promise<PaymentResult | RefundResult>
  refund(order: {
    readonly operation_id: string
    readonly tenant_id: string
    readonly intent_id: string
    readonly amount_minor: number
    readonly reason: string
  }): Promise<RefundResult>
  /** The state of an operation, with the next step for the buyer. */
  get(tenant_id: string, operation_id: string): Promise<PaymentResult | undefined>
  /**
   * The account at which a payer of the tenant pays: `<provider>` is the platform's, `<provider>:<id>`
   * one of the tenant. Refuses what is not offered. `about` points to the wish in the caller's body.
   */
  choose(reader: Reader, tenant_id: string, wish: AccountWish, about: string): Promise<string>
  /** False while the provider of the account cannot be reached. Then begin nothing that needs it. */
  accepting(account: string): boolean
  /**
   * Refuses an amount that no payment could have, before anything is ordered for it. `about` points
   * to the member of the caller's body from which the amount was calculated.
   */
  requirePayable(amount_minor: number, currency: string, about: string, account?: string): void
  /** The account takes only multiples of this amount, in minor units of the currency. */
  stepOf(currency: string, account: string | null): number
}
