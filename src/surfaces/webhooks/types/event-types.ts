/**
 * The types that a subscription can contain: every declared event that is not internal. A pattern
 * is a type, a group (`order.*`) or `*`. Permissions to read are patterns too. An event reaches a
 * subscription only if the filter and the owner's permission both match.
 */
import type { TSchema } from 'typebox'
import type { EventDeclaration } from '#dodeca/kernel'

export type EventType = {
  readonly type: string
  readonly group: string
  readonly schema_version: number
  readonly data: TSchema
}

export type EventTypes = {
  /** All types, ordered by name. */
  readonly all: readonly EventType[]
  /** Undefined for undeclared and internal types. */
  find(type: string): EventType | undefined
  /** Whether at least one type matches the pattern. */
  known(pattern: string): boolean
}

const read = 'webhooks.events.read'

export function openEventTypes(declared: ReadonlyMap<string, EventDeclaration>): EventTypes {
  const all = [...declared]
    .filter(([, { internal }]) => !internal)
    .map(([type, { version, data }]) => ({
      type,
      group: groupOf(type),
      schema_version: version,
      data,
    }))
    .sort((a, b) => (a.type < b.type ? -1 : 1))
  const byName = new Map(all.map(one => [one.type, one]))
  const groups = new Set(all.map(one => `${one.group}.*`))
  return {
    all,
    find: type => byName.get(type),
    known: pattern => pattern === '*' || byName.has(pattern) || groups.has(pattern),
  }
}

/**
 * The noun before the dot. If a name has no dot, such as `OrderConfirmed`, the noun is the first
 * word of the name.
 */
export function groupOf(type: string): string {
  const dot = type.indexOf('.')
  if (dot > 0) return type.slice(0, dot)
  return (/^[A-Z]?[a-z0-9]+/.exec(type)?.[0] ?? type).toLowerCase()
}

/** Every pattern that the type matches. */
export function patternsOf(type: string): string[] {
  return ['*', `${groupOf(type)}.*`, type]
}

/** The types that the holder of these grants may read, as patterns. */
export function readablePatterns(grants: ReadonlySet<string>): string[] {
  const prefix = `${read}:`
  return [...grants]
    .filter(one => one.startsWith(prefix))
    .map(one => one.slice(prefix.length))
    .sort()
}

/** `*` means everything that may be read. A group requires the permission for the whole group. */
export function mayRead(grants: ReadonlySet<string>, pattern: string): boolean {
  const readable = readablePatterns(grants)
  if (pattern === '*') return readable.length > 0
  const wanted = pattern.endsWith('.*') ? ['*', pattern] : patternsOf(pattern)
  return wanted.some(one => readable.includes(one))
}
