/** Stripe for accounts of tenants: a secret or restricted key of the account. */
import type { Stripe } from 'stripe'
import { Type } from 'typebox'
import { closed } from '#dodeca/kernel'
import { stripe_address } from '../settings.ts'
import { connectAccount } from './connect-stripe.ts'
import { openStripe } from './stripe.ts'
import { failureOf } from './stripe-failures.ts'
import type { Vendor } from './vendor.ts'

export const stripeAccounts: Vendor = {
  name: 'stripe',
  methods: ['card'],
  Auth: closed({
    secret_key: Type.String({ pattern: '^(sk|rk)_(test|live)_[A-Za-z0-9_]{8,240}$' }),
    publishable_key: Type.Optional(
      Type.String({ pattern: '^pk_(test|live)_[A-Za-z0-9_]{8,240}$' }),
    ),
  }),
  auth_says:
    'Send the `secret_key` of your Stripe account (sk_… or rk_…), and its `publishable_key` (pk_…) if a browser needs it, and no other members.',
  shown: ({ secret_key = '', publishable_key = null }) => ({
    last4: secret_key.slice(-4),
    publishable_key,
  }),
  fault: ({ settings }, { secret_key = '' }) => {
    const base_url = settings['payments.stripe_base_url'] ?? stripe_address
    const elsewhere = URL.parse(base_url)?.origin !== stripe_address
    return /^.k_live_/.test(secret_key) && elsewhere
      ? 'This platform does not call Stripe at its own address, so it accepts only test keys.'
      : undefined
  },
  open: (kernel, { auth: { secret_key = '', publishable_key }, webhook_secret }) => {
    const line = connectAccount(kernel, { secret_key, publishable_key, webhook_secret })
    return {
      provider: openStripe(kernel, line),
      identify: async () => {
        try {
          return (await (await line.client()).get<Stripe.Account>('/account')).id
        } catch (error) {
          throw failureOf(error)
        }
      },
      close: line.close,
    }
  },
}
