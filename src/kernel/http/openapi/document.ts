/**
 * The OpenAPI 3.1 document, made from the routes alone. A TypeBox schema is JSON Schema, so it is
 * used as it is. Schemas, refusals and headers that several operations share occur only once.
 */
import { Type } from 'typebox'
import type { PermissionCatalog } from '../../access/permissions.ts'
import type { Catalog } from '../../errors/problem.ts'
import { keyMode } from '../server/compile-route.ts'
import { consumesOf, type Route, type Taken } from '../contract/route.ts'
import { openComponents, type Components } from './components.ts'
import { headers, parameters as shared_parameters } from './headers.ts'
import { kernelReference, platform_introduction } from './kernel-reference.ts'
import { parametersOf } from './parameters.ts'
import { ProblemSchema } from './problem-schema.ts'
import type { Json, Members, Reference } from './reference.ts'
import { securitySchemes } from './security-schemes.ts'
import { responseComponents, refusals, refusalsOf, successes } from './replies.ts'

/** Routes that appear under one heading. */
export type Section = {
  readonly name: string
  readonly routes: readonly Route[]
  readonly reference?: Reference | undefined
}

export type DocumentOptions = {
  readonly routes: readonly Route[]
  /** The surfaces. Routes that belong to no surface belong to the platform. */
  readonly sections: readonly Section[]
  readonly catalog: Catalog
  readonly permissions: PermissionCatalog
  readonly version: string
  readonly public_url: string
}

type Place = { readonly tag: string; readonly members: Members }

export function openApiDocument(options: DocumentOptions): Json {
  const { catalog, public_url, version } = options
  const components = openComponents()
  components.content(ProblemSchema, kernelReference, 'Problem')
  const shown = options.routes.filter(route => !route.hidden)
  const own = new Map(shown.map(route => [route, refusalsOf(route, catalog)]))
  const responses = responseComponents([...own.values()])
  const placeOf = places(options.sections)
  const paths: Record<string, Json> = {}
  for (const route of [...shown].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    paths[route.path] ??= {}
    const item = paths[route.path] as Json
    const { members } = placeOf(route)
    const declared = successes(route, components, { members, name: operationName(route) })
    item[route.method.toLowerCase()] = {
      ...operation(route, components, placeOf(route), options),
      responses: {
        ...declared,
        ...refusals(route, own.get(route) ?? new Map(), responses, declared),
      },
    }
  }
  const used = new Set(shown.map(route => placeOf(route).tag))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Dodeca',
      version,
      description: `One backend, twelve API surfaces. Refusals are problem documents of RFC 9457; each code is explained at ${public_url}/problems.`,
      contact: { name: 'Dodeca', url: `${public_url}/docs` },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: public_url }],
    tags: tagsOf(options.sections).filter(({ name }) => used.has(name)),
    paths,
    components: usedComponents(paths, {
      schemas: components.schemas,
      responses,
      parameters: shared_parameters,
      headers,
      securitySchemes,
    }),
  }
}

const platform = 'Platform'

function tagOf(name: string): string {
  return `${name[0]?.toUpperCase()}${name.slice(1)}`
}

function tagsOf(sections: readonly Section[]): { name: string; description: string }[] {
  const own = sections.map(({ name, reference }) => ({
    name: tagOf(name),
    description: reference?.introduction ?? `Operations of ${name}.`,
  }))
  return [...own, { name: platform, description: platform_introduction }]
}

function places(sections: readonly Section[]): (route: Route) => Place {
  const found = new Map<Route, Place>()
  for (const { name, routes, reference } of sections) {
    const place = { tag: tagOf(name), members: { ...kernelReference, ...reference?.members } }
    for (const route of routes) found.set(route, place)
  }
  return route => found.get(route) ?? { tag: platform, members: kernelReference }
}

function operation(
  route: Route,
  components: Components,
  { tag, members }: Place,
  options: DocumentOptions,
): Json {
  const guarded = route.permission !== 'public'
  const name = operationName(route)
  const body = route.body !== undefined || consumesOf(route) !== 'json'
  return {
    operationId: name,
    summary: route.summary,
    description: describe(route, options.permissions),
    tags: [tag],
    security: securityOf(route),
    ...(guarded && route.permission !== 'authenticated'
      ? { 'x-permission': route.permission }
      : {}),
    ...(route.for_others ? { 'x-for-others': route.for_others } : {}),
    ...(route.added ? { 'x-added': true } : {}),
    ...(route.lists ? { 'x-list': { ...route.lists.asked, csv: true } } : {}),
    ...(route.deprecated ? { deprecated: true, 'x-sunset': route.deprecated.sunset } : {}),
    parameters: parametersOf(route, components, { members, name }),
    ...(body ? { requestBody: requestBody(route, components, members) } : {}),
  }
}

/** The caller's own credential, or what this public route takes instead of it. */
function securityOf({ permission, takes, method }: Route): Json[] {
  const besides = permission === 'public' ? credentials[takes ?? 'none'].besides : []
  if (!besides) return []
  const cookie = method === 'GET' ? { cookie: [] } : { cookie: [], csrf_token: [] }
  return [...besides, { bearer: [] }, cookie]
}

