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

export type Payable = {
  /** What the buyer was owed for earlier returns of the order. */
  readonly before: bigint
  readonly now: bigint
  readonly fee: bigint
  /** The provider takes multiples of this amount only. */
  readonly step: bigint
}

/**
 * The amount that is paid now. Sums are rounded down to a step of the provider. The rest is paid
 * with a later return, so all returns of an order together still refund its whole total.
 */
export function payable({ before, now, fee, step }: Payable): bigint {
  const down = (amount: bigint) => amount - (amount % step)
  const owed = down(before + now) - down(before)
  return owed > fee ? owed - down(fee) : 0n
}
