/** An event as waits and rules see it, and what a JSON pointer finds in it. */
import { createHash } from 'node:crypto'
import type { LoggedEvent } from '#dodeca/kernel'

export type EventFacts = {
  readonly id: string
  readonly type: string
  readonly schema_version: number
  readonly aggregate_type: string
  readonly aggregate_id: string
  readonly aggregate_version: number
  readonly occurred_at: string
  readonly data: unknown
}

type Shown = Pick<
  LoggedEvent,
  | 'id'
  | 'type'
  | 'schema_version'
  | 'aggregate_type'
  | 'aggregate_id'
  | 'aggregate_version'
  | 'occurred_at'
  | 'payload'
>

export function factsOf(event: Shown): EventFacts {
  const { id, type, schema_version, aggregate_type, aggregate_id, aggregate_version } = event
  const { occurred_at, payload: data } = event
  return {
    id,
    type,
    schema_version,
    aggregate_type,
    aggregate_id,
    aggregate_version,
    occurred_at,
    data,
  }
}

/** Returns undefined if there is no such member. */
export function valueAt(value: unknown, pointer: string): unknown {
  let found = value
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<string, unknown>)[key]
  }
  return found
}

/** JSON with the members of each object in one order, so that equal values have the same text. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`
}

/** Names a wait by what it waits for: the next one for the same goes on where this one ended. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('base64url')
}

/** Whether the event has each of these values. */
export function hasValues(event: EventFacts, match: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(match).every(([pointer, expected]) => {
    const found = valueAt(event, pointer)
    return found !== undefined && canonical(found) === canonical(expected)
  })
}
