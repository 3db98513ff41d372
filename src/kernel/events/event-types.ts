/**
 * Every event type that this process knows: those of the code, and those that were declared over
 * HTTP (`PUT /v1/event-types/{type}`), which are rows. A row is never deleted and its version only
 * rises, so the sum of the versions tells whether the copy in memory is current. Whoever misses a
 * type reads again before it is unknown: a type declared on one process is known on all.
 */
import { type Static, Type } from 'typebox'
import type { Reader } from '../database/db.ts'
import { columnsOf } from '../database/columns.ts'
import { sql } from '../database/sql.ts'
import type { EventDeclaration, LoggedEvent } from './event.ts'
import { patternsOf } from './patterns.ts'

/** A type that was declared over HTTP. Nobody publishes an archived one; its events stay readable. */
export const OwnEventType = Type.Object({
  type: Type.String(),
  description: Type.String(),
  schema: Type.Unsafe<object>(Type.Any()),
  schema_version: Type.Integer(),
  version: Type.Integer(),
  archived_at: Type.Union([Type.String(), Type.Null()]),
  created_at: Type.String(),
  updated_at: Type.String(),
})
export type OwnEventType = Static<typeof OwnEventType>

export const own_type_columns = columnsOf(OwnEventType, null)

export type EventTypes = {
  /** Reads the declared types again if one of them has changed. */
  fresh(reader: Reader): Promise<void>
  /** As this process knows it now. After `fresh`, undefined means that there is no such type. */
  find(type: string): EventDeclaration | undefined
  /** Those of the code and all others, by name. */
  all(): readonly (readonly [string, EventDeclaration])[]
  /** Whether a type that is not internal matches the pattern. */
  known(pattern: string): boolean
  /** Those that were declared over HTTP, by name. */
  own(): readonly OwnEventType[]
}

/** The reason why this process must not handle the event, or null. */
export type Refusal = 'unknown_event_type' | 'newer_schema_version' | null
export type RefusalOf = (event: LoggedEvent, reader: Reader) => Promise<Refusal>

const Mark = Type.Object({ mark: Type.Integer() })

export function openEventTypes(declared: ReadonlyMap<string, EventDeclaration>): EventTypes {
  let rows: readonly OwnEventType[] = []
  let known = declared
  let mark = 0
  const keep = (read: readonly OwnEventType[]) => {
    const read_mark = read.reduce((sum, row) => sum + row.version, 0)
    // Another reader may have read a newer state meanwhile.
    if (read_mark <= mark) return
    const own = read.map(row => [row.type, declarationOf(row)] as const)
    // A surface that came later may have the same type: the code wins.
    known = new Map([...own, ...declared])
    rows = read
    mark = read_mark
  }
  return {
    fresh: async reader => {
      const sum = sql`select coalesce(sum(version), 0)::bigint as mark from kernel.event_types`
      if ((await reader.one(Mark, sum)).mark === mark) return
      keep(
        await reader.many(
          OwnEventType,
          sql`select ${own_type_columns} from kernel.event_types order by type`,
        ),
      )
    },
    find: type => known.get(type),
    all: () => [...known].sort(([a], [b]) => (a < b ? -1 : 1)),
    known: pattern =>
      pattern === '*' ||
      [...known].some(([type, { internal }]) => !internal && patternsOf(type).includes(pattern)),
    own: () => rows,
  }
}

function declarationOf({ schema, schema_version }: OwnEventType): EventDeclaration {
  return { version: schema_version, data: Type.Unsafe<unknown>(schema) }
}

/** Events of a process that knows more than this one wait for it to learn their type. */
export function refusalsBy(types: Pick<EventTypes, 'find' | 'fresh'>): RefusalOf {
  const refusal = ({ type, schema_version }: LoggedEvent): Refusal => {
    const known = types.find(type)
    if (!known) return 'unknown_event_type'
    return schema_version > known.version ? 'newer_schema_version' : null
  }
  return async (event, reader) => {
    if (refusal(event) === null) return null
    await types.fresh(reader)
    return refusal(event)
  }
}
