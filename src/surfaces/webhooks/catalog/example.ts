/**
 * Makes an example of an event type's data from the type's schema. If the schema has an example or
 * a default, the function returns that value. The result is the same every time.
 */
import type { TSchema } from 'typebox'

/**
 * The parts of a schema that determine the example. The other keywords of JSON Schema only narrow
 * it.
 */
type Schema = {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly items?: Schema
  readonly minItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
}

const formats: Readonly<Record<string, string>> = {
  uuid: '01999999-9999-7999-8999-999999999999',
  'date-time': '2026-01-31T12:00:00.000Z',
  date: '2026-01-31',
  email: 'somebody@example.com',
  uri: 'https://example.com/',
}

export function exampleOf(schema: TSchema): unknown {
  return example(schema)
}

function example(schema: Schema): unknown {
  if (schema.examples?.length) return schema.examples[0]
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (schema.enum?.length) return schema.enum[0]
  if (schema.anyOf?.[0]) return example(schema.anyOf[0])
  return ofType(schema)
}

function ofType(schema: Schema): unknown {
  switch (schema.type) {
    case 'string':
      return textOf(schema)
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1)
    case 'boolean':
      return true
    case 'array':
      return schema.items
        ? Array(Math.max(1, schema.minItems ?? 1)).fill(example(schema.items))
        : []
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, one]) => [name, example(one)]),
      )
    case 'null':
      return null
    default:
      // A schema without constraints accepts everything.
      return {}
  }
}

function textOf({ format = '', minLength = 0, maxLength = Infinity }: Schema): string {
  return formats[format] ?? 'example'.padEnd(minLength, '.').slice(0, maxLength)
}
