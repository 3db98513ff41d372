/**
 * Finds every member of a request that its schema does not declare. Such a request is refused: the
 * member may be a restriction, and a client that gets a success relies on it. Each is reported with
 * the name that was probably meant. Unknown members are taken out before validation, which would name each of
 * a hundred thousand.
 * Ids are written in lower case, so that one id has one form in comparisons and in unique lists.
 * The walker is compiled once from the schema. A request that needs no change is passed on without a
 * copy.
 */
import { nearest } from '../../errors/did-you-mean.ts'
import type { FieldError } from '../../errors/field-sentences.ts'
import { escapePointer } from './content.ts'

type Schema = {
  type?: string
  format?: string
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: boolean | Schema
  maxItems?: number
  maxProperties?: number
  anyOf?: Schema[]
  oneOf?: Schema[]
}

/** At most this many names are reported. */
const names_max = 20
const name_max = 80

/** The pointers of unknown members, each with the known name that was probably meant. */
export type Unknown = Map<string, Meant | undefined>
type Meant = { readonly instead: string } | { readonly nearest: string }
type Walk = (value: unknown, pointer: string, unknown: Unknown) => unknown
/** The known names by their folded form. */
type Names = ReadonlyMap<string, string>

const none: Names = new Map()

export function knownFields(schema: unknown): Walk {
  return walkerOf(schema as Schema, none) ?? (value => value)
}

/** One name has one form in every usual spelling: `max_clicks`, `maxClicks`, `Max-Clicks`. */
function folded(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '')
}

function namesBy(properties: Record<string, Schema>, path = ''): Names {
  return new Map(Object.keys(properties).map(name => [folded(name), path + name]))
}

/** The names of the members of members, as `parameters.max_output_tokens`. */
function namesInside(properties: Record<string, Schema>): Names {
  const inner = Object.entries(properties).flatMap(([name, { properties: own, anyOf = [] }]) => {
    const members = own ?? anyOf.find(branch => branch.properties)?.properties ?? {}
    return [...namesBy(members, `${name}.`)]
  })
  return new Map(inner)
}

/** The same name in another spelling or place, or the one that is spelled alike. */
function meantBy(name: string, names: Names, ...elsewhere: Names[]): Meant | undefined {
  const form = folded(name.slice(0, name_max))
  const [instead] = [names, ...elsewhere].flatMap(known => known.get(form) ?? [])
  if (instead !== undefined) return { instead }
  const near = nearest(form, [...names.keys()])
  return near === undefined ? undefined : { nearest: names.get(near) ?? near }
}

function walkerOf(schema: Schema, around: Names): Walk | null {
  if (schema.format === 'uuid') return lowerCase
  if (schema.properties) return objectWalker(schema, around)
  if (schema.items) return arrayWalker(walkerOf(schema.items, around), schema.maxItems)
  if (schema.maxProperties !== undefined) return mapWalker(schema, around)
  // For a nullable object, only the branch with properties matters.
  const walkers = (schema.anyOf ?? []).map(branch => walkerOf(branch, around))
  const branches = new Set(walkers.filter(walk => walk !== null))
  if (branches.size > 1)
    throw new Error('a body must be one object with optional members, not a union')
  return [...branches][0] ?? null
}

function lowerCase(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value
}

function objectWalker({ properties = {}, additionalProperties }: Schema, around: Names): Walk {
  if (additionalProperties !== false) {
    throw new Error('an object in a request must be closed: write closed({ … }), or map(…)')
  }
  const names = namesBy(properties)
  const inside = namesInside(properties)
  const members = new Map(
    Object.entries(properties).map(([name, member]) => [name, walkerOf(member, names)]),
  )
  return (value, pointer, unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const source = value as Record<string, unknown>
    let changed = false
    const kept: Record<string, unknown> = {}
    for (const name of Object.keys(source)) {
      const walk = members.get(name)
      if (walk === undefined) {
        if (unknown.size < names_max) {
          const meant = meantBy(name, names, around, inside)
          unknown.set(`${pointer}/${escapePointer(name.slice(0, name_max))}`, meant)
        }
        changed = true
        continue
      }
      const member = source[name]
      const next = walk ? walk(member, `${pointer}/${escapePointer(name)}`, unknown) : member
      if (next !== member) changed = true
      kept[name] = next
    }
    return changed ? kept : value
  }
}

/**
 * A list or a map beyond its limit is refused. Only so many entries are validated as show that: each
 * wrong one costs several errors, and a body may hold hundreds of thousands.
 */
function arrayWalker(item: Walk | null, max = Infinity): Walk | null {
  if (!item && max === Infinity) return null
  return (value, pointer, unknown) => {
    if (!isList(value)) return value
    const list = value.length > max ? value.slice(0, max + 1) : value
    if (!item) return list
    let changed = list !== value
    const kept = list.map((member, index) => {
      const next = item(member, `${pointer}/${index}`, unknown)
      if (next !== member) changed = true
      return next
    })
    return changed ? kept : value
  }
}

function mapWalker(
  { additionalProperties: value, maxProperties: max = Infinity }: Schema,
  around: Names,
): Walk {
  const walk = typeof value === 'object' ? walkerOf(value, around) : null
  return (given, pointer, unknown) => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
    const entries = Object.entries(given as Record<string, unknown>)
    let changed = entries.length > max
    const kept = entries.slice(0, max + 1).map(([name, member]) => {
      const next = walk ? walk(member, `${pointer}/${escapePointer(name)}`, unknown) : member
      if (next !== member) changed = true
      return [name, next] as const
    })
    return changed ? Object.fromEntries(kept) : given
  }
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** What to use instead of a member that other APIs have. */
export type Instead = Readonly<Record<string, string>>

export function unknownErrors(
  location: 'body' | 'query',
  unknown: Unknown,
  instead: Instead = {},
): FieldError[] {
  const hints = new Map(Object.entries(instead).map(([name, to]) => [folded(name), to]))
  return [...unknown].map(([pointer, meant]) => {
    const hint = hints.get(folded(pointer.slice(pointer.lastIndexOf('/') + 1)))
    const params = hint === undefined ? (meant ?? {}) : { instead: hint }
    return { location, pointer, constraint: 'unknown', params }
  })
}

/** Returns the same schema with every object closed. */
export function closeAll(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeAll)
  if (typeof schema !== 'object' || schema === null) return schema
  const copy: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(schema)) copy[name] = closeAll(value)
  if (
    copy['type'] === 'object' &&
    copy['properties'] &&
    copy['additionalProperties'] === undefined
  ) {
    copy['additionalProperties'] = false
  }
  return copy
}
