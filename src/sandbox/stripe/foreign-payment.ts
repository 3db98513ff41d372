/**
 * A payment of this account that the platform did not request, such as one made in Stripe's
 * dashboard.
 */
import { workIn, type Vended } from './vended.ts'
import { captureIntent, confirmIntent, createIntent } from './payment-intents.ts'
import type { PaymentIntent } from './objects.ts'

export function makeForeignPayment(vended: Vended, amount = 1234, currency = 'eur'): PaymentIntent {
  const made = vended.store.change(change => {
    const work = workIn(vended, change)
    const form = { amount: String(amount), currency, capture_method: 'manual' }
    const { id } = createIntent(work, form)
    confirmIntent(work, id, { payment_method: 'pm_card_visa' })
    return captureIntent(work, id, {})
  })
  vended.deliveries.wake()
  return made
}
