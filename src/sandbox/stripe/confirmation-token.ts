/** A confirmation token as this sandbox stores it. */
export type ConfirmationToken = {
  id: string
  object: 'confirmation_token'
  created: number
  expires_at: number | null
  livemode: false
  payment_intent: string | null
  payment_method_preview: { type: 'card'; card: { last4: string } }
  return_url: string | null
  setup_intent: null
  use_stripe_sdk: boolean
  /** The test card behind it, and what the page showed. Stripe does not show these. */
  payment_method: string
  shown: { amount: number | null; currency: string | null }
}
