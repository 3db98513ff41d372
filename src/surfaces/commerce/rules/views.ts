/** A record in replies: the stored properties, with defaults for the missing ones. */
import { parseTime } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { requireCurrency } from '../prices/add-price.ts'
import type { RecordRow } from './records.ts'
import type { Discount, ShippingMethod, TaxRule } from './schemas.ts'

/** As stored: some properties may be missing. */
type Given<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>

const stamp = ({ version, updated_at }: RecordRow) => ({ version, updated_at })

export function taxRuleOf(row: RecordRow): TaxRule {
  const given = row.record as Given<TaxRule, 'region' | 'state'>
  const { name, tax_class, country, region = null, rate_ppm, state = 'active' } = given
  return { id: row.key, name, tax_class, country, region, rate_ppm, state, ...stamp(row) }
}

export function shippingMethodOf(row: RecordRow): ShippingMethod {
  const given = row.record as Given<ShippingMethod, 'tax_class' | 'countries' | 'state'>
  const { name, tax_class = 'standard', countries = [], bands, state = 'active' } = given
  return { id: row.key, name, tax_class, countries, bands, state, ...stamp(row) }
}

export function discountOf(row: RecordRow): Discount & { used: number } {
  const given = row.record as Partial<Discount> & Pick<Discount, 'kind'>
  return {
    code: row.key,
    kind: given.kind,
    rate_ppm: given.rate_ppm ?? null,
    amount_minor: given.amount_minor ?? null,
    currency: given.currency ?? null,
    scope: given.scope ?? 'order',
    skus: given.skus ?? [],
    categories: given.categories ?? [],
    tags: given.tags ?? [],
    collections: given.collections ?? [],
    automatic: given.automatic ?? false,
    priority: given.priority ?? 0,
    buy_quantity: given.buy_quantity ?? null,
    get_quantity: given.get_quantity ?? null,
    times_max: given.times_max ?? null,
    min_quantity: given.min_quantity ?? null,
    min_subtotal_minor: given.min_subtotal_minor ?? null,
    usage_limit: given.usage_limit ?? null,
    used: row.used,
    stackable: given.stackable ?? false,
    starts_at: given.starts_at ?? null,
    ends_at: given.ends_at ?? null,
    state: given.state ?? 'active',
    ...stamp(row),
  }
}

function wrong(pointer: string, constraint: string, detail?: string) {
  return problem('validation_failed', {
    ...(detail === undefined ? {} : { detail }),
    errors: [{ location: 'body', pointer, constraint }],
  })
}

const needed_by = {
  percent: ['rate_ppm'],
  fixed: ['amount_minor'],
  free_shipping: [],
  buy_get: ['buy_quantity', 'get_quantity', 'rate_ppm'],
} as const

/**
 * Checks rules that the schema cannot express: each kind requires its own properties, an amount
 * requires its currency, and a time of validity ends after it begins.
 */
export function checkDiscount(given: Partial<Discount>): void {
  for (const name of needed_by[given.kind ?? 'free_shipping']) {
    if (given[name] == null) throw wrong(`/${name}`, 'required')
  }
  const money = given.kind === 'fixed' || given.min_subtotal_minor != null
  if (money && given.currency == null) throw wrong('/currency', 'required')
  if (given.currency != null) requireCurrency(given.currency)
  const { starts_at, ends_at } = given
  const is_empty = starts_at && ends_at && parseTime(ends_at) <= parseTime(starts_at)
  if (is_empty) throw wrong('/ends_at', 'minimum', '`ends_at` must be later than `starts_at`.')
}

/** Two bands that begin at the same subtotal would be two prices of one parcel. */
export function checkShippingMethod({ bands }: Pick<ShippingMethod, 'bands'>): void {
  const seen = new Set<string>()
  for (const [at, { currency, min_subtotal_minor }] of bands.entries()) {
    requireCurrency(currency)
    const begins = `${currency} ${min_subtotal_minor}`
    if (seen.has(begins)) {
      const detail = `Two bands in ${currency} begin at ${min_subtotal_minor}. Keep one of them.`
      throw wrong(`/bands/${at}/min_subtotal_minor`, 'uniqueItems', detail)
    }
    seen.add(begins)
  }
}