/** `besides`: what else such a route accepts where it accepts a credential. */
const credentials: Readonly<Record<Taken | 'none', { says: string; besides?: Json[] }>> = {
  none: { says: 'Requires no credential.' },
  login_token: {
    says: 'Send as Bearer token the `login_token` of a login that waits for its second factor, or an access token.',
    besides: [{ login_token: [] }],
  },
  access_token: {
    says: 'Requires the access token of the session, or its cookie.',
    besides: [],
  },
  client: {
    says: 'Requires `client_id`, and of a client with a secret `client_secret`, in the form or as Basic authentication.',
  },
  optional: {
    says: 'Works without authentication. With a credential, the reply is made for the caller.',
    besides: [{}],
  },
  signed_url: {
    says: 'Requires no header, because the URL is signed. The URL is valid for a short time.',
  },
  signature: { says: 'Requires the headers with the signature of the provider.' },
}

/**
 * Joins three parts: the description of the route, the callers that may use it, and the behaviour
 * of a retry.
 */
function describe(route: Route, permissions: PermissionCatalog): string {
  const key = keyMode(route)
  const retry = key
    ? 'With an `Idempotency-Key`, a retry does not repeat the effect.'
    : route.method === 'DELETE' && 'A repeat returns 204 as well.'
  const callers = [...callersOf(route, permissions), narrowOf(route)]
  return [route.description, ...callers, retry].filter(Boolean).join(' ')
}

/** What a session with a scope needs, if it is not what the permission says. */
function narrowOf({ narrow }: Route): string | false {
  if (!narrow || narrow === 'any') return false
  return `A session with a scope requires \`${narrow}\` in it.`
}

/** Who may use the operation. Most operations on one's own things require no permission. */
function callersOf(route: Route, permissions: PermissionCatalog): string[] {
  const { permission, takes = 'none', for_others, for_types } = route
  const named = (grant: string) => {
    const [name = '', typed] = grant.split(':')
    const { roles = [] } = permissions.get(name) ?? {}
    const held = roles.length > 0 ? ` (roles: ${roles.map(one => `\`${one}\``).join(', ')})` : ''
    return `the permission \`${name}\`${typed ? ' for the type' : ''}${held}`
  }
  const more = [
    ...(for_others ? [`For what belongs to others, it requires ${named(for_others)}.`] : []),
    ...(for_types ? [`The types that you may use depend on ${named(for_types)}.`] : []),
  ]
  if (permission === 'public') return [credentials[takes].says, ...more]
  if (permission !== 'authenticated') return [`Requires ${named(permission)}.`, ...more]
  return [`Requires a credential${more.length > 0 ? '.' : ', but no permission.'}`, ...more]
}

function requestBody(route: Route, components: Components, members: Members): Json {
  if (route.media) {
    const content = Object.entries(route.media).map(([type, schema]) => [
      type,
      { schema: components.content(schema, members, `${operationName(route)}Body`) },
    ])
    return { required: true, content: Object.fromEntries(content) as Json }
  }
  if (consumesOf(route) !== 'json') {
    return { content: { '*/*': { schema: { type: 'string', format: 'binary' } } } }
  }
  const name = operationName(route)
  const title = `${name[0]?.toUpperCase()}${name.slice(1)}Body`
  const schema = components.content(route.body ?? Type.Object({}), members, title)
  const types =
    route.method === 'PATCH'
      ? ['application/json', 'application/merge-patch+json']
      : ['application/json']
  return {
    required: !route.body_optional,
    content: Object.fromEntries(types.map(type => [type, { schema }])),
  }
}

/** Includes only components that are referenced. */
function usedComponents(paths: Json, all: Record<string, Json>): Json {
  const used = new Set<string>()
  const follow = (value: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(value).matchAll(
      /"#\/components\/(\w+)\/([^"]+)"/g,
    )) {
      const path = `${kind}/${name}`
      if (used.has(path)) continue
      used.add(path)
      follow(all[kind]?.[name])
    }
  }
  follow(paths)
  const kinds = Object.entries(all).map(([kind, entries]) => [
    kind,
    kind === 'securitySchemes'
      ? entries
      : Object.fromEntries(Object.entries(entries).filter(([name]) => used.has(`${kind}/${name}`))),
  ])
  return Object.fromEntries(kinds) as Json
}

const verbs = { GET: 'get', POST: 'create', PUT: 'put', PATCH: 'update', DELETE: 'delete' } as const

/** The `operationId`: the declared name, otherwise a name made from method and path. */
function operationName({ name, method, path }: Pick<Route, 'name' | 'method' | 'path'>) {
  if (name !== undefined) return name
  const words = path
    .replace(/^\/v1\//, '/')
    .replaceAll('{', 'by-')
    .split(/[^a-zA-Z0-9]+/)
    .filter(Boolean)
  return verbs[method] + words.map(word => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
}
