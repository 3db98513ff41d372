/** The contract of a consumer: it handles each event once. */
import type { Tx } from '../database/db.ts'
import type { LoggedEvent } from './event.ts'

/** Handles each event once: its inbox row, its effect and its own events are in one transaction. */
export type Consumer = {
  readonly name: string
  readonly events: readonly string[] | 'all'
  /** Where a new consumer starts: at the beginning of the log by default, or after its newest event. */
  readonly from?: 'head'
  /**
   * Returns the ids of the events that the consumer wants to handle. The others cost no inbox row.
   * It runs in the transaction of the effect, and not for events that were parked.
   */
  wants?(tx: Tx, events: readonly LoggedEvent[]): Promise<ReadonlySet<string>>
  run(tx: Tx, event: LoggedEvent): Promise<void>
  /** Handles several events in order. If it throws, each of them is handled on its own. */
  runAll?(tx: Tx, events: readonly LoggedEvent[]): Promise<void>
  /** The maximum number of events in one call of `runAll`: 10 by default, at most 50. */
  portion?: number
}
