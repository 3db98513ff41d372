/**
 * Of many like cases that take seconds each, such as a kill at each of twenty points, every n-th, and
 * the next ones on the next day. TEST_TURN chooses others; `npm run chaos` runs all.
 */
import { inject } from 'vitest'

const day_ms = 86_400_000
const turn = Number(process.env['TEST_TURN'] ?? Math.floor(Date.now() / day_ms))

export function inTurns<Case>(every: number, cases: readonly Case[]): Case[] {
  if (inject('chaos') === 'full') return [...cases]
  return cases.filter((_, at) => at % every === turn % every)
}
