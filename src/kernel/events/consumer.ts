/** The contract of a consumer: it handles each event once. */
import type { Tx } from '../database/db.ts'
import type { LoggedEvent } from './event.ts'

/** Handles each event once: its inbox row, its effect and its own events are in one transaction. */
export type Consumer = {
  readonly name: string
  readonly events: readonly string[] | 'all'
  run(tx: Tx, event: LoggedEvent): Promise<void>
  /** Handles several events in order. If it throws, each of them is handled on its own. */
  runAll?(tx: Tx, events: readonly LoggedEvent[]): Promise<void>
  /** The maximum number of events in one call of `runAll`: 10 by default, at most 50. */
  portion?: number
}
