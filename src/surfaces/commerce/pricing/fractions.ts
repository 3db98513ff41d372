/**
 * Exact arithmetic of money: whole minor units as bigint, and fractions of them. Rounding is half
 * away from zero. An amount is spread over lines by largest remainder, so that the lines add up to
 * the cent; on a tie, the earlier line gets it.
 */
export type Fraction = { readonly over: bigint; readonly under: bigint }

/** Amounts here are never negative, so half away from zero is half up. */
export function rounded({ over, under }: Fraction): bigint {
  return (2n * over + under) / (2n * under)
}

export function sumOf(fractions: readonly Fraction[]): Fraction {
  return fractions.reduce(
    (sum, one) =>
      sum.under === one.under
        ? { over: sum.over + one.over, under: sum.under }
        : { over: sum.over * one.under + one.over * sum.under, under: sum.under * one.under },
    { over: 0n, under: 1n },
  )
}

/**
 * Whole parts that add up to `total`, as close as possible to these exact parts. The sum of the
 * exact parts differs from `total` by less than one unit for each part.
 */
export function settled(total: bigint, exact: readonly Fraction[]): bigint[] {
  const parts = exact.map(({ over, under }) => over / under)
  let left = total - parts.reduce((sum, part) => sum + part, 0n)
  const largest = exact
    .map(({ over, under }, at) => ({ at, rest: { over: over % under, under } }))
    .toSorted((a, b) => compare(b.rest, a.rest) || a.at - b.at)
  for (const { at } of largest) {
    if (left <= 0n) break
    parts[at] = (parts[at] ?? 0n) + 1n
    left -= 1n
  }
  if (left !== 0n) throw new Error(`${left} are left of ${total}`)
  return parts
}

/** Spreads an amount by weight. If all weights are zero, all parts are zero. */
export function spread(total: bigint, weights: readonly bigint[]): bigint[] {
  const all = weights.reduce((sum, weight) => sum + weight, 0n)
  if (all === 0n) return weights.map(() => 0n)
  return settled(
    total,
    weights.map(weight => ({ over: total * weight, under: all })),
  )
}

function compare(a: Fraction, b: Fraction): number {
  const difference = a.over * b.under - b.over * a.under
  if (difference === 0n) return 0
  return difference > 0n ? 1 : -1
}
