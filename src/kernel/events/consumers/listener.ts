/**
 * A listener of the event log: a consumer of a surface, whose effect shares the transaction of its
 * cursor, or a sink, whose effect is outside PostgreSQL and therefore happens before its cursor
 * moves.
 */
import type { Tx } from '../../database/db.ts'
import type { EventDeclaration, LoggedEvent } from '../event.ts'
import type { LanedEvent } from '../log/read.ts'

export type Listener = {
  readonly name: string
  readonly events: readonly string[] | 'all'
} & (
  | {
      run(tx: Tx, event: LoggedEvent): Promise<void>
      runAll?(tx: Tx, events: readonly LoggedEvent[]): Promise<void>
      publish?: undefined
    }
  /** Resolves when the other side has stored the event; may be called again with the same event. */
  | { publish(event: LanedEvent): Promise<void>; run?: undefined; runAll?: undefined }
)

/** Why this process must not handle the event, or null. */
export type RefusalOf = (event: LoggedEvent) => 'unknown_event_type' | 'newer_schema_version' | null

export function refusalsBy(declared: ReadonlyMap<string, EventDeclaration>): RefusalOf {
  return event => {
    const known = declared.get(event.type)
    if (!known) return 'unknown_event_type'
    return event.schema_version > known.version ? 'newer_schema_version' : null
  }
}

/** The process does not know how to handle the event; a newer version may. */
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

/** The other side of a sink is unavailable: the event is not at fault, and its lane waits. */
export class SinkUnavailable extends Error {
  override readonly name = 'SinkUnavailable'
}
