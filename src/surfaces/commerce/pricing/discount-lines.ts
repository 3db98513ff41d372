/**
 * Calculates the discount of each line: first the discounts of lines, then the discounts of the
 * whole order, each in the order of the discounts. Each discount is applied to the amount that the
 * earlier discounts left, and no amount falls below zero.
 */
import { rounded, spread } from './fractions.ts'

export type Discount = {
  readonly code: string
  readonly version: number
  readonly kind: 'percent' | 'fixed' | 'free_shipping' | 'buy_get'
  readonly rate_ppm: bigint
  readonly amount_minor: bigint
  readonly scope: 'order' | 'lines'
  /** Of `buy_get`: for each so many units that are bought, so many get the rate. */
  readonly buy_quantity: bigint
  readonly get_quantity: bigint
  readonly times_max: bigint | null
  /** The numbers of the lines to which the discount applies. */
  readonly lines: readonly number[]
}

export type Taken = {
  /** For each line: the total discount. */
  readonly lines: readonly bigint[]
  /** For each code: its discount of each line. */
  readonly codes: readonly { readonly code: string; readonly amount_minor: bigint }[]
}

type Units = { readonly unit_price_minor: bigint; readonly quantity: bigint }

const million = 1_000_000n

export function discountLines(lines: readonly Units[], discounts: readonly Discount[]): Taken {
  const subtotals = lines.map(line => line.unit_price_minor * line.quantity)
  const left = [...subtotals]
  const ordered = [
    ...discounts.filter(one => one.scope === 'lines'),
    ...discounts.filter(one => one.scope === 'order'),
  ]
  const codes = ordered.map(discount => {
    const base = left.map((rest, at) => (discount.lines.includes(at) ? rest : 0n))
    const parts =
      discount.kind === 'buy_get' ? given(discount, lines, left) : partsOf(discount, base)
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

/**
 * The cheapest units are given, as many as the bought ones pay for. A unit that is given was not
 * bought, so three for two gives one of three units, and one of five. On a tie the earlier line
 * gives.
 */
function given(discount: Discount, lines: readonly Units[], left: readonly bigint[]): bigint[] {
  const { buy_quantity, get_quantity, times_max, rate_ppm } = discount
  const quantityOf = (at: number) => lines[at]?.quantity ?? 0n
  const priceOf = (at: number) => lines[at]?.unit_price_minor ?? 0n
  const fitting = total(discount.lines.map(quantityOf)) / (buy_quantity + get_quantity)
  const times = times_max !== null && times_max < fitting ? times_max : fitting
  let rest = times * get_quantity
  const parts = lines.map(() => 0n)
  const cheapest = discount.lines.toSorted((a, b) => {
    if (priceOf(a) === priceOf(b)) return a - b
    return priceOf(a) < priceOf(b) ? -1 : 1
  })
  for (const at of cheapest) {
    const quantity = quantityOf(at)
    const units = rest < quantity ? rest : quantity
    rest -= units
    parts[at] = rounded({
      over: (left[at] ?? 0n) * units * rate_ppm,
      under: quantity * million,
    })
  }
  return parts
}

function percentOf(amount: bigint, rate_ppm: bigint): bigint {
  return rounded({ over: amount * rate_ppm, under: million })
}

function total(parts: readonly bigint[]): bigint {
  return parts.reduce((sum, part) => sum + part, 0n)
}
