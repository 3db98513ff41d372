/** A reconciliation run as its phases see it, and the result of one page of a phase. */
import { type Static, Type } from 'typebox'
import { nullable, type Tx } from '#dodeca/kernel'

export const RunRow = Type.Object({
  id: Type.String(),
  /** The account whose books are compared. */
  provider: Type.String(),
  phase: Type.String(),
  page_after: nullable(Type.String()),
  from_s: Type.Number(),
  /** Null means: up to now. */
  to_s: nullable(Type.Number()),
  /** The time at which the run was requested, by the real clock. */
  started_s: Type.Number(),
})
export type Run = Static<typeof RunRow>

/** What one step corrected, and how many items it opened for an operator. */
export type Counts = { readonly fixed: number; readonly opened: number }

/**
 * The result of one page, and the place of the next page. `after` is null when the phase is over.
 */
export type PageResult = {
  readonly after: string | null
  readonly compared: number
  /**
   * Each runs in a transaction of its own, so that no payment waits for a whole page. A step that
   * runs again after a crash changes nothing.
   */
  readonly steps: readonly ((tx: Tx) => Promise<Counts>)[]
  /** Runs in the transaction that records the page. */
  finish?(tx: Tx): Promise<void>
}
