/** A shop in Medusa, made by its own workflows: run by `medusa exec`; prints what a buyer needs to know. */
import { createRequire } from 'node:module'
import { join } from 'node:path'

type Run = (given: { input: unknown }) => Promise<{ result: unknown }>
type Container = {
  resolve(name: string): Record<string, (...given: unknown[]) => Promise<unknown>>
}
type Made = { readonly id: string }

const needs = createRequire(join(process.cwd(), 'package.json'))
const flows = needs('@medusajs/medusa/core-flows') as Record<
  string,
  (of: Container) => { run: Run }
>

type Ask = {
  readonly run: (name: string, input: unknown) => Promise<unknown>
  readonly first: (name: string, input: unknown) => Promise<string>
  readonly ask: (module: string, method: string, given: unknown) => Promise<unknown>
}

function askOf(container: Container): Ask {
  const run = async (name: string, input: unknown) => {
    const flow = flows[name]
    if (!flow) throw new Error(`Medusa has no workflow ${name}`)
    return (await flow(container).run({ input })).result
  }
  const first = async (name: string, input: unknown) =>
    ((await run(name, input)) as Made[])[0]?.id ?? ''
  const ask = async (module: string, method: string, given: unknown) => {
    const answer = await container.resolve(module)[method]?.(given)
    if (answer === undefined) throw new Error(`Medusa's ${module} has no ${method}`)
    return answer
  }
  return { run, first, ask }
}

export async function seed({ container }: { container: Container }): Promise<void> {
  const asked = askOf(container)
  const channel = await asked.first('createSalesChannelsWorkflow', {
    salesChannelsData: [{ name: 'Web' }],
  })
  const { region, location, profile, option } = await makePlaces(asked)
  const { run } = asked
  await run('linkSalesChannelsToStockLocationWorkflow', { id: location, add: [channel] })
  const [key] = (await run('createApiKeysWorkflow', {
    api_keys: [{ title: 'Web', type: 'publishable', created_by: '' }],
  })) as { id: string; token: string }[]
  await run('linkSalesChannelsToApiKeyWorkflow', { id: key?.id, add: [channel] })
  const variants = await makeProducts(asked, { channel, location, profile })
  process.stdout.write(`shop ${JSON.stringify({ region, option, key: key?.token, variants })}\n`)
}

async function makePlaces({ run, first, ask }: Ask) {
  const link = (given: object) => ask('link', 'create', given)
  const region = await first('createRegionsWorkflow', {
    regions: [
      {
        name: 'Europe',
        currency_code: 'eur',
        countries: ['de'],
        payment_providers: ['pp_system_default'],
      },
    ],
  })
  await run('createTaxRegionsWorkflow', [
    {
      country_code: 'de',
      provider_id: 'tp_system',
      default_tax_rate: { name: 'USt', rate: 10, code: 'ust' },
    },
  ])
  const location = await first('createStockLocationsWorkflow', {
    locations: [{ name: 'House', address: { city: 'Berlin', country_code: 'DE', address_1: '' } }],
  })
  await link({
    stock_location: { stock_location_id: location },
    fulfillment: { fulfillment_provider_id: 'manual_manual' },
  })
  const profile = await first('createShippingProfilesWorkflow', {
    data: [{ name: 'Usual', type: 'default' }],
  })
  const set = (await ask('fulfillment', 'createFulfillmentSets', {
    name: 'Parcels',
    type: 'shipping',
    service_zones: [{ name: 'Germany', geo_zones: [{ country_code: 'de', type: 'country' }] }],
  })) as { id: string; service_zones: Made[] }
  await link({
    stock_location: { stock_location_id: location },
    fulfillment: { fulfillment_set_id: set.id },
  })
  const rule = (attribute: string, value: string) => ({ attribute, value, operator: 'eq' })
  const option = await first('createShippingOptionsWorkflow', [
    {
      name: 'Parcel',
      price_type: 'flat',
      provider_id: 'manual_manual',
      service_zone_id: set.service_zones[0]?.id,
      shipping_profile_id: profile,
      type: { label: 'Parcel', description: 'Parcel', code: 'parcel' },
      prices: [{ currency_code: 'eur', amount: 5 }],
      rules: [rule('enabled_in_store', 'true'), rule('is_return', 'false')],
    },
  ])
  return { region, location, profile, option }
}

async function makeProducts(
  { run, ask }: Ask,
  of: { readonly channel: string; readonly location: string; readonly profile: string },
) {
  const variants: Record<string, string> = {}
  for (const stock of [10, 1_000_000]) {
    const sku = `S-${stock}`
    const [product] = (await run('createProductsWorkflow', {
      products: [
        {
          title: sku,
          status: 'published',
          shipping_profile_id: of.profile,
          options: [{ title: 'Kind', values: ['one'] }],
          variants: [
            {
              title: 'one',
              sku,
              options: { Kind: 'one' },
              prices: [{ amount: 19.99, currency_code: 'eur' }],
            },
          ],
          sales_channels: [{ id: of.channel }],
        },
      ],
    })) as { variants: Made[] }[]
    variants[stock] = product?.variants[0]?.id ?? ''
    const [item] = (await ask('inventory', 'listInventoryItems', { sku })) as Made[]
    await run('createInventoryLevelsWorkflow', {
      inventory_levels: [
        { location_id: of.location, inventory_item_id: item?.id, stocked_quantity: stock },
      ],
    })
  }
  return variants
}
