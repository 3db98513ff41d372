/**
 * The refund of units of a line. The total of the line is split evenly over its units. All units
 * together refund exactly the whole total, in whatever portions they come back.
 */
import { rounded } from '../pricing/fractions.ts'

export type Units = {
  readonly total_minor: bigint
  readonly quantity: bigint
  /** The units that were refunded before. */
  readonly before: bigint
  readonly now: bigint
}

export function refundFor({ total_minor, quantity, before, now }: Units): bigint {
  const until = (units: bigint) => rounded({ over: total_minor * units, under: quantity })
  return until(before + now) - until(before)
}
