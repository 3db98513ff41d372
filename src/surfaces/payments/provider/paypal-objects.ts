/** PayPal's objects, as far as we read them. */
export type Money = { readonly currency_code: string; readonly value: string }

export type Link = { readonly href: string; readonly rel: string }

export type Authorization = {
  readonly id: string
  readonly status: string
  readonly amount: Money
  readonly expiration_time?: string
}

export type Capture = {
  readonly id: string
  readonly status: string
  readonly amount: Money
  readonly create_time?: string
  readonly seller_receivable_breakdown?: {
    readonly paypal_fee?: Money
    readonly net_amount?: Money
  }
  readonly supplementary_data?: { readonly related_ids?: { readonly order_id?: string } }
}

export type Refund = {
  readonly id: string
  readonly status: string
  readonly amount: Money
  readonly custom_id?: string
  readonly create_time?: string
  readonly links?: readonly Link[]
}

export type Order = {
  readonly id: string
  readonly status: string
  readonly create_time?: string
  readonly links?: readonly Link[]
  readonly purchase_units: readonly {
    readonly custom_id?: string
    readonly amount: Money
    readonly payments?: {
      readonly authorizations?: readonly Authorization[]
      readonly captures?: readonly Capture[]
      readonly refunds?: readonly Refund[]
    }
  }[]
}

export type Dispute = {
  readonly dispute_id: string
  readonly status: string
  readonly reason?: string
  readonly dispute_amount: Money
  readonly dispute_life_cycle_stage?: string
  readonly dispute_outcome?: { readonly outcome_code?: string }
  readonly seller_response_due_date?: string
  readonly disputed_transactions?: readonly { readonly seller_transaction_id?: string }[]
}

export type ReportedTransaction = {
  readonly transaction_id: string
  readonly transaction_event_code?: string
  readonly transaction_initiation_date: string
  readonly transaction_amount: Money
  readonly fee_amount?: Money
  readonly transaction_status?: string
}
