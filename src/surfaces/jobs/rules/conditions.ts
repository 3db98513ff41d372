/**
 * What must hold for an event before a rule runs, and the parameters of its job. Numbers are compared
 * with numbers and times with times; a member that is absent or of another type fulfils nothing but
 * `exists: false`. Nothing else is evaluated.
 */
import { isTime, limit, parseTime, type FieldError } from '#dodeca/kernel'
import { canonical, valueAt, type EventFacts } from '../reactions/event-facts.ts'
import type { Condition } from './schemas.ts'

const value_bytes_max = 1000
const list_max = 100
const references_max = limit(
  'jobs.rule_references',
  50,
  'references',
  'References to the event in the parameters of a rule',
)

const ordered: Readonly<Record<string, (order: number) => boolean>> = {
  gt: order => order > 0,
  gte: order => order >= 0,
  lt: order => order < 0,
  lte: order => order <= 0,
}

export function holds(event: EventFacts, conditions: readonly Condition[]): boolean {
  return conditions.every(({ at, is, value }) => {
    const found = valueAt(event, at)
    if (is === 'exists') return (found !== undefined) === (value !== false)
    if (found === undefined) return false
    if (is === 'eq' || is === 'ne') return (is === 'eq') === equals(found, value)
    if (is === 'in') return Array.isArray(value) && value.some(one => equals(found, one))
    const order = compared(found, value)
    return order !== null && ordered[is]?.(order) === true
  })
}

function equals(found: unknown, value: unknown): boolean {
  return canonical(found) === canonical(value)
}

/** Null for two values that have no order. */
function compared(found: unknown, value: unknown): number | null {
  if (typeof found === 'number' && typeof value === 'number') return found - value
  if (typeof found !== 'string' || typeof value !== 'string') return null
  return isTime(found) && isTime(value) ? parseTime(found) - parseTime(value) : null
}

/** The faults of conditions that could never hold, or that are too large. */
export function faultsOfConditions(conditions: readonly Condition[]): FieldError[] {
  return conditions.flatMap(({ is, value }, at): FieldError[] => {
    const wrong = (constraint: string): FieldError[] => [
      { location: 'body', pointer: `/where/${at}/value`, constraint },
    ]
    if (is === 'exists')
      return value === undefined || typeof value === 'boolean' ? [] : wrong('type')
    if (value === undefined) return wrong('required')
    if (Buffer.byteLength(JSON.stringify(value)) > value_bytes_max) return wrong('maxBytes')
    if (is === 'eq' || is === 'ne') return []
    if (is === 'in') return Array.isArray(value) && value.length <= list_max ? [] : wrong('type')
    return compared(value, value) === null ? wrong('type') : []
  })
}

/** The event has no member at a place that the parameters name. */
export class MissingValue extends Error {
  override readonly name = 'MissingValue'
}

/** Replaces each `{"$event": "/data/order_id"}` by the value of the event. */
export function filled(parameters: unknown, event: EventFacts): unknown {
  const pointer = referenceIn(parameters)
  if (pointer !== null) {
    const found = valueAt(event, pointer)
    if (found === undefined) throw new MissingValue()
    return found
  }
  if (Array.isArray(parameters)) return parameters.map(one => filled(one, event))
  if (typeof parameters !== 'object' || parameters === null) return parameters
  return Object.fromEntries(
    Object.entries(parameters).map(([name, one]) => [name, filled(one, event)]),
  )
}

function referenceIn(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null
  const members = Object.entries(value)
  const [[name, pointer] = []] = members
  return members.length === 1 && name === '$event' && typeof pointer === 'string' ? pointer : null
}

/** How many references the parameters have. */
export function referencesIn(parameters: unknown): number {
  if (referenceIn(parameters) !== null) return 1
  if (typeof parameters !== 'object' || parameters === null) return 0
  return Object.values(parameters).reduce<number>((sum, one) => sum + referencesIn(one), 0)
}

export const hasTooMany = (references: number): boolean => references > references_max
