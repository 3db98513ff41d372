/**
 * The OpenAPI 3.1 document, made from the routes alone. A TypeBox schema is JSON Schema, so it is embedded
 * as it stands; a schema with a title becomes a component of that name. Nothing is written twice.
 */
import type { TSchema } from 'typebox'
import type { Catalog } from '../errors/problem.ts'
import { keyMode, mediaTypesOf } from './compile-route.ts'
import { consumesOf, type Route } from './route.ts'

export type DocumentOptions = {
  readonly routes: readonly Route[]
  readonly catalog: Catalog
  readonly version: string
  readonly public_url: string
}

type Json = Record<string, unknown>

export function openApiDocument(options: DocumentOptions): Json {
  const components: Json = { Problem: problemSchema }
  const paths: Record<string, Json> = {}
  const shown = options.routes.filter(route => !route.hidden)
  for (const route of [...shown].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    paths[route.path] ??= {}
    const item = paths[route.path] as Json
    item[route.method.toLowerCase()] = operation(route, options.catalog, components)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Dodeca',
      version: options.version,
      description: 'One backend, twelve API surfaces.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.public_url }],
    paths,
    components: {
      schemas: components,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  }
}

function operation(route: Route, catalog: Catalog, components: Json): Json {
  const guarded = route.permission !== 'public'
  return {
    operationId: operationId(route),
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    tags: [tagOf(route)],
    ...(guarded ? { security: [{ bearer: [] }] } : { security: [] }),
    ...(guarded && route.permission !== 'authenticated'
      ? { 'x-permission': route.permission }
      : {}),
    ...(route.added ? { 'x-added': true } : {}),
    ...(route.deprecated ? { deprecated: true, 'x-sunset': route.deprecated.sunset } : {}),
    parameters: parameters(route, components),
    ...(route.body || consumesOf(route) !== 'json'
      ? { requestBody: requestBody(route, components) }
      : {}),
    responses: { ...successes(route, components), ...failures(route, catalog) },
  }
}

/** `POST /v1/jobs/{job_id}/cancel` is `post_jobs_cancel`: stable, and unique by construction. */
function operationId({ method, path }: Pick<Route, 'method' | 'path'>): string {
  const words = path
    .replace(/^\/v1\//, '/')
    .split(/[/:]/)
    .filter(Boolean)
    .map(word =>
      word.startsWith('{') ? `by_${word.slice(1, -1)}` : word.replaceAll(/[^a-z0-9]+/gi, '_'),
    )
  return [method.toLowerCase(), ...words].join('_').replaceAll(/_+/g, '_')
}

function tagOf(route: Route): string {
  return /^\/v1\/([a-z-]+)/.exec(route.path)?.[1] ?? 'platform'
}

function parameters(route: Route, components: Json): Json[] {
  const list: Json[] = [...route.path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: route.params?.[name] ?? { type: 'string', format: 'uuid' },
  }))
  const required = new Set((route.query as { required?: string[] } | undefined)?.required)
  for (const [name, schema] of Object.entries(route.query?.properties ?? {})) {
    list.push({
      name,
      in: 'query',
      required: required.has(name),
      schema: hoist(schema, components),
    })
  }
  const key = keyMode(route)
  if (key) {
    list.push({
      name: 'Idempotency-Key',
      in: 'header',
      required: key !== 'optional',
      schema: { type: 'string', minLength: 16, maxLength: 200, pattern: '^[\\x21-\\x7e]+$' },
    })
  }
  if (isConditional(route)) {
    const description =
      'The ETag of the version that is meant; 412 where it is not the current one.'
    const schema = { type: 'string', maxLength: 1024 }
    list.push({ name: 'If-Match', in: 'header', required: false, description, schema })
  }
  return list
}

function isConditional({ fails }: Route): boolean {
  return fails?.includes('precondition_failed') ?? false
}

