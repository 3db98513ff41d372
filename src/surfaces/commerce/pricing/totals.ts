/**
 * The totals of an order as one pure function over whole minor units. It returns each step of the
 * calculation too (the trace), which an order keeps: the same inputs give the same trace for ever.
 *
 *   subtotal = unit price × quantity → discounts → base → tax → shipping as one more taxed line → total
 */
import { discountLines, type Discount } from './discount-lines.ts'
import { taxLines, type TaxMode, type TaxPart, type TaxRule } from './tax-lines.ts'

export type PricedLine = {
  readonly unit_price_minor: bigint
  readonly quantity: bigint
  readonly rules: readonly TaxRule[]
}

export type PricedShipping = { readonly amount_minor: bigint; readonly rules: readonly TaxRule[] }

export type TotalsInput = {
  readonly lines: readonly PricedLine[]
  readonly discounts: readonly Discount[]
  /** Null if nothing is shipped or no method is chosen yet. */
  readonly shipping: PricedShipping | null
} & TaxMode

export type LineTotals = {
  readonly subtotal_minor: bigint
  readonly discount_minor: bigint
  readonly tax_minor: bigint
  readonly total_minor: bigint
  readonly tax: readonly TaxPart[]
}

export type Totals = {
  readonly lines: readonly LineTotals[]
  readonly discounts: readonly { readonly code: string; readonly amount_minor: bigint }[]
  readonly shipping: {
    readonly amount_minor: bigint
    readonly discount_minor: bigint
    readonly tax_minor: bigint
    readonly tax: readonly TaxPart[]
  }
  readonly subtotal_minor: bigint
  readonly discount_minor: bigint
  readonly tax_minor: bigint
  readonly total_minor: bigint
}

export function totalsOf(input: TotalsInput): Totals {
  const { inclusive } = input
  const subtotals = input.lines.map(line => line.unit_price_minor * line.quantity)
  const taken = discountLines(input.lines, input.discounts)
  const amount_minor = input.shipping?.amount_minor ?? 0n
  const free = input.discounts.find(one => one.kind === 'free_shipping')
  const shipping_discount = free ? amount_minor : 0n
  const taxed = [
    ...input.lines.map((line, at) => ({
      base: (subtotals[at] ?? 0n) - (taken.lines[at] ?? 0n),
      rules: line.rules,
    })),
    { base: amount_minor - shipping_discount, rules: input.shipping?.rules ?? [] },
  ]
  const tax = taxLines(taxed, input)
  const lines = subtotals.map((subtotal_minor, at): LineTotals => {
    const discount_minor = taken.lines[at] ?? 0n
    const own = tax[at] ?? []
    const tax_minor = sum(own.map(one => one.amount_minor))
    const total_minor = subtotal_minor - discount_minor + (inclusive ? 0n : tax_minor)
    return { subtotal_minor, discount_minor, tax_minor, total_minor, tax: own }
  })
  const shipped = tax.at(-1) ?? []
  const shipping_tax = sum(shipped.map(one => one.amount_minor))
  const subtotal_minor = sum(subtotals)
  const discount_minor = sum(taken.lines)
  const tax_minor = sum(lines.map(line => line.tax_minor)) + shipping_tax
  return {
    lines,
    discounts: taken.codes.map(one =>
      one.code === free?.code ? { ...one, amount_minor: shipping_discount } : one,
    ),
    shipping: {
      amount_minor,
      discount_minor: shipping_discount,
      tax_minor: shipping_tax,
      tax: shipped,
    },
    subtotal_minor,
    discount_minor,
    tax_minor,
    total_minor:
      subtotal_minor -
      discount_minor +
      amount_minor -
      shipping_discount +
      (inclusive ? 0n : tax_minor),
  }
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((all, one) => all + one, 0n)
}
