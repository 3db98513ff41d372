/** How a browser can pay: for pages of shops, which load the provider's script themselves. */
import { Type } from 'typebox'
import { closed, count, Id, oneOf, Problem, routesOf } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { vendorOf } from '../provider/account-key.ts'
import { amountRules, readAmount } from '../money/read-amount.ts'

const Option = Type.Object(
  {
    provider: Type.String({ maxLength: 50 }),
    method: Type.String({ maxLength: 50 }),
    timing: oneOf('held'),
    script_url: Type.String({ maxLength: 2048 }),
    publishable_key: Type.String({ maxLength: 255 }),
  },
  { title: 'PaymentOption' },
)

const PaymentOptions = Type.Object(
  { options: Type.Array(Option, { maxItems: 50 }) },
  { title: 'PaymentOptions' },
)

/** In every currency the provider can express it. */
const any_amount_minor = 1000

const { open, get } = routesOf<Deps>({ added: true, tool: 'never' })

export const optionRoutes = open({
  getPaymentOptions: get(
    '/v1/payment-options',
    'How a browser can pay an amount',
    {
      description:
        'With the script and the publishable key of the provider, a page makes a payment method, which your server sends to `POST /v1/payment-intents/{id}/authorize` or to a checkout. With `payment_account_id` it is the key of that account, and without it that of the platform. Without a fitting option the list is empty.',

      permission: 'public',
      query: closed({
        amount_minor: Type.Optional(count(1, Number.MAX_SAFE_INTEGER)),
        payment_account_id: Type.Optional(Id),
        currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$', minLength: 3, maxLength: 3 })),
      }),
      transaction: 'own',
      head: true,
      reply: PaymentOptions,
    },
    async ({ query }, { kernel, provider: platform, providers }) => {
      const { payment_account_id: id } = query
      const provider = id === undefined ? platform : await providers.byId(id)
      const browser = await provider?.browser?.()
      if (!provider || !browser || !isPayable(query, kernel)) return { options: [] }
      const { script_url, publishable_key, methods } = browser
      const options = methods.map(({ method, timing }) => ({
        provider: vendorOf(provider.name),
        method,
        timing,
        script_url,
        publishable_key,
      }))
      return { options }
    },
  ),
})

type Asked = { readonly amount_minor?: number; readonly currency?: string }

function isPayable({ amount_minor, currency }: Asked, { settings }: Deps['kernel']): boolean {
  if (currency === undefined) return true
  try {
    readAmount({ amount_minor: amount_minor ?? any_amount_minor, currency }, amountRules(settings))
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}
