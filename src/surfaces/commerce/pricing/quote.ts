/**
 * Prices a cart: from the input it calculates totals with their fingerprint and trace. Carts,
 * checkouts and later questions about an order get the same result, because this is a pure
 * function.
 */
import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Address, Totals as WireTotals } from '../schemas.ts'
import type { ShippingMethod, TaxRule as TaxRecord } from '../rules/schemas.ts'
import { applyCodes, type CodeState } from './apply-codes.ts'
import type { CartFacts, LineFacts, ShopRules } from './load-facts.ts'
import type { TaxPart, TaxRule } from './tax-lines.ts'
import { totalsOf, type LineTotals, type Totals, type TotalsInput } from './totals.ts'

export type Wanted = {
  /** The address of delivery; if nothing is shipped, the address of the buyer. */
  readonly address: Address | null
  readonly shipping_method_id: string | null
}

export type QuotedLine = {
  readonly facts: LineFacts
  /** Null if the line is not sold now. Then the line does not count. */
  readonly totals: LineTotals | null
}

export type Quote = {
  readonly lines: readonly QuotedLine[]
  readonly codes: readonly CodeState[]
  readonly needs_shipping: boolean
  readonly methods: readonly { readonly method: ShippingMethod; readonly amount_minor: number }[]
  readonly method: ShippingMethod | null
  readonly prices_include_tax: boolean
  readonly totals: Totals
  readonly wire: WireTotals
  readonly fingerprint: string
  readonly calculation: unknown
}

type Facts = Pick<CartFacts, 'currency' | 'lines' | 'discount_codes' | 'now' | 'rules'>

export function quote(facts: Facts, { address, shipping_method_id }: Wanted): Quote {
  const { currency, rules } = facts
  // All prices of one order are of one kind. The first line decides the kind, and lines of the
  // other kind count as not sold.
  const prices_include_tax = facts.lines.find(isSold)?.prices_include_tax ?? false
  const sold = facts.lines.filter(
    line => isSold(line) && line.prices_include_tax === prices_include_tax,
  )
  // Cents that cannot be divided go to a line by its SKU, whatever was put into the cart first.
  const ranked = sold.toSorted((a, b) => (a.sku < b.sku ? -1 : 1))
  const priced = ranked.map(line => ({
    ...line,
    subtotal_minor: BigInt(line.amount_minor ?? 0) * BigInt(line.quantity),
  }))
  const { states, discounts } = applyCodes({
    codes: facts.discount_codes,
    known: rules.discounts,
    lines: priced,
    currency,
    now: facts.now,
  })
  const needs_shipping = sold.some(line => line.requires_shipping)
  const subtotal = priced.reduce((sum, one) => sum + one.subtotal_minor, 0n)
  const methods = needs_shipping
    ? methodsFor(rules.shipping_methods, currency, address, subtotal)
    : []
  const chosen = methods.find(one => one.method.id === shipping_method_id) ?? null
  const taxes = (tax_class: string) => rulesFor(rules.tax_rules, address, tax_class)
  const input: TotalsInput = {
    lines: ranked.map(line => ({
      unit_price_minor: BigInt(line.amount_minor ?? 0),
      quantity: BigInt(line.quantity),
      rules: taxes(line.tax_class),
    })),
    discounts,
    shipping: chosen && {
      amount_minor: BigInt(chosen.amount_minor),
      rules: taxes(chosen.method.tax_class),
    },
    inclusive: prices_include_tax,
    rounding: rules.settings.rounding_mode,
  }
  const totals = totalsOf(input)
  const wire = wireTotals(totals, prices_include_tax)
  const method = chosen?.method ?? null
  const versions = versionsOf({ currency, sold: ranked, input, method }, wire)
  return {
    lines: facts.lines.map(line => {
      const at = ranked.indexOf(line)
      return { facts: line, totals: at < 0 ? null : (totals.lines[at] ?? null) }
    }),
    codes: states,
    needs_shipping,
    methods,
    method,
    prices_include_tax,
    totals,
    wire,
    fingerprint: hash('sha256', canonicalize(versions) ?? '', 'base64url'),
    calculation: {
      ...versions,
      ...traceOf(
        totals,
        input,
        sold.map(line => ranked.indexOf(line)),
      ),
    },
  }
}

function isSold(line: LineFacts): boolean {
  return line.purchasable && line.price_version_id !== null
}

