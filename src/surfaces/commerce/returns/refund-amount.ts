/**
 * What units of a line pay back: the line's total in even parts, so that all units together pay back all of
 * it, to the cent, in whichever portions they come.
 */
import { rounded } from '../pricing/fractions.ts'

export type Units = {
  readonly total_minor: bigint
  readonly quantity: bigint
  /** Paid back before. */
  readonly before: bigint
  readonly now: bigint
}

export function refundFor({ total_minor, quantity, before, now }: Units): bigint {
  const until = (units: bigint) => rounded({ over: total_minor * units, under: quantity })
  return until(before + now) - until(before)
}
