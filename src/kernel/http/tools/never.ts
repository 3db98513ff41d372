/**
 * Why models do not reach an operation. What the declaration of a route shows is found here; what it
 * does not show (credentials, rights, a result that opens something) the route says: `tool: 'never'`.
 */
import type { TSchema } from 'typebox'
import { keyMode } from '../server/compile-route.ts'
import { consumesOf, isConditional, onlyReads, type Route } from '../contract/route.ts'

export type Place = 'params' | 'query' | 'body' | 'if_match'

/** A sentence that ends "the operation …", or null if models may have it. */
export function whyNever(route: Route): string | null {
  const { name, path, permission, takes = 'optional', tool, record, hidden } = route
  if (tool === 'never') return 'says that it never is one'
  if (name === undefined || hidden || !path.startsWith('/v1/')) return 'is not in the document'
  if (permission === 'public' && !(onlyReads(route) && takes === 'optional')) {
    return 'takes no credential of an account'
  }
  if (record === 'sealed') return 'returns a secret'
  if (route.fails?.includes('step_up_required')) return 'requires a recent log-in'
  if (!isJson(route)) return 'does not take and return JSON'
  if (modeOf(route) !== 'read' && !keyMode(route) && !needsVersion(route)) {
    return 'takes no Idempotency-Key'
  }
  if (Object.values(route.replies).some(opensByItself)) return 'returns what opens something'
  if (route.body && opensByItself(route.body)) return 'takes a credential'
  return placesOf(route) === null ? 'has two arguments of one name' : null
}

/**
 * Without a key, a change of exactly the version that was read is made once: a repeat gets 412. A
 * repeated DELETE, or a PUT without a version, could undo what others did since.
 */
export function needsVersion(route: Route): boolean {
  const changes = route.method === 'PUT' || route.method === 'PATCH'
  return changes && !keyMode(route) && isConditional(route)
}

/** What was declared, or what the method says. A write that is not declared needs a yes. */
export function modeOf(route: Route): 'read' | 'write' | 'confirm' {
  const { tool } = route
  if (tool && tool !== 'never') return tool
  return onlyReads(route) ? 'read' : 'confirm'
}

function isJson(route: Route): boolean {
  const { produces = ['application/json'], stream, streaming, body } = route
  if (stream || streaming || consumesOf(route) !== 'json') return false
  return produces.includes('application/json') && (!body || membersOf(body) !== null)
}

/** Where each argument goes; null if two have one name. */
export function placesOf(route: Route): ReadonlyMap<string, Place> | null {
  const names: [string, Place][] = [
    ...[...route.path.matchAll(/\{([a-z_]+)\}/g)].map(([, one = '']) => [one, 'params'] as const),
    ...Object.keys(route.query?.properties ?? {}).map(one => [one, 'query'] as const),
    ...Object.keys((route.body && membersOf(route.body)) ?? {}).map(one => [one, 'body'] as const),
    ...(isConditional(route) ? [['if_match', 'if_match'] as const] : []),
  ].map(([one, place]) => [one, place])
  const places = new Map(names)
  return places.size === names.length ? places : null
}

export function membersOf(schema: TSchema): Readonly<Record<string, TSchema>> | null {
  return (schema as { properties?: Record<string, TSchema> }).properties ?? null
}

const secret = /^(.*_)?(secret|password|token|private_key)$/
const signed = /^(upload|download|signed|result)_urls?$/

/** Whether a member of this shape is a credential, or an address that works without one. */
function opensByItself(schema: TSchema | null): boolean {
  if (!schema) return false
  const { properties, items, anyOf, allOf, oneOf } = schema as {
    readonly properties?: Readonly<Record<string, TSchema>>
    readonly items?: TSchema
    readonly anyOf?: readonly TSchema[]
    readonly allOf?: readonly TSchema[]
    readonly oneOf?: readonly TSchema[]
  }
  const members = Object.entries(properties ?? {})
  const expires = properties !== undefined && 'url' in properties && 'expires_at' in properties
  if (expires || members.some(([name]) => secret.test(name) || signed.test(name))) return true
  const inner = [...members.map(([, one]) => one), ...(items ? [items] : [])]
  return [...inner, ...(anyOf ?? []), ...(allOf ?? []), ...(oneOf ?? [])].some(opensByItself)
}
