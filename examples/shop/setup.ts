/**
 * Fills an empty shop: currency, tax, shipping, a collection, a discount, products and their stock.
 * It can run again; existing data stays. `ADMIN_EMAIL` and `ADMIN_PASSWORD` name an account that manages the shop.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { login, Problem } from '../../client/src/index.ts'

const base_url = process.env['API'] ?? 'http://localhost:8080'

const api = await login({ base_url, ...(await administrator()) })

await api.PUT('/v1/commerce/settings', {
  body: {
    default_currency: 'EUR',
    rounding_mode: 'line',
    capture_policy: 'on_first_shipment',
    capture_before_expiry: true,
    return_window_days: 30,
  },
})
await api.PUT('/v1/tax-rules/{id}', {
  params: { path: { id: 'de' } },
  body: { name: 'USt', tax_class: 'standard', country: 'DE', rate_ppm: 190_000 },
})
await api.PUT('/v1/shipping-methods/{id}', {
  params: { path: { id: 'parcel' } },
  body: {
    name: 'Parcel',
    countries: ['DE'],
    bands: [{ currency: 'EUR', min_subtotal_minor: 0, amount_minor: 490 }],
  },
})
await api.PUT('/v1/product-collections/{key}', {
  params: { path: { key: 'reading' } },
  body: { title: 'For reading', all: [{ by: 'tag', value: 'reading' }] },
})
await api.PUT('/v1/discounts/{code}', {
  params: { path: { code: 'WELCOME10' } },
  body: { kind: 'percent', rate_ppm: 100_000, stackable: true },
})
await sell('lamp', 'A reading lamp', 4900, 'metal', ['black', 'brass'], ['reading'])
await sell('chair', 'An oak chair', 12_900, 'wood', ['natural'], ['reading'])
await sell('mug', 'A stoneware mug', 1450, 'stoneware', ['blue', 'natural'])
await sell('blanket', 'A wool blanket', 7900, 'wool', ['blue', 'grey'], ['reading'])
await sell('shelf', 'A shelf for forty books', 18_900, 'wood', ['natural', 'black'], ['reading'])
await sell('clock', 'A quiet clock', 3900, 'metal', ['brass'])
console.log('The shop is ready.')

async function sell(
  handle: string,
  title: string,
  amount_minor: number,
  material: string,
  colours: string[],
  tags: string[] = [],
) {
  const variants = colours.map(colour => ({
    sku: `${handle}-${colour}`.toUpperCase(),
    title: colour,
    options: { colour },
    prices: [{ currency: 'EUR', amount_minor }],
  }))
  try {
    const description = `${title}. Made to last, of ${material}.`
    const attributes = { material }
    const made = { handle, title, description, category: 'home', attributes, tags, variants }
    await api.POST('/v1/products', { body: { ...made, state: 'active' } })
  } catch (error) {
    if (error instanceof Problem && error.status === 409) return
    throw error
  }
  for (const { sku } of variants) {
    await api.POST('/v1/inventory/{sku}/adjustments', {
      params: { path: { sku } },
      body: { delta: 10, reason: 'received' },
    })
  }
}

/** The first administrator of the platform, which keeps its data in this folder or where you are. */
async function administrator(): Promise<{ email: string; password: string }> {
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password, DATA_DIR = '' } = process.env
  if (email && password) return { email, password }
  const found = [DATA_DIR, `${import.meta.dirname}/data`, 'data']
    .map(folder => `${folder}/admin.json`)
    .find(file => existsSync(file))
  if (found === undefined) throw new Error('Set DATA_DIR to the data folder of the platform.')
  return JSON.parse(await readFile(found, 'utf8')) as { email: string; password: string }
}
