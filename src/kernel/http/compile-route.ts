/**
 * Prepares everything about a route once, so that a request only runs it: validators, the walker
 * over unknown fields, serializers, the permission and its type, the limits. Validators and
 * serializers are compiled at the first request that needs them, because compiling all of them
 * takes half of the start-up time.
 */
import { Ajv, type ErrorObject } from 'ajv'
import fastJson from 'fast-json-stringify'
import Negotiator from 'negotiator'
import type { TObject, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { isTime } from '../clock.ts'
import { sentencesOf } from '../errors/field-sentences.ts'
import { isId } from '../ids.ts'
import { deprecationsOf, type Deprecated } from './deprecation.ts'
import { field_errors_max, fieldErrors } from './field-errors.ts'
import {
  closeAll,
  ignoredFieldsHeader,
  ignoredSentence,
  knownFields,
  type Dropped,
} from './known-fields.ts'
import {
  Problem,
  problem,
  type Catalog,
  type FieldError,
  type ProblemDetails,
} from '../errors/problem.ts'
import type { RateClass } from '../access/rate.ts'
import type { AnyContext, Route } from './route.ts'

export type CompiledRoute = {
  readonly route: Route
  readonly operation: string
  readonly rate: RateClass
  readonly keyed: 'required' | 'optional' | null
  /** `null` if the route requires no permission. */
  readonly permission: string | null
  /** The property of the body that contains the type to which the permission is limited. */
  readonly type_field: string | null
  checkParams(params: Record<string, string>): void
  /** Returns the query and body without unknown properties, or throws `validation_failed`. */
  checkInput(query: unknown, body: unknown, dropped: Dropped): { query: unknown; body: unknown }
  serialize(status: number, body: unknown): string | null
  /** What will be removed: the operation, or members of its body, query or replies. */
  deprecations(): readonly Deprecated[]
  /** The media types of the reply, the usual one first. */
  readonly media_types: readonly string[]
  readonly body_limit_bytes: number
}

/** The meaning of each `format` in a schema, in requests and everywhere else. */
export const formats = {
  uuid: (text: string) => isId(text),
  'date-time': (text: string) => isTime(text),
  date: (text: string) => isTime(`${text}T00:00:00Z`),
  uri: (text: string) => URL.canParse(text),
}

// Ajv only warns of a format that it does not know, and then accepts every text.
const refuse = (text: string) => {
  throw new Error(text)
}
const logger = { log: refuse, warn: refuse, error: refuse }
const bodies = new Ajv({ allErrors: true, strict: false, formats, logger })
const queries = new Ajv({ allErrors: true, strict: false, formats, logger, coerceTypes: true })

export type CompileOptions = {
  readonly strict: boolean
  readonly catalog: Catalog
  readonly body_limit_bytes: number
}

export function compileRoute(route: Route, options: CompileOptions): CompiledRoute {
  const { strict, catalog } = options
  const [permission, type_field] = permissionOf(route)
  if (route.consumes === 'stream' && (route.transaction !== 'own' || keyedOf(route))) {
    throw new Error(
      `${route.method} ${route.path}: a stream needs its own transaction and its own key`,
    )
  }
  return {
    route,
    operation: `${route.method} ${route.path}`,
    rate: route.rate ?? (route.method === 'GET' ? 'read' : 'write'),
    keyed: keyedOf(route),
    permission,
    type_field,
    checkParams: paramsCheck(route, catalog),
    checkInput: inputCheck(route),
    serialize: serializer(route, strict),
    deprecations: firstUse(() => deprecationsOf(route)),
    media_types: mediaTypesOf(route),
    body_limit_bytes: route.body_limit_bytes ?? options.body_limit_bytes,
  }
}

const event_stream = 'text/event-stream'

export function mediaTypesOf(route: Route): readonly string[] {
  if (route.streams) return ['application/json', event_stream]
  if (route.stream || route.streaming) return [event_stream]
  const usual = route.produces ?? ['application/json']
  return route.watch ? [...usual, event_stream] : usual
}

/**
 * Whether the reply to this request is an event stream. This depends on the route, the body and the
 * Accept header.
 */
export function wantsEvents(
  compiled: CompiledRoute,
  context: AnyContext,
  accept: string | undefined,
): boolean {
  const { route } = compiled
  if (!route.streams) {
    const always = route.stream !== undefined || route.streaming !== undefined
    return always || prefersEvents(compiled, accept)
  }
  const events = route.streams(context)
  // The guard accepts both media types. The media type of this request is known only here.
  if (accept) negotiate(accept, [events ? event_stream : 'application/json'])
  return events
}

/** Refuses an Accept header that allows none of these media types. */
export function negotiate(accept: string, media_types: readonly string[]): void {
  const offered = new Negotiator({ headers: { accept } }).mediaTypes([...media_types])
  if (offered.length === 0) {
    throw problem('not_acceptable', { detail: `Available: ${media_types.join(', ')}.` })
  }
}

/** On a route that can be read and watched: whether the caller wants to watch. */
function prefersEvents({ route, media_types }: CompiledRoute, accept?: string): boolean {
  if (!route.watch || !accept?.includes(event_stream)) return false
  const preferred = new Negotiator({ headers: { accept } }).mediaType([...media_types])
  return preferred === event_stream
}

function permissionOf(route: Route): [string | null, string | null] {
  if (route.permission === 'public' || route.permission === 'authenticated') return [null, null]
  const match = /^([a-z0-9_.]+)(?::\{body\.([a-z_]+)\})?$/.exec(route.permission)
  if (!match?.[1])
    throw new Error(`${route.method} ${route.path}: not a permission: ${route.permission}`)
  return [match[1], match[2] ?? null]
}

/** A key belongs to a principal, so a public operation cannot store one. */
function keyedOf(route: Route): 'required' | 'optional' | null {
  const mode = keyMode(route)
  if (mode === null || mode === 'domain') return null
  if (route.permission === 'public') {
    throw new Error(`${route.method} ${route.path} is public and cannot keep keys`)
  }
  return mode
}

/**
 * The way in which a route handles an Idempotency-Key. `null` means that the route ignores the key.
 */
export function keyMode(route: Route): 'required' | 'optional' | 'domain' | null {
  const { idempotency, method, transaction, permission } = route
  if (idempotency) return idempotency === 'ignored' ? null : idempotency
  return method === 'POST' && !transaction && permission !== 'public' ? 'optional' : null
}

function paramsCheck(route: Route, catalog: Catalog): CompiledRoute['checkParams'] {
  const code = route.absent ?? 'not_found'
  const entry = catalog.get(code)
  if (!entry) throw new Error(`${route.method} ${route.path} names an unknown code: ${code}`)
  const names = [...route.path.matchAll(/\{([a-z_]+)\}/g)].map(match => match[1] ?? '')
  const checks = names.map(name => {
    const schema = route.params?.[name]
    return { name, fits: schema ? bodies.compile(schema) : (value: unknown) => isId(String(value)) }
  })
  return params => {
    for (const { name, fits } of checks) {
      if (!fits(params[name])) throw new Problem(code, entry, misnamed(code, name, fits))
    }
  }
}

/**
 * If the caller chooses the name of a new resource, an invalid name is `validation_failed` and not
 * "not found".
 */
function misnamed(code: string, name: string, fits: object): ProblemDetails {
  const error = (fits as { errors?: ErrorObject[] }).errors?.[0]
  if (code !== 'validation_failed') {
    const allowed = error?.params['allowedValues'] as readonly unknown[] | undefined
    if (allowed) return { detail: `\`${name}\` in the path must be one of ${allowed.join(', ')}.` }
    const form = error ? 'has an invalid form, so no' : 'is not a UUID, so no'
    return { detail: `\`${name}\` in the path ${form} resource has it. Check the path.` }
  }
  const constraint = error?.keyword ?? 'format'
  return { errors: [{ location: 'path', pointer: `/${name}`, constraint }] }
}

function inputCheck(route: Route): CompiledRoute['checkInput'] {
  const made = firstUse(() => ({
    query: route.query && { walk: knownFields(route.query), fits: queries.compile(route.query) },
    body: route.body && { walk: knownFields(route.body), fits: bodies.compile(route.body) },
  }))
  return (givenQuery, givenBody, dropped) => {
    const { query, body } = made()
    const errors: FieldError[] = []
    const ignored: Dropped = []
    const nextQuery = query ? query.walk(givenQuery, '', ignored) : {}
    if (!query) ignored.push(...Object.keys(givenQuery as object).map(name => `/${name}`))
    if (query && !query.fits(nextQuery)) errors.push(...fieldErrors('query', query.fits))
    dropped.push(...ignored.map(pointer => `?${pointer.slice(1)}`))
    let nextBody: unknown
    if (body && (givenBody !== undefined || !route.body_optional)) {
      nextBody = body.walk(givenBody, '', dropped)
      if (!body.fits(nextBody)) errors.push(...fieldErrors('body', body.fits))
    }
    if (errors.length > 0) throw unfit(route, errors, dropped)
    return { query: nextQuery, body: nextBody }
  }
}

/**
 * A misspelled property is dropped before validation. So the error for the missing property also
 * lists the dropped one.
 */
function unfit(route: Route, found: readonly FieldError[], dropped: Dropped): Problem {
  const errors = found.slice(0, field_errors_max)
  const known = [route.body, route.query].flatMap(one =>
    Object.keys((one as TObject | undefined)?.properties ?? {}),
  )
  const ignored = ignoredFieldsHeader(dropped)
  return problem('validation_failed', {
    detail: sentencesOf(errors) + ignoredSentence(dropped, known),
    errors,
    ...(ignored ? { headers: { 'x-ignored-fields': ignored } } : {}),
  })
}

function firstUse<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

type Serialize = (body: unknown) => string

function serializer(route: Route, strict: boolean): CompiledRoute['serialize'] {
  const byStatus = new Map<number, Serialize | null>()
  for (const [status, schema] of Object.entries(route.replies)) {
    const made = schema && firstUse(() => serializerOf(route, Number(status), schema, strict))
    byStatus.set(Number(status), made && (body => made()(body)))
  }
  return (status, body) => {
    const serialize = byStatus.get(status)
    if (serialize === undefined) {
      throw new Error(`${route.method} ${route.path} answered an undeclared status ${status}`)
    }
    return serialize ? serialize(body) : null
  }
}

function serializerOf(route: Route, status: number, schema: TSchema, strict: boolean): Serialize {
  const structured = structuredSerializer(route, status, schema, strict)
  // A route that also produces a page or text sends that body as it is, not as JSON.
  return route.produces ? body => (typeof body === 'string' ? body : structured(body)) : structured
}

function structuredSerializer(
  route: Route,
  status: number,
  schema: TSchema,
  strict: boolean,
): Serialize {
  const stringify = fastJson(schema as fastJson.Schema)
  if (!strict) return stringify
  // In production an undeclared field is left out silently. In development and tests it is a
  // failure.
  const exact = Compile(closeAll(schema) as TSchema)
  // A body with a Date fits only as JSON. Others need no copy.
  const checkJson = (plain: unknown) => {
    if (exact.Check(plain)) return
    const faults = exact.Errors(plain).slice(0, 3)
    const said = faults.map(fault => `${fault.instancePath || '/'} ${fault.message}`)
    throw new Error(
      `${route.method} ${route.path} ${status}: the reply does not match its schema: ${said.join('; ')}`,
    )
  }
  return body => {
    if (!exact.Check(body)) checkJson(JSON.parse(JSON.stringify(body)))
    return stringify(body)
  }
}
