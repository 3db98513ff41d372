/**
 * Fills an empty shop: currency, tax, shipping, two products and their stock. It can run again;
 * existing data stays. `ADMIN_EMAIL` and `ADMIN_PASSWORD` name an account that manages the shop.
 */
import { readFile } from 'node:fs/promises'
import { login, Problem } from '../../client/src/index.ts'

const base_url = process.env['API'] ?? 'http://localhost:8080'
const data_dir = process.env['DATA_DIR'] ?? 'data'

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
await sell('lamp', 'A reading lamp', 'LAMP-1', 4900)
await sell('chair', 'An oak chair', 'CHAIR-1', 12_900)
console.log('The shop is ready.')

async function sell(handle: string, title: string, sku: string, amount_minor: number) {
  try {
    await api.POST('/v1/products', {
      body: {
        handle,
        title,
        category: 'home',
        state: 'active',
        variants: [{ sku, prices: [{ currency: 'EUR', amount_minor }] }],
      },
    })
  } catch (error) {
    if (error instanceof Problem && error.status === 409) return
    throw error
  }
  await api.POST('/v1/inventory/{sku}/adjustments', {
    params: { path: { sku } },
    body: { delta: 10, reason: 'received' },
  })
}

/** The first administrator of the platform in this folder. */
async function administrator(): Promise<{ email: string; password: string }> {
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = process.env
  if (email && password) return { email, password }
  return JSON.parse(await readFile(`${data_dir}/admin.json`, 'utf8')) as {
    email: string
    password: string
  }
}
