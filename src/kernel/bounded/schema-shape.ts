/**
 * Decides which JSON Schemas from outside are accepted, and computes the cost of a check against
 * each part of a schema. A keyword is added to every subschema with its weight: the number of the
 * subschema's own keywords. The validator spends that weight each time the subschema is applied to
 * a value. So references and lists cannot avoid the limit.
 */
import { escapePointer } from '../http/input/content.ts'
import { compilePattern, type Pattern } from './pattern.ts'
import { Refused } from './work.ts'

/**
 * The name of the added keyword. If a schema already has a keyword of this name, it is overwritten.
 */
export const weight_keyword = 'x-dodeca-weight'

/** Compiling this many subschemas takes up to 40 ms, once for each schema. */
export const subschemas_max = 120
const values_max = 20_000
const instructions_of_all_max = 20_000
const draft = 'https://json-schema.org/draft/2020-12/schema'

const single = new Set(
  `additionalProperties items contains not if then else propertyNames unevaluatedItems
  unevaluatedProperties contentSchema`.split(/\s+/),
)
const listed = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
/** Their subschemas are applied to the same value as the schema that contains them. */
const same_value = new Set('allOf anyOf oneOf not if then else dependentSchemas'.split(' '))
const named = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
])

const refused: Readonly<Record<string, string>> = {
  $id: 'A schema has no $id: it stands for itself.',
  $async: 'A schema cannot be asynchronous.',
  $data: 'A schema cannot take its limits from the data ($data).',
  $dynamicRef: 'Use $ref with a pointer into the same schema instead of $dynamicRef.',
  $recursiveRef: 'Use $ref with a pointer into the same schema instead of $recursiveRef.',
  $vocabulary: 'A schema cannot declare vocabularies.',
  dependencies: 'Use dependentRequired or dependentSchemas instead of dependencies.',
}

export type ShapedSchema = {
  readonly schema: object
  readonly patterns: ReadonlyMap<string, Pattern>
}

/**
 * Returns the schema with its weights, and its patterns. Throws a `Refused` that gives the place of
 * an error.
 */
export function shapeSchema(schema: object): ShapedSchema {
  const shaping = new Shaping()
  const shaped = shaping.subschema(schema, '') as object
  shaping.checkReferences()
  shaping.checkCircles()
  return { schema: shaped, patterns: shaping.patterns }
}

type Members = Record<string, unknown>

class Shaping {
  readonly patterns = new Map<string, Pattern>()
  private readonly pointers = new Set<string>()
  private readonly anchors = new Map<string, string>()
  private readonly references: { readonly to: string; readonly pointer: string }[] = []
  /** From each subschema to those that are applied to the same value. */
  private readonly further = new Map<string, string[]>()
  private values = 0

  subschema(given: unknown, pointer: string): unknown {
    if (typeof given === 'boolean') {
      this.pointers.add(pointer)
      return given
    }
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      throw new Refused('A schema is an object, true or false.', pointer)
    }
    this.pointers.add(pointer)
    if (this.pointers.size > subschemas_max) {
      throw new Refused(`A schema has at most ${subschemas_max} parts that are schemas.`, pointer)
    }
    const shaped: Members = {}
    let weight = 1
    for (const [name, value] of Object.entries(given)) {
      const here = `${pointer}/${escapePointer(name)}`
      const [member, cost] = this.member(name, value, here)
      shaped[name] = member
      weight += cost
    }
    shaped[weight_keyword] = weight
    return shaped
  }

  /**
   * Returns the value in the form in which it is stored, and its cost for the containing schema.
   */
  private member(name: string, value: unknown, pointer: string): [unknown, number] {
    const sentence = refused[name]
    if (sentence) throw new Refused(sentence, pointer)
    if (name === '$schema' && String(value).replace(/#$/, '') !== draft) {
      throw new Refused(`$schema is ${draft}, or is left out.`, pointer)
    }
    if (name === '$ref') this.references.push({ to: String(value), pointer })
    if (name === '$anchor' || name === '$dynamicAnchor') {
      this.anchors.set(`#${String(value)}`, parentOf(pointer))
    }
    if (name === 'pattern') this.pattern(value, pointer)
    const sub = (one: unknown, at: string) => {
      if (same_value.has(name)) this.leads(parentOf(pointer), at)
      return this.subschema(one, at)
    }
    if (single.has(name)) return [sub(value, pointer), 1]
    if (listed.has(name) && Array.isArray(value)) {
      return [value.map((one, at) => sub(one, `${pointer}/${at}`)), value.length]
    }
    if (named.has(name) && isObject(value)) {
      const members = Object.entries(value).map(([key, one]) => {
        const here = `${pointer}/${escapePointer(key)}`
        if (name === 'patternProperties') this.pattern(key, here)
        return [key, sub(one, here)] as const
      })
      const definitions = name === '$defs' || name === 'definitions'
      return [Object.fromEntries(members), definitions ? 0 : members.length]
    }
    return [value, this.count(value, pointer)]
  }

  private pattern(source: unknown, pointer: string): void {
    if (typeof source !== 'string') throw new Refused('A pattern is a text.', pointer)
    if (this.patterns.has(source)) return
    try {
      this.patterns.set(source, compilePattern(source))
    } catch (error) {
      throw error instanceof Refused ? new Refused(error.message, pointer) : error
    }
    const all = [...this.patterns.values()].reduce((sum, one) => sum + one.instructions, 0)
    if (all > instructions_of_all_max) {
      throw new Refused(
        `The patterns of a schema make at most ${instructions_of_all_max} steps together.`,
        pointer,
      )
    }
  }

  private count(value: unknown, pointer: string): number {
    const found = countValues(value)
    this.values += found
    if (this.values > values_max) {
      throw new Refused(`A schema has at most ${values_max} values.`, pointer)
    }
    return found
  }

  /** A part that is not below a keyword for schemas has no weight, so no `$ref` may point to it. */
  checkReferences(): void {
    for (const { to, pointer } of this.references) {
      const inside = to.startsWith('#') ? decoded(to) : undefined
      const target =
        this.anchors.get(to) ?? (inside !== undefined && this.pointers.has(inside) ? inside : null)
      if (target === null) {
        throw new Refused(
          'A $ref leads to a schema inside this one, such as #/$defs/name; other documents are not read.',
          pointer,
        )
      }
      this.leads(parentOf(pointer), target)
    }
  }

  private leads(from: string, to: string): void {
    this.further.set(from, [...(this.further.get(from) ?? []), to])
  }

  /** The check of a value against a schema that comes back to itself would never end. */
  checkCircles(): void {
    const ended = new Set<string>()
    const visit = (pointer: string, way: ReadonlySet<string>): void => {
      if (way.has(pointer)) {
        throw new Refused('The references of this schema lead back to itself.', pointer)
      }
      if (ended.has(pointer)) return
      const on = new Set(way).add(pointer)
      for (const next of this.further.get(pointer) ?? []) visit(next, on)
      ended.add(pointer)
    }
    for (const pointer of this.pointers) visit(pointer, new Set())
  }
}

/** The containing schema of a keyword that is directly below it. */
function parentOf(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf('/'))
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference.slice(1))
  } catch {
    return reference
  }
}

/**
 * Counts every number, string and property in the value. A long text counts more than once, by its
 * length.
 */
function countValues(value: unknown): number {
  if (typeof value === 'string') return 1 + (value.length >> 4)
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const one of Object.values(value)) count += 1 + countValues(one)
  return count
}
