/** How a browser can pay: for pages of shops, which load the provider's script themselves. */
import { Type, type Static } from 'typebox'
import { closed, count, Id, nullable, oneOf, Problem, routesOf } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { vendorOf } from '../provider/account-key.ts'
import type { OpenProvider } from '../provider/port.ts'
import { amountRules, canTake, readAmount } from '../money/read-amount.ts'

const Option = Type.Object(
  {
    provider: Type.String({ maxLength: 50 }),
    method: Type.String({ maxLength: 50 }),
    timing: oneOf('held'),
    script_url: nullable(Type.String({ maxLength: 2048 })),
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
        'With the script and the publishable key of the provider, a page makes a payment method, which your server sends to `POST /v1/payment-intents/{id}/authorize` or to a checkout. With `payment_account_id` it is the key of that account, and without it that of the platform. Where `script_url` is null, the payer is sent away: `payment_method` is the name of the method, and the authorization answers with the URL in `next_action`. Without a fitting option the list is empty.',

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
    async ({ query }, { kernel, providers }) => {
      const { payment_account_id: id } = query
      const own = id === undefined ? null : await providers.byId(id)
      const accounts = own === null ? providers.platform : [own]
      if (!isPayable(query, kernel)) return { options: [] }
      const options = await Promise.all(accounts.map(one => optionsOf(one, query)))
      return { options: options.flat() }
    },
  ),
})

async function optionsOf(
  provider: OpenProvider | undefined,
  { amount_minor = any_amount_minor, currency }: Asked,
): Promise<Static<typeof Option>[]> {
  const found = await provider?.browser?.()
  const { name } = provider ?? { name: '' }
  if (!found || (currency !== undefined && !canTake(name, amount_minor, currency))) return []
  const { script_url, publishable_key, methods } = found
  return methods.map(one => ({ provider: vendorOf(name), ...one, script_url, publishable_key }))
}

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
