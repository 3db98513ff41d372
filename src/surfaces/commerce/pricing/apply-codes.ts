/** Decides which discount codes apply to a cart, and gives a reason for each other code. */
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

type Priced = Pick<LineFacts, 'sku' | 'category'> & { readonly subtotal_minor: bigint }

export type CodesInput = {
  readonly codes: readonly string[]
  readonly known: readonly Known[]
  readonly lines: readonly Priced[]
  readonly currency: string
  readonly now: string
}

export function applyCodes(input: CodesInput): {
  states: CodeState[]
  discounts: Discount[]
} {
  const discounts: Discount[] = []
  let alone = false
  const states = input.codes.map((code): CodeState => {
    const record = input.known.find(one => one.code === code)
    const lines = record ? matching(record, input.lines) : []
    const reason = record ? reasonAgainst(record, lines, input) : 'unknown'
    const stacks = discounts.length === 0 || (!alone && record?.stackable === true)
    if (reason !== null || !record || !stacks) {
      return { code, state: 'not_applicable', reason: reason ?? 'not_stackable' }
    }
    alone ||= !record.stackable
    discounts.push({
      code,
      version: record.version,
      kind: record.kind,
      rate_ppm: BigInt(record.rate_ppm ?? 0),
      amount_minor: BigInt(record.amount_minor ?? 0),
      scope: record.scope,
      lines,
    })
    return { code, state: 'applied', reason: null }
  })
  return { states, discounts }
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
  return null
}

/**
 * Applies to the named SKUs and categories (with their subcategories), or to all if none is named.
 */
function matching({ skus, categories }: Known, lines: readonly Priced[]): number[] {
  const every = skus.length === 0 && categories.length === 0
  return lines.flatMap(({ sku, category }, at) => {
    const within = categories.some(one => category === one || category.startsWith(`${one}/`))
    return every || skus.includes(sku) || within ? [at] : []
  })
}