/** The rules of the most specific place. Several rules of one rank add up. */
function rulesFor(
  records: readonly TaxRecord[],
  address: Address | null,
  tax_class: string,
): TaxRule[] {
  if (!address) return []
  const fitting = records.filter(
    one =>
      one.state === 'active' &&
      one.tax_class === tax_class &&
      one.country === address.country &&
      (one.region === null || one.region === address.region),
  )
  const regional = fitting.filter(one => one.region !== null)
  return (regional.length > 0 ? regional : fitting).map(({ id, name, rate_ppm, version }) => ({
    id,
    name,
    rate_ppm: BigInt(rate_ppm),
    version,
  }))
}

function methodsFor(
  methods: ShopRules['shipping_methods'],
  currency: string,
  address: Address | null,
  subtotal: bigint,
) {
  return methods.flatMap(method => {
    const reaches =
      method.countries.length === 0 ||
      (address !== null && method.countries.includes(address.country))
    if (method.state !== 'active' || !reaches) return []
    const band = method.bands
      .filter(one => one.currency === currency && BigInt(one.min_subtotal_minor) <= subtotal)
      .toSorted((a, b) => b.min_subtotal_minor - a.min_subtotal_minor)[0]
    return band ? [{ method, amount_minor: band.amount_minor }] : []
  })
}

function wireTotals(totals: Totals, prices_include_tax: boolean): WireTotals {
  return {
    subtotal_minor: Number(totals.subtotal_minor),
    discount_minor: Number(totals.discount_minor),
    shipping_minor: Number(totals.shipping.amount_minor),
    shipping_discount_minor: Number(totals.shipping.discount_minor),
    tax_minor: Number(totals.tax_minor),
    total_minor: Number(totals.total_minor),
    prices_include_tax,
  }
}

type Versioned = {
  readonly currency: string
  readonly sold: readonly LineFacts[]
  readonly input: TotalsInput
  readonly method: ShippingMethod | null
}

/** Everything that the buyer has seen. If any of it changes, the fingerprint changes. */
function versionsOf({ currency, sold, input, method }: Versioned, totals: WireTotals) {
  const rules = [...input.lines, ...(input.shipping ? [input.shipping] : [])].flatMap(
    line => line.rules,
  )
  const versions = new Map(rules.map(({ id, version }) => [id, version]))
  return {
    currency,
    lines: sold.map(({ sku, quantity, price_version_id }) => ({
      sku,
      quantity,
      price_version_id,
    })),
    discounts: input.discounts.map(({ code, version }) => ({ code, version })),
    tax_rules: [...versions].map(([id, version]) => ({ id, version })),
    shipping_method: method && { id: method.id, version: method.version },
    totals,
  }
}

/**
 * Each rounding, with the exact fraction before it and the lines that got the remaining cents. The
 * lines are in the order of the cart.
 */
function traceOf(totals: Totals, input: TotalsInput, order: readonly number[]) {
  return {
    rounding_mode: input.rounding,
    discounts: totals.discounts.map(({ code, amount_minor }) => ({
      code,
      amount_minor: Number(amount_minor),
    })),
    steps: order.map((at, place) => {
      const line = totals.lines[at]
      return {
        line_no: place + 1,
        unit_price_minor: Number(input.lines[at]?.unit_price_minor),
        subtotal_minor: Number(line?.subtotal_minor),
        discount_minor: Number(line?.discount_minor),
        tax: (line?.tax ?? []).map(tracePart),
        total_minor: Number(line?.total_minor),
      }
    }),
    shipping: {
      amount_minor: Number(totals.shipping.amount_minor),
      discount_minor: Number(totals.shipping.discount_minor),
      tax: totals.shipping.tax.map(tracePart),
    },
  }
}

function tracePart({ rule, exact, amount_minor }: TaxPart) {
  return {
    rule_id: rule.id,
    rate_ppm: Number(rule.rate_ppm),
    exact: `${exact.over}/${exact.under}`,
    amount_minor: Number(amount_minor),
  }
}

export function breakdownOf(parts: readonly TaxPart[]) {
  return parts.map(({ rule, amount_minor }) => ({
    name: rule.name,
    rate_ppm: Number(rule.rate_ppm),
    amount_minor: Number(amount_minor),
    tax_rule_version: rule.version,
  }))
}
