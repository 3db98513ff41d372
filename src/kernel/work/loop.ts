/** Repeated work in a process of the platform, such as sweeps and reconcilers. */
import type { Sql } from '../database/sql.ts'

export type Loop = {
  readonly name: string
  /**
   * The longest time between two runs. With topics or `due` it is only a safety net. A loop with
   * neither runs at these intervals, and when the clock of the platform is moved.
   */
  readonly every_ms: number
  /** The loop runs immediately when a commit wakes one of these topics (`tx.wake`). */
  readonly topics?: readonly string[]
  /** Runs within a second while this boolean expression is true; an index should support it. */
  readonly due?: Sql
  run(signal: AbortSignal): Promise<void>
}
