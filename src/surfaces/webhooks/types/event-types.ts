/**
 * The types that a subscription can contain: every event type that is not internal. A pattern
 * is a type, a group (`order.*`) or `*`. Permissions to read are patterns too. An event reaches a
 * subscription only if the filter and the owner's permission both match.
 */
import type { TSchema } from 'typebox'
import type { EventTypes as AllTypes, Reader } from '#dodeca/kernel'
import { exampleOf } from '../catalog/example.ts'

export type EventType = {
  readonly type: string
  readonly schema_version: number
  readonly data: TSchema
  example(): unknown
}

export type EventTypes = {
  /** Before a type is unknown: it may have been declared in another process a moment ago. */
  fresh(reader: Reader): Promise<void>
  /** All types, ordered by name. */
  all(): readonly EventType[]
  /** Undefined for undeclared and internal types. */
  find(type: string): Pick<EventType, 'type'> | undefined
  /** Whether at least one type matches the pattern. */
  known(pattern: string): boolean
}

export function openEventTypes(types: AllTypes): EventTypes {
  const open = () => types.all().filter(([, { internal }]) => !internal)
  return {
    fresh: types.fresh,
    all: () => {
      const own = new Set(types.own().map(one => one.type))
      return open().map(([type, { version, data }]) => ({
        type,
        schema_version: version,
        data,
        // An example is made of our own schemas only: others may ask for a million items.
        example: () => (own.has(type) ? givenExample(data) : exampleOf(data)),
      }))
    },
    find: type => {
      const found = types.find(type)
      return found && !found.internal ? { type } : undefined
    },
    known: types.known,
  }
}

function givenExample(schema: object): unknown {
  const { examples } = schema as { examples?: unknown }
  return Array.isArray(examples) ? (examples[0] ?? null) : null
}
