/**
 * Customers at Stripe. They have our ids and nothing about the person. Each call has a key that never
 * changes.
 */
import type { Stripe } from 'stripe'
import type { Call } from './call-stripe.ts'
import { ProviderFailure } from './port.ts'
import type { ProviderCustomers } from './port-customers.ts'
import { idOf } from './stripe-snapshots.ts'

const customers = '/customers'
const methods = '/payment_methods'

export function openCustomers(call: Call): ProviderCustomers {
  return {
    create: ({ customer_id, tenant_id, key }) =>
      call(async stripe => {
        const params: Stripe.CustomerCreateParams = { metadata: { customer_id, tenant_id } }
        return (await stripe.post<Stripe.Customer>(customers, params, key)).id
      }),
    find: customer_id =>
      call(async stripe => {
        const params: Stripe.CustomerSearchParams = {
          query: `metadata['customer_id']:'${customer_id}'`,
          limit: 1,
        }
        const path = `${customers}/search`
        const { data } = await stripe.get<Stripe.ApiSearchResult<Stripe.Customer>>(path, params)
        return data[0]?.id ?? null
      }),
    remove: (ref, { key }) =>
      unlessGone(
        () => call(stripe => stripe.del(`${customers}/${encodeURIComponent(ref)}`, key)),
        async ({ code }) => code === 'resource_missing',
      ),
    assign: (handle, customer, { key }) =>
      call(async stripe => {
        const params: Stripe.PaymentIntentUpdateParams = { customer }
        await stripe.post(`/payment_intents/${encodeURIComponent(handle)}`, params, key)
      }),
    detach: (ref, { key }) => {
      const path = `${methods}/${encodeURIComponent(ref)}`
      return unlessGone(
        () => call(stripe => stripe.post(`${path}/detach`, {}, key)),
        async () =>
          (await call(async stripe =>
            idOf((await stripe.get<Stripe.PaymentMethod>(path)).customer),
          )) === null,
      )
    },
  }
}

/** A refusal is no failure if what was to go is gone. */
async function unlessGone(
  remove: () => Promise<unknown>,
  isGone: (failure: ProviderFailure) => Promise<boolean>,
): Promise<void> {
  try {
    await remove()
  } catch (error) {
    const refused = error instanceof ProviderFailure && error.kind === 'refused'
    if (!refused || !(error.code === 'resource_missing' || (await isGone(error)))) throw error
  }
}
