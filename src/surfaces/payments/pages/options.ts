/** How a browser can pay: for pages of shops, which load the provider's script themselves. */
import { Type, type Static } from 'typebox'
import {
  closed,
  count,
  Id,
  nullable,
  oneOf,
  Problem,
  routesOf,
  type Principal,
  type Reader,
} from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { accountIdOf, vendorOf } from '../provider/account-key.ts'
import { of_platform } from '../provider/open-providers.ts'
import type { OpenProvider } from '../provider/port.ts'
import { amountRules, canTake, readAmount } from '../money/read-amount.ts'

const Option = Type.Object(
  {
    provider: Type.String({ maxLength: 50 }),
    account: Type.String({ maxLength: 50 }),
    payment_account_id: nullable(Id),
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
        'With the script and the publishable key of the provider, a page makes a payment method, which your server sends to `POST /v1/payment-intents/{id}/authorize` or to a checkout. A caller with a token gets the accounts at which their tenant may be paid, one for each provider, of which a checkout names one by its `provider` or `account`. Without a token it is the account `payment_account_id`, or else those of the platform. Where `script_url` is null, the payer is sent away: `payment_method` is the name of the method, and the authorization answers with the URL in `next_action`. Without a fitting option the list is empty.',

      permission: 'public',
      takes: 'optional',
      // A guest, who is a narrow session, pays too.
      narrow: 'any',
      headers: { vary: 'Authorization, Cookie' },
      query: closed({
        amount_minor: Type.Optional(count(1, Number.MAX_SAFE_INTEGER)),
        payment_account_id: Type.Optional(Id),
        currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$', minLength: 3, maxLength: 3 })),
      }),
      transaction: 'own',
      head: true,
      reply: PaymentOptions,
    },
    async ({ db, principal, query }, deps) => {
      if (!isPayable(query, deps.kernel)) return { options: [] }
      const accounts = await accountsFor(db, deps, principal, query.payment_account_id)
      const options = await Promise.all(accounts.map(one => optionsOf(one, query)))
      return { options: options.flat() }
    },
  ),
})

async function accountsFor(
  reader: Reader,
  { providers }: Deps,
  principal: Pick<Principal, 'tenant_id'> | null,
  id: string | undefined,
): Promise<readonly (OpenProvider | undefined)[]> {
  if (id !== undefined) return [await providers.byId(id)]
  if (!principal) return providers.platform
  const offers = await providers.offered(reader, principal.tenant_id)
  return await Promise.all(offers.map(({ key }) => providers.of(key)))
}

async function optionsOf(
  provider: OpenProvider | undefined,
  { amount_minor = any_amount_minor, currency }: Asked,
): Promise<Static<typeof Option>[]> {
  const found = await provider?.browser?.()
  const { name, account = of_platform } = provider ?? { name: '' }
  if (!found || (currency !== undefined && !canTake(name, amount_minor, currency))) return []
  const { script_url, publishable_key, methods } = found
  const at = { provider: vendorOf(name), account, payment_account_id: accountIdOf(name) }
  return methods.map(one => ({ ...at, ...one, script_url, publishable_key }))
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
