/** A record in replies: the stored properties, with defaults for the missing ones. */
import { problem } from '../errors.ts'
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

/**
 * Checks rules that the schema cannot express: each kind requires its own properties, and an amount
 * requires its currency.
 */
export function checkDiscount(given: Partial<Discount>): void {
  const wrong = (pointer: string, constraint: string) =>
    problem('validation_failed', { errors: [{ location: 'body', pointer, constraint }] })
  if (given.kind === 'percent' && given.rate_ppm == null) throw wrong('/rate_ppm', 'required')
  if (given.kind === 'fixed' && given.amount_minor == null) {
    throw wrong('/amount_minor', 'required')
  }
  const money = given.kind === 'fixed' || given.min_subtotal_minor != null
  if (money && given.currency == null) throw wrong('/currency', 'required')
}
