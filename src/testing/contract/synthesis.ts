/**
 * Makes values from a JSON Schema: the smallest that fits, and one whose type fits nowhere. What a schema
 * alone cannot tell (a pattern, the id of something that exists) belongs into a recipe.
 */
import { Ajv } from 'ajv'
import { newId } from '#dodeca/kernel'
import { formats } from '../../kernel/http/server/check-input.ts'

export type Schema = {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly minItems?: number
  readonly multipleOf?: number
}

/** The smallest value that fits: nothing optional, every text and number at its lower bound. */
export function smallest(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.type === 'object' || schema.properties) return smallestObject(schema)
  const [branch] = schema.anyOf ?? schema.oneOf ?? []
  if (branch) return smallest(branch)
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'string':
      return smallestText(schema)
    case 'integer':
    case 'number':
      return smallestNumber(schema)
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => smallest(schema.items ?? {}))
    case 'boolean':
      return true
    default:
      return null
  }
}

function smallestObject(schema: Schema): Record<string, unknown> {
  const alternative = (schema.oneOf ?? schema.anyOf)?.[0]?.required ?? []
  const names = new Set([...(schema.required ?? []), ...alternative])
  return Object.fromEntries(
    Object.entries(schema.properties ?? {})
      .filter(([name]) => names.has(name))
      .map(([name, member]) => [name, smallest(member)]),
  )
}

const of_format: Readonly<Record<string, () => string>> = {
  uuid: newId,
  date: () => '2030-01-01',
  'date-time': () => '2030-01-01T00:00:00.000Z',
  uri: () => 'https://example.com/',
  email: () => `${newId()}@example.com`,
}

function smallestText({ format, pattern, minLength = 0 }: Schema): string {
  const make = format ? of_format[format] : undefined
  if (make) return make()
  const texts = ['a', 'A', '0'].map(letter => letter.repeat(Math.max(1, minLength)))
  if (!pattern) return texts[0] ?? 'a'
  const fits = texts.find(one => new RegExp(pattern, 'u').test(one))
  if (fits === undefined) throw new Error(`no text is known for ${pattern}: write a recipe`)
  return fits
}

function smallestNumber({ minimum, exclusiveMinimum, multipleOf = 1 }: Schema): number {
  const from = minimum ?? (exclusiveMinimum === undefined ? multipleOf : exclusiveMinimum + 1)
  return Math.ceil(from / multipleOf) * multipleOf
}

/** The JSON types that a schema takes, or null where it takes anything. */
export function typesOf(schema: Schema): ReadonlySet<string> | null {
  if (schema.const !== undefined) return new Set([typeOf(schema.const)])
  if (schema.enum) return new Set(schema.enum.map(typeOf))
  if (schema.type) return new Set([schema.type].flat())
  const branches = schema.anyOf ?? schema.oneOf
  if (!branches) return null
  const types = branches.map(typesOf)
  return types.includes(null) ? null : new Set(types.flatMap(one => [...(one ?? [])]))
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** A value that carries the marker and whose type the schema does not take; null where it takes all. */
export function misfit(schema: Schema, marker: string): unknown {
  const types = typesOf(schema)
  if (!types) return null
  if (!types.has('string')) return marker
  return types.has('array') ? { [marker]: marker } : [marker]
}

const ajv = new Ajv({ strict: false, formats })

/** Another value that fits, too. */
export function another(schema: Schema, value: unknown): unknown {
  const fits = ajv.compile(schema)
  for (const other of othersOf(schema, value)) if (fits(other)) return other
  throw new Error(`nothing else is known to fit: ${JSON.stringify(value)}`)
}

function* othersOf(schema: Schema, value: unknown): Generator {
  const inner = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  const members = inner.find(one => one.properties)?.properties ?? {}
  const allowed = inner.flatMap(one => one.enum ?? one.const ?? [])
  yield* allowed.filter(one => one !== value)
  if (typeof value === 'string') {
    const made = schema.format ? of_format[schema.format]?.() : newId()
    yield* [`${value}a`, made, value.replace(/.$/, '0')]
  }
  if (typeof value === 'number') yield* [value + (schema.multipleOf ?? 1), value - 1]
  if (typeof value === 'boolean') yield !value
  if (Array.isArray(value)) {
    const [first, ...more] = value as unknown[]
    for (const other of othersOf(schema.items ?? {}, first)) yield [other, ...more]
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, own] of Object.entries(value)) {
      const { [name]: _left, ...rest } = value as Record<string, unknown>
      for (const other of othersOf(members[name] ?? {}, own)) yield { ...value, [name]: other }
      yield rest
    }
    for (const [name, member] of Object.entries(members)) {
      if (!(name in value) && member.pattern === undefined)
        yield { ...value, [name]: smallest(member) }
    }
  }
}