function requestBody(route: Route, components: Json): Json {
  if (consumesOf(route) !== 'json') {
    return { content: { '*/*': { schema: { type: 'string', format: 'binary' } } } }
  }
  const schema = hoist(route.body as TSchema, components)
  const types =
    route.method === 'PATCH'
      ? ['application/json', 'application/merge-patch+json']
      : ['application/json']
  return {
    required: !route.body_optional,
    content: Object.fromEntries(types.map(type => [type, { schema }])),
  }
}

function successes(route: Route, components: Json): Json {
  return Object.fromEntries(
    Object.entries(route.replies).map(([status, schema]) => [
      status,
      schema === null
        ? { description: 'Done' }
        : {
            description: route.summary,
            content: Object.fromEntries(
              mediaTypesOf(route).map(type => [
                type,
                {
                  schema:
                    type === 'application/json' ? hoist(schema, components) : { type: 'string' },
                },
              ]),
            ),
          },
    ]),
  )
}

/** The statuses that this route can refuse with, each with its codes. */
function failures(route: Route, catalog: Catalog): Json {
  const codes = new Map<number, Set<string>>()
  const add = (code: string) => {
    const entry = catalog.get(code)
    if (!entry) throw new Error(`${route.method} ${route.path} declares an unknown code: ${code}`)
    codes.set(entry.status, (codes.get(entry.status) ?? new Set()).add(code))
  }
  for (const code of impliedCodes(route)) add(code)
  for (const code of route.fails ?? []) add(code)
  return Object.fromEntries(
    [...codes].map(([status, set]) => [
      status,
      {
        description: [...set].sort().join(', '),
        content: {
          'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
        },
      },
    ]),
  )
}

function impliedCodes(route: Route): string[] {
  const codes = [
    'malformed_request',
    'not_acceptable',
    // A query is looked at on every route, whether or not it names a parameter.
    'invalid_character',
    'rate_limited',
    'internal_error',
    'overloaded',
  ]
  if (route.permission !== 'public') codes.push('authentication_required', 'invalid_token')
  if (route.permission !== 'public' && route.permission !== 'authenticated')
    codes.push('permission_denied')
  if (route.path.includes('{')) codes.push(route.absent ?? 'not_found')
  if (route.method !== 'GET' && route.method !== 'DELETE') {
    codes.push('content_too_large')
    if (consumesOf(route) === 'json') codes.push('malformed_json', 'unsupported_media_type')
  }
  if (route.body || route.query) codes.push('validation_failed')
  if (isConditional(route)) codes.push('invalid_header')
  if (route.query?.properties['cursor']) codes.push('invalid_cursor')
  const key = keyMode(route)
  if (key) {
    codes.push('idempotency_key_invalid', 'idempotency_key_reused', 'idempotency_in_progress')
    if (key !== 'optional') codes.push('idempotency_key_missing')
  }
  return codes
}

/** A titled schema is named once and referred to. */
function hoist(schema: TSchema, components: Json): unknown {
  if (Array.isArray(schema)) return schema.map(one => hoist(one as TSchema, components))
  if (typeof schema !== 'object' || schema === null) return schema
  const copy: Json = {}
  for (const [name, value] of Object.entries(schema))
    copy[name] = hoist(value as TSchema, components)
  const title = copy['title']
  if (typeof title !== 'string' || copy['type'] !== 'object') return copy
  const known = components[title]
  if (known && JSON.stringify(known) !== JSON.stringify(copy)) {
    throw new Error(`two schemas are called ${title}`)
  }
  components[title] = copy
  return { $ref: `#/components/schemas/${title}` }
}

const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string' },
    code: { type: 'string' },
    request_id: { type: 'string', format: 'uuid' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['location', 'pointer', 'constraint'],
        properties: {
          location: { type: 'string', enum: ['body', 'query', 'path', 'header'] },
          pointer: { type: 'string' },
          constraint: { type: 'string' },
          params: { type: 'object' },
        },
      },
    },
    retry_after: { type: 'integer' },
    current_state: { type: 'string' },
  },
}
