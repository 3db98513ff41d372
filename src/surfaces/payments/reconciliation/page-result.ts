/** A reconciliation run as its phases see it, and the result of one page of a phase. */
import { type Static, Type } from 'typebox'
import type { Tx } from '../../../kernel/database/db.ts'
import { nullable } from '../../../kernel/http/shapes.ts'

export const RunRow = Type.Object({
  id: Type.String(),
  phase: Type.String(),
  page_after: nullable(Type.String()),
  from_s: Type.Number(),
  /** Null means: up to now. */
  to_s: nullable(Type.Number()),
  /** The time at which the run was requested, by the real clock. */
  started_s: Type.Number(),
})
export type Run = Static<typeof RunRow>

/**
 * The result of one page: its counts, and the place of the next page. `after` is null when the
 * phase is over.
 */
export type PageResult = {
  readonly after: string | null
  readonly compared: number
  apply(tx: Tx): Promise<{ readonly fixed: number; readonly opened: number }>
}
