/**
 * Calculates the tax of lines by their rules. Exclusive: base × rate. Inclusive: the part of the
 * base that is tax; several rules of one line add up. Tax is rounded for each line and rule. With
 * the setting for the whole order, it is rounded once for each rule and then spread over the lines
 * by largest remainder.
 */
import { rounded, settled, sumOf, type Fraction } from './fractions.ts'

export type TaxRule = {
  readonly id: string
  readonly name: string
  readonly rate_ppm: bigint
  readonly version: number
}

export type Taxed = { readonly base: bigint; readonly rules: readonly TaxRule[] }

export type TaxPart = {
  readonly rule: TaxRule
  readonly exact: Fraction
  readonly amount_minor: bigint
}

export type TaxMode = { readonly inclusive: boolean; readonly rounding: 'line' | 'order' }

const million = 1_000_000n

/** For each line, the tax of each of its rules. */
export function taxLines(lines: readonly Taxed[], mode: TaxMode): TaxPart[][] {
  const parts = lines.map(line =>
    line.rules.map(rule => ({ rule, exact: exactTax(line, rule, mode.inclusive) })),
  )
  if (mode.rounding === 'line') {
    return parts.map(line => line.map(one => ({ ...one, amount_minor: rounded(one.exact) })))
  }
  const amounts = new Map<string, bigint[]>()
  for (const { id } of parts.flatMap(line => line.map(one => one.rule))) {
    if (amounts.has(id)) continue
    const exact = parts.flatMap(line =>
      line.filter(one => one.rule.id === id).map(one => one.exact),
    )
    amounts.set(id, settled(rounded(sumOf(exact)), exact))
  }
  return parts.map(line =>
    line.map(one => ({ ...one, amount_minor: amounts.get(one.rule.id)?.shift() ?? 0n })),
  )
}

function exactTax({ base, rules }: Taxed, rule: TaxRule, inclusive: boolean): Fraction {
  if (!inclusive) return { over: base * rule.rate_ppm, under: million }
  const all = rules.reduce((sum, one) => sum + one.rate_ppm, 0n)
  return { over: base * rule.rate_ppm, under: million + all }
}
