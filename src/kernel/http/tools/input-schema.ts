/**
 * The schema of the arguments of an operation, in as few words as a model needs: each list of tools
 * is paid for with every question. What is left out here is still checked.
 */
import type { TSchema } from 'typebox'
import { isConditional, type Route } from '../contract/route.ts'
import { membersOf, needsVersion } from './never.ts'

export type InputSchema = {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, object>>
  readonly required?: readonly string[]
  readonly additionalProperties: false
}

const id = { type: 'string', format: 'uuid' }
const version = { type: 'integer', description: 'The `version` that you have read.' }
const if_match = {
  type: 'integer',
  description: 'The `version` that you have read. Without it any version is changed.',
}

export function inputOf(route: Route): InputSchema {
  const { path, params, query, body, body_optional } = route
  const in_path = [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => name)
  const properties: Record<string, object> = {}
  for (const name of in_path) properties[name] = params?.[name] ? shortOf(params[name]) : id
  for (const shape of [query, body]) {
    const members = Object.entries((shape && membersOf(shape)) ?? {})
    for (const [name, schema] of members) properties[name] = shortOf(schema)
  }
  const versioned = needsVersion(route)
  if (isConditional(route)) properties['if_match'] = versioned ? version : if_match
  const required = [
    ...in_path,
    ...requiredOf(query),
    ...(body_optional ? [] : requiredOf(body)),
    ...(versioned ? ['if_match'] : []),
  ]
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

function requiredOf(schema: TSchema | undefined): readonly string[] {
  const { required = [] } = (schema ?? {}) as { readonly required?: readonly string[] }
  return required
}

type Schema = { readonly [name: string]: unknown }

const as_they_are = new Set(
  'type format enum const default pattern minimum maximum maxItems required description'.split(' '),
)
/** Their form says enough. */
const formats = new Set(['uuid', 'date-time', 'date', 'uri'])

function shortOf(given: unknown): Schema {
  const schema = given as Schema
  const short: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(schema)) {
    if (as_they_are.has(name) && !isNoise(name, value, schema)) short[name] = value
  }
  const { properties, items, additionalProperties } = schema
  if (properties) short['properties'] = eachShort(properties as Schema)
  if (items) short['items'] = shortOf(items)
  if (typeof additionalProperties === 'object' && additionalProperties !== null) {
    short['additionalProperties'] = shortOf(additionalProperties)
  }
  const branches = schema['anyOf'] ?? schema['oneOf']
  return Array.isArray(branches) ? { ...short, ...oneOfShort(branches.map(shortOf)) } : short
}

function eachShort(properties: Schema): Schema {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, shortOf(schema)]),
  )
}

function isNoise(name: string, value: unknown, { format }: Schema): boolean {
  if (name === 'maximum') return value === Number.MAX_SAFE_INTEGER
  return name === 'description' && typeof format === 'string' && formats.has(format)
}

/** `{ anyOf: [X, null] }` is X with another type. */
function oneOfShort(branches: readonly Schema[]): Schema {
  const others = branches.filter(one => one['type'] !== 'null')
  const [only] = others
  const type = only?.['type']
  const is_nullable = others.length === 1 && others.length < branches.length
  if (!is_nullable || typeof type !== 'string' || only?.['enum']) return { anyOf: branches }
  return { ...only, type: [type, 'null'] }
}
