/** A customer and a payment method of theirs, as this sandbox stores them. */
export type Customer = {
  id: string
  object: 'customer'
  created: number
  email: string | null
  name: string | null
  livemode: false
  metadata: Record<string, string>
  deleted?: true
}

export type ShownCard = { brand: string; last4: string; exp_month: number; exp_year: number }

export type PaymentMethod = {
  id: string
  object: 'payment_method'
  created: number
  customer: string | null
  livemode: false
  metadata: Record<string, string>
  type: 'card'
  card: ShownCard
  /** The test card behind it. Stripe does not show these. */
  made_of: string
  detached?: true
}
