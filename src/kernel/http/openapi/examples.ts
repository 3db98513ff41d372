/**
 * Makes an example that matches a schema. It uses the schema's own `examples`, then the value that
 * its surface gives for the property's name, and otherwise the format and bounds. A schema always
 * gets the same example, so that the document changes only with the routes.
 */
import { createHash } from 'node:crypto'
import type { Json, Members } from './reference.ts'

type Scope = { readonly members: Members; readonly title: string }

export function exampleOf(schema: unknown, scope: Scope, name = ''): unknown {
  const given = schema as Json
  const inside = typeof given['title'] === 'string' ? { ...scope, title: given['title'] } : scope
  // Words without a value leave the value to the schema, or to the name.
  const known = [scope.members[`${scope.title}.${name}`], scope.members[name]]
  const own = known.find(one => one !== undefined && one.length > 1)
  const fits = !given['enum'] && given['type'] !== 'object'
  if (own && fits && !isOther(given, own[1])) return own[1]
  if (name === '' || !shared.has(String(given['title']))) {
    const [first] = (given['examples'] ?? []) as unknown[]
    if (first !== undefined) return first
  }
  if (given['const'] !== undefined) return given['const']
  if (Array.isArray(given['enum'])) return given['enum'][0]
  if (given['properties']) return objectOf(given, inside)
  const branches = (given['anyOf'] ?? given['oneOf']) as Json[] | undefined
  if (branches) return exampleOf(branches.find(isNotNull) ?? {}, inside, name)
  if (given['default'] !== undefined) return given['default']
  return ofType(given, inside, name)
}

/** The name is known, but stands for something else here: a rule about passwords is no password. */
export function isOther(schema: Json, example: unknown): boolean {
  const branches = (schema['anyOf'] ?? []) as Json[]
  const type = schema['type'] ?? branches.find(isNotNull)?.['type']
  return type === 'boolean' && typeof example !== 'boolean'
}

/** For these formats the example depends on the property's name. */
const shared = new Set(['Id', 'Time'])

function isNotNull(schema: Json): boolean {
  return schema['type'] !== 'null'
}

function ofType(schema: Json, scope: Scope, name: string): unknown {
  switch (schema['type']) {
    case 'object': {
      return objectOf(schema, scope)
    }
    case 'array': {
      const shown = Math.min(Number(schema['maxItems'] ?? 1), 1)
      const items = Array.from({ length: Math.max(shown, Number(schema['minItems'] ?? 0)) })
      return items.map(() => exampleOf(schema['items'] ?? {}, scope, singular(name)))
    }
    case 'string': {
      return textOf(schema, name)
    }
    case 'integer':
    case 'number': {
      return Math.max(Number(schema['minimum'] ?? 1), Math.min(1, Number(schema['maximum'] ?? 1)))
    }
    case 'boolean': {
      return false
    }
    case 'null': {
      return null
    }
    default: {
      return {}
    }
  }
}

/** If properties exclude each other, only the first ones are kept. */
function objectOf(schema: Json, scope: Scope): Json {
  const [first = [], ...others] = ((schema['oneOf'] ?? []) as { required?: string[] }[]).map(
    ({ required = [] }) => required,
  )
  const left_out = new Set(others.flat().filter(name => !first.includes(name)))
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Json>>)
  const required = new Set(schema['required'] as string[] | undefined)
  const shows = (name: string, one: Json) => required.has(name) || isNotNull(one)
  return Object.fromEntries(
    properties
      .filter(([name, one]) => !left_out.has(name) && shows(name, one))
      .map(([name, one]) => [name, exampleOf(one, scope, name)]),
  )
}

function singular(name: string): string {
  return name.replace(/ies$/, 'y').replace(/s$/, '')
}

function textOf(schema: Json, name: string): string {
  if (schema['format'] === 'uuid') return idFor(name)
  if (schema['format'] === 'date-time') return timeFor(name)
  if (schema['format'] === 'date') return '2026-03-02'
  if (schema['format'] === 'uri') return 'https://example.com/orders/1042'
  const words = name.replaceAll('_', ' ').slice(0, Number(schema['maxLength'] ?? 100))
  const { pattern, minLength = 0 } = schema as { pattern?: string; minLength?: number }
  const fits = (text: string) =>
    text.length >= minLength && (pattern === undefined || new RegExp(pattern, 'u').test(text))
  return [words, ...believable].find(fits) ?? (words || 'example')
}

/** Values of common forms. The first value that matches a pattern is used. */
const believable = [
  'support_viewer',
  'links.stats.read',
  'en',
  'EUR',
  '19.99',
  '492039',
  '07:30',
  '2026-03-02',
  'X-Signature',
  '/id',
  'application/pdf',
  'https://example.com/orders/1042',
  `sha256:${digest('example')}`,
]

/** A version 7 id. Its end depends on the property's name, so that two properties differ. */
function idFor(name: string): string {
  return `019c8f3a-5b20-7d41-9e6b-${digest(name).slice(0, 12)}`
}

/** The end of a period must be after its beginning. */
function timeFor(name: string): string {
  const later = /expire|until|deadline|next|end|finish|updated|last/.test(name)
  return later ? '2026-03-02T10:15:00.000Z' : '2026-03-02T09:30:00.000Z'
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
