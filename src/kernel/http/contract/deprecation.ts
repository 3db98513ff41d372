/**
 * Operations and members that will be removed. A route declares the end of an operation
 * (`deprecated`), a schema that of a member of a body, query or reply. From both come the list at
 * `GET /v1/deprecations`, the headers of replies, and the count of the callers.
 */
import type { TSchema } from 'typebox'

export type Deprecation = {
  readonly at: string
  readonly sunset: string
  /** What to use in its place, as a sentence or an operation. */
  readonly replacement: string
}

/** One thing that will be removed. `member` is null for a whole operation. */
export type Deprecated = Deprecation & {
  readonly operation: string
  readonly member: string | null
  /** Whether this request uses it. */
  isUsed(query: unknown, body: unknown): boolean
}

/** What a route says about it. */
type Declared = {
  readonly method: string
  readonly path: string
  readonly query?: TSchema | undefined
  readonly body?: TSchema | undefined
  readonly replies: Readonly<Record<number, TSchema | null>>
  readonly deprecated?: Deprecation | undefined
}

const mark = 'x-deprecated'

/** The same schema, marked as a member that will be removed. */
export function deprecated<S extends TSchema>(schema: S, given: Deprecation): S {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as S
  return Object.assign(copy, { deprecated: true, 'x-sunset': given.sunset, [mark]: given })
}

export function deprecationsOf(route: Declared): Deprecated[] {
  const operation = `${route.method} ${route.path}`
  const found: Deprecated[] = []
  const add = (schema: TSchema | undefined, place: 'body' | 'query' | 'reply') => {
    for (const { path, given } of membersOf(schema)) {
      const member = `${place} /${path.join('/')}`
      if (found.some(one => one.member === member)) continue
      const isUsed = (query: unknown, body: unknown) =>
        // Who reads a member of a reply cannot be seen, so each caller counts.
        place === 'reply' || has(place === 'body' ? body : query, path)
      found.push({ ...given, operation, member, isUsed })
    }
  }
  add(route.query, 'query')
  add(route.body, 'body')
  for (const schema of Object.values(route.replies)) if (schema) add(schema, 'reply')
  if (route.deprecated) {
    found.push({ ...route.deprecated, operation, member: null, isUsed: () => true })
  }
  return found
}

const each = '*'
type Member = { readonly path: readonly string[]; readonly given: Deprecation }
type Node = {
  readonly [mark]?: Deprecation
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly anyOf?: readonly Node[]
}

function membersOf(schema: unknown, path: readonly string[] = []): Member[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { [mark]: given, properties = {}, items, anyOf = [] } = schema as Node
  return [
    ...(given ? [{ path, given }] : []),
    ...Object.entries(properties).flatMap(([name, one]) => membersOf(one, [...path, name])),
    ...membersOf(items, [...path, each]),
    ...anyOf.flatMap(one => membersOf(one, path)),
  ]
}

function has(value: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return value !== undefined
  if (name === each) return Array.isArray(value) && value.some(one => has(one, rest))
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false
  return has((value as Record<string, unknown>)[name], rest)
}

/** `Deprecation` (RFC 9745) and `Sunset` (RFC 8594). */
export function deprecationHeaders({ at, sunset }: Deprecation) {
  return {
    deprecation: `@${Math.floor(Date.parse(at) / 1000)}`,
    sunset: new Date(sunset).toUTCString(),
  }
}
