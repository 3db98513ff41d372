/**
 * Calculates the discount of each line: first the discounts of lines, then the discounts of the
 * whole order, each in the order of the codes. Each discount is applied to the amount that the
 * earlier discounts left, and no amount falls below zero.
 */
import { rounded, spread } from './fractions.ts'

export type Discount = {
  readonly code: string
  readonly version: number
  readonly kind: 'percent' | 'fixed' | 'free_shipping'
  readonly rate_ppm: bigint
  readonly amount_minor: bigint
  readonly scope: 'order' | 'lines'
  /** The numbers of the lines to which the discount applies. */
  readonly lines: readonly number[]
}

export type Taken = {
  /** For each line: the total discount. */
  readonly lines: readonly bigint[]
  /** For each code: its discount of each line. */
  readonly codes: readonly { readonly code: string; readonly amount_minor: bigint }[]
}

const million = 1_000_000n

export function discountLines(subtotals: readonly bigint[], discounts: readonly Discount[]): Taken {
  const left = [...subtotals]
  const ordered = [
    ...discounts.filter(one => one.scope === 'lines'),
    ...discounts.filter(one => one.scope === 'order'),
  ]
  const codes = ordered.map(discount => {
    const base = left.map((rest, at) => (discount.lines.includes(at) ? rest : 0n))
    const parts = partsOf(discount, base)
    parts.forEach((part, at) => (left[at] = (left[at] ?? 0n) - part))
    return { code: discount.code, amount_minor: total(parts) }
  })
  return { lines: subtotals.map((subtotal, at) => subtotal - (left[at] ?? 0n)), codes }
}

function partsOf(discount: Discount, base: readonly bigint[]): bigint[] {
  if (discount.kind === 'free_shipping') return base.map(() => 0n)
  if (discount.kind === 'percent' && discount.scope === 'lines') {
    return base.map(one => percentOf(one, discount.rate_ppm))
  }
  const all = total(base)
  const wanted =
    discount.kind === 'percent' ? percentOf(all, discount.rate_ppm) : discount.amount_minor
  return spread(wanted < all ? wanted : all, base)
}

function percentOf(amount: bigint, rate_ppm: bigint): bigint {
  return rounded({ over: amount * rate_ppm, under: million })
}

function total(parts: readonly bigint[]): bigint {
  return parts.reduce((sum, part) => sum + part, 0n)
}
