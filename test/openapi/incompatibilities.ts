/**
 * What a caller of the old document would stumble over in the new one: operations, parameters, fields,
 * values and codes that went away, types that changed, input that became narrower. Additions are fine.
 */
import { codesOf, responseOf, type Responses } from '../../src/testing/contract/responses.ts'
import { schemaFaults, type Json, type Side } from './schema.ts'

type Parameter = { $ref?: string; name: string; in: string; required?: boolean; schema: unknown }
type Content = Record<string, { schema?: unknown }>
type Operation = {
  security?: unknown[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Content }
  responses: Responses
}
export type Document = {
  paths: Record<string, Record<string, Operation>>
  components?: {
    schemas?: Json
    responses?: Responses
    parameters?: Record<string, Parameter>
  }
}
type Sides = { from: Side; to: Side; old: Document; next: Document }

export function incompatibilities(old: Document, next: Document): string[] {
  const sides = { from: sideOf(old), to: sideOf(next), old, next }
  return Object.entries(old.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const at = `${method.toUpperCase()} ${path}`
      const successor = next.paths[path]?.[method]
      if (!successor) return [`${at}: the operation is gone`]
      return [
        ...guardFaults(at, operation, successor),
        ...parameterFaults(at, operation, successor, sides),
        ...bodyFaults(at, operation, successor, sides),
        ...responseFaults(at, operation, successor, sides),
      ]
    }),
  )
}

function sideOf({ components }: Document): Side {
  return { components: components?.schemas ?? {} }
}

/** An empty requirement means that the credential is optional; who answers 401 has asked before. */
function guardFaults(at: string, old: Operation, next: Operation): string[] {
  const guarded = ({ security = [], responses }: Operation) =>
    '401' in responses ||
    (security.length > 0 && !security.some(one => Object.keys(one as object).length === 0))
  return guarded(next) && !guarded(old) ? [`${at}: it now asks for a credential`] : []
}

/** By place and name; a shared parameter stands under `components`. */
function parametersOf({ components }: Document, { parameters = [] }: Operation) {
  const found = parameters.map(
    one => components?.parameters?.[one.$ref?.split('/').at(-1) ?? ''] ?? one,
  )
  return new Map(found.map(one => [`${one.in} ${one.name}`, one]))
}

function parameterFaults(at: string, old: Operation, next: Operation, sides: Sides) {
  const { from, to } = sides
  const before = parametersOf(sides.old, old)
  const after = parametersOf(sides.next, next)
  const faults: string[] = []
  for (const [name, parameter] of before) {
    const successor = after.get(name)
    const place = `${at} ${name}`
    if (successor) {
      faults.push(...schemaFaults(place, parameter.schema, successor.schema, 'input', from, to))
    } else {
      faults.push(`${place}: the parameter is gone`)
    }
  }
  for (const [name, parameter] of after) {
    if (parameter.required && !before.get(name)?.required) {
      faults.push(`${at} ${name}: the parameter is now required`)
    }
  }
  return faults
}

function bodyFaults(at: string, old: Operation, next: Operation, { from, to }: Sides): string[] {
  const [before, after] = [old.requestBody, next.requestBody]
  const faults = after?.required && !before?.required ? [`${at}: the body is now required`] : []
  for (const [type, { schema }] of Object.entries(before?.content ?? {})) {
    const successor = after?.content[type]
    if (!successor) faults.push(`${at}: ${type} is no longer taken`)
    else faults.push(...schemaFaults(`${at} body`, schema, successor.schema, 'input', from, to))
  }
  return faults
}

function responseFaults(at: string, old: Operation, next: Operation, sides: Sides) {
  return Object.keys(old.responses).flatMap(status => {
    const response = responseOf(sides.old, old.responses, status)
    const successor = responseOf(sides.next, next.responses, status)
    if (status === 'default' || Number(status) >= 400) {
      const codes = new Set(codesOf(sides.next, next.responses, status))
      const before = codesOf(sides.old, old.responses, status)
      const lost = before.filter(code => !codes.has(code))
      return lost.map(code => `${at}: ${status} ${code} is gone`)
    }
    if (!successor) return [`${at}: ${status} is gone`]
    return Object.entries(response?.content ?? {}).flatMap(([type, { schema }]) => {
      const content = successor.content?.[type]
      if (!content) return [`${at}: ${status} is no longer answered as ${type}`]
      if (!schema) return []
      return schemaFaults(`${at} ${status}`, schema, content.schema, 'output', sides.from, sides.to)
    })
  })
}
