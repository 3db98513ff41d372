/**
 * Stripe in a browser: the payment element makes a confirmation token of what the payer types, in
 * a frame of Stripe, and the platform confirms the payment with it. What the element shows (amount,
 * currency, methods, manual capture) must be what the payment has.
 */
import { toStripe } from '../money/currencies.ts'
import type { StripeLine } from './connect-stripe.ts'
import { ProviderFailure, type ProviderBrowser } from './port.ts'

/** `amount` is in Stripe's unit. Returns what the page calls. */
const page_script = `async ({ publishable_key, methods, amount, currency, place, ready }) => {
  const stripe = window.Stripe(publishable_key)
  const elements = stripe.elements({
    mode: 'payment', amount, currency: currency.toLowerCase(), captureMethod: 'manual',
    paymentMethodTypes: methods,
  })
  const element = elements.create('payment')
  element.on('ready', ready)
  element.mount(place)
  return {
    change: more => elements.update({ amount: more }),
    pay: async (return_url, save) => {
      if (save !== undefined) elements.update({ setupFutureUsage: save ? 'off_session' : null })
      const submitted = await elements.submit()
      if (submitted.error) return { error: submitted.error.message }
      const made = await stripe.createConfirmationToken({ elements, params: { return_url } })
      return made.error
        ? { error: made.error.message }
        : { payment_method: made.confirmationToken.id }
    },
    act: async client_secret => {
      const done = await stripe.handleNextAction({ clientSecret: client_secret })
      return done.error ? { error: done.error.message } : {}
    },
  }
}`

/** As Stripe documents them. Frames of banks lie in frames of Stripe, whose policy is Stripe's own. */
const policy = {
  script: ['https://js.stripe.com', 'https://*.js.stripe.com'],
  frame: ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com'],
  connect: ['https://api.stripe.com'],
  img: ['https://*.stripe.com'],
}

export async function openBrowser(
  line: Pick<StripeLine, 'published'>,
): Promise<ProviderBrowser | null> {
  const published = await line.published()
  if (!published) return null
  const { key, script_url } = published
  const { origin } = new URL(script_url)
  const double = { script: [origin], frame: [origin], connect: [origin], img: [] }
  return {
    script_url,
    publishable_key: key,
    methods: [{ method: 'card', timing: 'held' }],
    policy: policy.script.includes(origin) ? policy : double,
    page_script,
    amountOf: (amount_minor, currency) => {
      const amount = toStripe(amount_minor, currency)
      if (amount === null) throw new ProviderFailure('refused', 'amount_not_representable')
      return amount
    },
  }
}
