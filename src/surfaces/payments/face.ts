/**
 * What other parts of the platform may call. Each call names an operation of the caller's own, which is
 * effective once: the same id gives the stored outcome again. Every result is also an event. The calls work
 * in transactions of payments' own, because the provider is asked in between.
 */
export type PaymentResult = {
  readonly status:
    'authorized' | 'captured' | 'released' | 'declined' | 'requires_action' | 'pending'
  /** Null where nothing was begun: it was released before it came. */
  readonly intent_id: string | null
  readonly decline_code: string | null
  readonly next_action: { readonly type: string; readonly url: string | null } | null
  /** Until when the money is held, as the provider says. */
  readonly authorization_expires_at: string | null
}

export type RefundResult = {
  readonly status: 'succeeded' | 'pending' | 'failed'
  readonly intent_id: string
  readonly refund_id: string
}

export type AuthorizeOrder = {
  readonly operation_id: string
  readonly tenant_id: string
  readonly order_ref: string
  readonly amount_minor: number
  readonly currency: string
  readonly payment_method: string
  readonly return_url?: string | null
  /** Who pays: declines are counted for them. */
  readonly buyer_id: string | null
}

export type Face = {
  authorize(order: AuthorizeOrder): Promise<PaymentResult>
  /** All of the authorization, or a part of it; the rest is released. */
  capture(order: {
    readonly operation_id: string
    readonly tenant_id: string
    readonly intent_id: string
    readonly amount_minor: number
  }): Promise<PaymentResult>
  /**
   * The money of an authorization is not wanted: before it came (it is refused then), while it is in doubt,
   * while it is held, or after it was captured (all of it is refunded then).
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
  /** What became of an operation, with what the buyer has to do next. */
  get(tenant_id: string, operation_id: string): Promise<PaymentResult | undefined>
  /** False while the provider cannot be reached: do not begin what needs it. */
  accepting(): boolean
  /** Refuses a body with a card number in it: for routes that take payment methods. */
  refuseCardData(body: unknown): void
}
