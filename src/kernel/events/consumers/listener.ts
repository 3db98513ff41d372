/**
 * A listener of the event log is a consumer of a surface or a sink. A consumer's effect is in the
 * same transaction as its cursor. A sink's effect is outside PostgreSQL, so it happens before the
 * cursor moves.
 */
import type { Tx } from '../../database/db.ts'
import type { EventDeclaration, LoggedEvent } from '../event.ts'
import type { LanedEvent } from '../log/read.ts'

export type Listener = {
  readonly name: string
  readonly events: readonly string[] | 'all'
  readonly from?: 'head'
} & (
  | {
      run(tx: Tx, event: LoggedEvent): Promise<void>
      runAll?(tx: Tx, events: readonly LoggedEvent[]): Promise<void>
      portion?: number
      wants?(tx: Tx, events: readonly LoggedEvent[]): Promise<ReadonlySet<string>>
      publish?: undefined
    }
  /**
   * Resolves when the receiving system has stored the event. It may be called again with the same
   * event.
   */
  | {
      publish(event: LanedEvent): Promise<void>
      run?: undefined
      runAll?: undefined
      wants?: undefined
    }
)

/** Returns the reason why this process must not handle the event, or null. */
export type RefusalOf = (event: LoggedEvent) => 'unknown_event_type' | 'newer_schema_version' | null

export function refusalsBy(declared: ReadonlyMap<string, EventDeclaration>): RefusalOf {
  return event => {
    const known = declared.get(event.type)
    if (!known) return 'unknown_event_type'
    return event.schema_version > known.version ? 'newer_schema_version' : null
  }
}

/** This process does not know how to handle the event, but a newer version may. */
export class NotUnderstood extends Error {
  override readonly name = 'NotUnderstood'
  readonly code: string
  constructor(code: string) {
    super(`an event was not understood: ${code}`)
    this.code = code
  }
}

export function typesOf(listener: Listener): readonly string[] | null {
  return listener.events === 'all' ? null : listener.events
}

/** The receiving system of a sink is unavailable. The event is not the cause, so its lane waits. */
export class SinkUnavailable extends Error {
  override readonly name = 'SinkUnavailable'
}
