/**
 * Decides which discounts apply to a cart: those that need no code, and those whose codes the buyer
 * entered. They apply by priority, the higher one first, then by code. If some do not combine with
 * others, the first of these is alone. Each code that was entered gets a reason if it does not
 * apply.
 */
import { parseTime } from '#dodeca/kernel'
import type { Discount as DiscountRecord } from '../rules/schemas.ts'
import type { Discount } from './discount-lines.ts'
import type { LineFacts } from './load-facts.ts'

export type CodeState = {
  readonly code: string
  readonly state: 'applied' | 'not_applicable'
  /**
   * Unknown, inactive and used-up codes get the same reason, so that codes cannot be found by
   * guessing.
   */
  readonly reason:
    'unknown' | 'currency' | 'below_minimum' | 'no_matching_lines' | 'not_stackable' | null
}

export type Known = DiscountRecord & { readonly used: number }

type Priced = Pick<LineFacts, 'sku' | 'category' | 'tags' | 'collections' | 'quantity'> & {
  readonly subtotal_minor: bigint
}

export type CodesInput = {
  /** Those that the buyer entered. */
  readonly codes: readonly string[]
  /** These, and the discounts that need no code. */
  readonly known: readonly Known[]
  readonly lines: readonly Priced[]
  readonly currency: string
  readonly now: string
}

/** The states of all codes that were entered, and of each other discount that applies. */
export function applyCodes(input: CodesInput): {
  states: CodeState[]
  discounts: Discount[]
} {
  const compared = input.known.toSorted(byRank).map(record => {
    const lines = matching(record, input.lines)
    return { record, lines, reason: reasonAgainst(record, lines, input) }
  })
  const fitting = compared.filter(one => one.reason === null)
  const alone = fitting.find(one => !one.record.stackable)
  const applied = alone ? [alone] : fitting
  const discounts = applied.map(({ record, lines }) => discountOf(record, lines))
  const entered = input.codes.map((code): CodeState => {
    if (discounts.some(one => one.code === code)) return { code, state: 'applied', reason: null }
    const known = compared.find(one => one.record.code === code)
    const reason = known ? (known.reason ?? 'not_stackable') : 'unknown'
    return { code, state: 'not_applicable', reason }
  })
  const automatic = discounts
    .filter(one => !input.codes.includes(one.code))
    .map(({ code }): CodeState => ({ code, state: 'applied', reason: null }))
  return { states: [...entered, ...automatic], discounts }
}

function byRank(a: Known, b: Known): number {
  if (a.priority !== b.priority) return b.priority - a.priority
  return a.code < b.code ? -1 : 1
}

function discountOf(record: Known, lines: readonly number[]): Discount {
  return {
    code: record.code,
    version: record.version,
    kind: record.kind,
    rate_ppm: BigInt(record.rate_ppm ?? 0),
    amount_minor: BigInt(record.amount_minor ?? 0),
    // Units that are given are units of lines.
    scope: record.kind === 'buy_get' ? 'lines' : record.scope,
    buy_quantity: BigInt(record.buy_quantity ?? 0),
    get_quantity: BigInt(record.get_quantity ?? 0),
    times_max: record.times_max === null ? null : BigInt(record.times_max),
    lines,
  }
}

function reasonAgainst(
  record: Known,
  lines: readonly number[],
  { now, currency, lines: all }: CodesInput,
): CodeState['reason'] {
  const at = parseTime(now)
  const begun = record.starts_at === null || parseTime(record.starts_at) <= at
  const ended = record.ends_at !== null && parseTime(record.ends_at) <= at
  const used_up = record.usage_limit !== null && record.used >= record.usage_limit
  if (record.state !== 'active' || !begun || ended || used_up) return 'unknown'
  if (record.currency !== null && record.currency !== currency) return 'currency'
  const subtotal = all.reduce((sum, one) => sum + one.subtotal_minor, 0n)
  if (subtotal < BigInt(record.min_subtotal_minor ?? 0)) return 'below_minimum'
  if (lines.length === 0) return 'no_matching_lines'
  const units = lines.reduce((sum, one) => sum + (all[one]?.quantity ?? 0), 0)
  if (units < leastUnits(record)) return 'below_minimum'
  return null
}

function leastUnits({ min_quantity, buy_quantity, get_quantity }: Known): number {
  return Math.max(min_quantity ?? 0, (buy_quantity ?? 0) + (get_quantity ?? 0))
}

/**
 * Applies to the named SKUs, categories (with their subcategories), tags and collections, or to all
 * lines if none is named.
 */
function matching(record: Known, lines: readonly Priced[]): number[] {
  const { skus, categories, tags, collections } = record
  const every = [skus, categories, tags, collections].every(one => one.length === 0)
  return lines.flatMap((line, at) => {
    const { sku, category } = line
    const named =
      skus.includes(sku) ||
      categories.some(one => category === one || category.startsWith(`${one}/`)) ||
      tags.some(one => line.tags.includes(one)) ||
      collections.some(one => line.collections.includes(one))
    return every || named ? [at] : []
  })
}
