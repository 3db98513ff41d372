/**
 * Removes from a request every property that its schema does not declare, before validation, and
 * returns the names. An extra property never reaches a handler. It causes no refusal, unless its
 * name is that of a known member in another spelling (`expiresAt`, or one letter wrong) or of the
 * object around it: such a member may restrict, and must not be lost.
 * Ids are written in lower case, so that one id has one form in comparisons and in unique lists.
 * The walker is compiled once from the schema. A request that needs no change is passed on without a
 * copy.
 */
import { edits, nearest, suggestion } from '../../errors/did-you-mean.ts'
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

export type Dropped = string[]
/** The pointers of unknown members, each with the known name that was probably meant. */
export type Unknown = Map<string, Meant | undefined>
/** Exact: the name in another spelling or place. Otherwise one letter is wrong. */
type Meant = { readonly name: string; readonly exact: boolean }
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

function meantBy(form: string, names: Names, ...elsewhere: Names[]): Meant | undefined {
  const [same] = [names, ...elsewhere].flatMap(known => known.get(form) ?? [])
  if (same !== undefined) return { name: same, exact: true }
  const near = nearly(form, names)
  return near === undefined ? undefined : { name: near, exact: false }
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
    throw new Error('an object in a request must be closed (additionalProperties: false) or a map')
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
        const form = folded(name)
        const meant = unknown.size < names_max ? meantBy(form, names, around, inside) : undefined
        unknown.set(`${pointer}/${escapePointer(name)}`, meant)
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

/**
 * For a request that may have no other members: an error for each of the first twenty, with the
 * nearest known member. A body may have a hundred thousand of them.
 */
export function unknownMembers(schema: unknown, dropped: Dropped): FieldError[] {
  const known = [...new Set(namesOf(schema as Schema))]
  return dropped.slice(0, names_max).map(pointer => {
    const shown = pointer.slice(0, 1 + name_max)
    const near = nearest(lastOf(shown), known)
    const params = near === undefined ? {} : { nearest: near }
    return { location: 'body', pointer: shown, constraint: 'unknown', params }
  })
}

export type Refuses = Readonly<Record<string, string | null>>

/** Finds unknown members that would restrict, also in inner objects, with what to use instead. */
export function unsupportedMembers(
  refuses: Refuses,
  { location = 'body', near = true }: { location?: 'body' | 'query'; near?: boolean } = {},
): (unknown: Unknown) => FieldError[] {
  const listed = new Map(Object.entries(refuses).map(([name, to]) => [folded(name), to]))
  return unknown => {
    const found: FieldError[] = []
    for (const [pointer, meant] of unknown) {
      const known = meant && (near || meant.exact) ? meant.name : undefined
      const form = folded(lastOf(pointer))
      const instead = known ?? (location === 'query' ? nearly(form, listed) : listed.get(form))
      if (instead === undefined) continue
      const params = instead === null ? {} : { instead }
      const shown = pointer.slice(0, 1 + name_max)
      found.push({ location, pointer: shown, constraint: 'unsupported', params })
      if (found.length === names_max) break
    }
    return found
  }
}

/** The value of this name, or of one that has one letter more, less or other. */
function nearly<T>(form: string, named: ReadonlyMap<string, T>): T | undefined {
  if (named.has(form) || form.length < name_min || form.length > name_max) return named.get(form)
  for (const [name, value] of named) if (edits(form, name) === 1) return value
  return undefined
}

function lastOf(pointer: string): string {
  return pointer.slice(pointer.lastIndexOf('/') + 1)
}

/** The names of all members, also of inner objects. */
function namesOf({ properties = {}, items, anyOf = [] }: Schema): string[] {
  const inner = [...Object.values(properties), ...(items ? [items] : []), ...anyOf]
  return [...Object.keys(properties), ...inner.flatMap(namesOf)]
}

const bytes_max = 1024

/** The value of the header: at most 20 names and 1 KiB, percent-encoded ASCII. */
export function ignoredFieldsHeader(dropped: Dropped): string | null {
  if (dropped.length === 0) return null
  let header = ''
  for (const pointer of dropped.slice(0, names_max)) {
    const name = encodeURI(pointer).replaceAll(',', '%2C')
    if (header.length + name.length + 2 > bytes_max) break
    header += header ? `, ${name}` : name
  }
  return header || null
}

const named_max = 5
const name_max = 80
/** Shorter names are one letter from too many others. */
const name_min = 5

/**
 * The hint in a refusal about dropped properties: the caller may have meant one of the missing
 * ones.
 */
export function ignoredSentence(dropped: Dropped, known: readonly string[]): string {
  if (dropped.length === 0) return ''
  const names = dropped.slice(0, named_max).map(pointer => {
    const name = pointer.slice(1, 1 + name_max)
    return `\`${name}\` is not known and was ignored.${suggestion(name, known)}`
  })
  return ` ${names.join(' ')}`
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
