/** PayPal for accounts of tenants: the client id and the secret of an app of the account. */
import { Type } from 'typebox'
import { closed } from '#dodeca/kernel'
import { connectPayPalAccount } from './connect-paypal.ts'
import { method, openPayPal } from './paypal.ts'
import { ProviderFailure } from './port.ts'
import type { Vendor } from './vendor.ts'

const Key = Type.String({ pattern: '^[A-Za-z0-9_-]{16,200}$' })

export const paypalAccounts: Vendor = {
  name: 'paypal',
  methods: [method],
  Auth: closed({ client_id: Key, client_secret: Key }),
  auth_says:
    'Send the `client_id` and the `client_secret` of your app at PayPal, which may search transactions, and no other members. The `webhook_secret` is the id of its webhook.',
  shown: ({ client_secret = '', client_id = null }) => ({
    last4: client_secret.slice(-4),
    publishable_key: client_id,
  }),
  fault: () => undefined,
  open: (kernel, { auth: { client_id = '', client_secret = '' }, webhook_secret }) => {
    const line = connectPayPalAccount(kernel, { client_id, client_secret }, webhook_secret)
    return {
      provider: openPayPal(kernel, line),
      identify: async () => {
        const paypal = await line.client()
        const { account_id } = await paypal.get<{ account_id?: string }>('/v1/reporting/balances')
        if (!account_id) throw new ProviderFailure('refused', 'account_unnamed')
        return account_id
      },
      close: line.close,
    }
  },
}
