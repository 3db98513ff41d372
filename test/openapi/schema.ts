/**
 * One schema of the document against its successor. What callers send may only become wider, what they
 * are sent may only become narrower or gain members; every breach is one sentence with its place.
 */

export type Json = Record<string, unknown>
export type Direction = 'input' | 'output'
export type Side = { readonly components: Json }
type Context = { from: Side; to: Side; direction: Direction; open: Set<string> }

export function schemaFaults(
  at: string,
  old: unknown,
  next: unknown,
  direction: Direction,
  from: Side,
  to: Side,
): string[] {
  return compare(at, old as Json, next as Json, { from, to, direction, open: new Set() })
}

function compare(at: string, given: Json, successor: Json, context: Context): string[] {
  const pair = `${String(given['$ref'])} ${String(successor['$ref'])}`
  if (given['$ref'] && successor['$ref']) {
    // A schema that contains itself: the outer comparison of the same pair decides.
    if (context.open.has(pair)) return []
    context.open.add(pair)
  }
  const old = resolve(given, context.from)
  const next = resolve(successor, context.to)
  const faults = [...typeFaults(at, old, next, context), ...valueFaults(at, old, next)]
  if (faults.length === 0) {
    faults.push(
      ...(context.direction === 'input' ? boundFaults(at, old, next) : []),
      ...memberFaults(at, old, next, context),
      ...branchFaults(at, old, next, context),
    )
    if (old['items'] && next['items']) {
      faults.push(...compare(`${at}[]`, old['items'] as Json, next['items'] as Json, context))
    }
  }
  context.open.delete(pair)
  return faults
}

function resolve(schema: Json, side: Side): Json {
  const ref = schema['$ref'] as string | undefined
  const name = /^#\/components\/schemas\/(.+)$/.exec(ref ?? '')?.[1]
  const whole = name ? (side.components[name] as Json) : schema
  const branches = branchesOf(whole)
  const [only, ...more] = branches.filter(one => one['type'] !== 'null')
  // A nullable schema is its only other branch, and `null` besides.
  if (!only || more.length > 0 || only.length === branches.length || branches.length < 2)
    return whole
  const { type, ...rest } = resolve(only, side)
  return type === undefined ? whole : { ...rest, type: [type, 'null'].flat() }
}

function branchesOf(schema: Json): Json[] {
  return (schema['anyOf'] ?? []) as Json[]
}

function typesOf(schema: Json): Set<string> | null {
  if (schema['type']) return new Set([schema['type']].flat() as string[])
  const branches = branchesOf(schema).map(typesOf)
  if (branches.length === 0 || branches.includes(null)) return null
  return new Set(branches.flatMap(one => [...(one ?? [])]))
}

/** An integer is a number, so input may widen to it and output may narrow to it. */
function covers(types: Set<string> | null, type: string): boolean {
  return types === null || types.has(type) || (type === 'integer' && types.has('number'))
}

function typeFaults(at: string, old: Json, next: Json, { direction }: Context): string[] {
  const [inner, outer] = direction === 'input' ? [old, next] : [next, old]
  const types = typesOf(outer)
  const lost = [...(typesOf(inner) ?? (types ? ['any'] : []))].filter(one => !covers(types, one))
  if (lost.length === 0) return []
  return [
    direction === 'input'
      ? `${at}: the type ${lost.join(' and ')} is no longer taken`
      : `${at}: the type became ${lost.join(' and ')}`,
  ]
}

function valuesOf(schema: Json): unknown[] | null {
  if (schema['const'] !== undefined) return [schema['const']]
  if (Array.isArray(schema['enum'])) return schema['enum']
  const branches = branchesOf(schema)
  const values = branches.map(valuesOf)
  return branches.length > 0 && !values.includes(null) ? values.flatMap(one => one ?? []) : null
}

function valueFaults(at: string, old: Json, next: Json): string[] {
  const [before, after] = [valuesOf(old), valuesOf(next)]
  if (!after) return []
  if (!before) return [`${at}: only some values are left`]
  const lost = before.filter(one => !after.includes(one))
  return lost.map(one => `${at}: the value ${JSON.stringify(one)} is gone`)
}

const smaller_is_narrower = [
  'maxLength',
  'maximum',
  'exclusiveMaximum',
  'maxItems',
  'maxProperties',
]
const larger_is_narrower = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties']

/** A UUID has one length, whether or not the schema says so. */
const uuid_length = { minLength: 36, maxLength: 36 }

function boundFaults(at: string, before: Json, next: Json): string[] {
  const old = before['format'] === 'uuid' ? { ...before, ...uuid_length } : before
  const narrower = (name: string, sign: 1 | -1) => {
    const [before, after] = [old[name], next[name]] as [number | undefined, number | undefined]
    return after !== undefined && (before === undefined || (after - before) * sign > 0)
  }
  const bounds = [
    ...smaller_is_narrower.filter(name => narrower(name, -1)),
    ...larger_is_narrower.filter(name => narrower(name, 1)),
  ].map(name => `${at}: ${name} became ${String(next[name])}`)
  const forms = ['pattern', 'format', 'multipleOf'].filter(
    name => next[name] !== undefined && next[name] !== old[name],
  )
  return [...bounds, ...forms.map(name => `${at}: ${name} became ${String(next[name])}`)]
}

function memberFaults(at: string, old: Json, next: Json, context: Context): string[] {
  const before = (old['properties'] ?? {}) as Record<string, Json>
  const after = (next['properties'] ?? {}) as Record<string, Json>
  const required = (schema: Json) => new Set((schema['required'] ?? []) as string[])
  const [demanded, demands] = [required(old), required(next)]
  const faults: string[] = []
  for (const [name, schema] of Object.entries(before)) {
    const successor = after[name]
    if (!successor) faults.push(`${at}/${name}: the field is gone`)
    else faults.push(...compare(`${at}/${name}`, schema, successor, context))
  }
  for (const name of Object.keys({ ...before, ...after })) {
    if (context.direction === 'input' && demands.has(name) && !demanded.has(name)) {
      faults.push(`${at}/${name}: the field is now required`)
    }
    if (context.direction === 'output' && demanded.has(name) && after[name] && !demands.has(name)) {
      faults.push(`${at}/${name}: the field may now be missing`)
    }
  }
  return faults
}

/** Every branch that could be sent must still be taken; every one that is sent must be a known one. */
function branchFaults(at: string, old: Json, next: Json, context: Context): string[] {
  const [before, after] = [branchesOf(old), branchesOf(next)]
  if (before.length === 0 || after.length === 0 || valuesOf(old)) return []
  const fits = (one: Json, other: Json) => compare(at, one, other, context).length === 0
  const lost =
    context.direction === 'input'
      ? before.filter(one => !after.some(other => fits(one, other)))
      : after.filter(one => !before.some(other => fits(other, one)))
  return lost.map(() => `${at}: an alternative changed`)
}
