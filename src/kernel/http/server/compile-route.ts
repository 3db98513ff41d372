/**
 * Prepares everything about a route once, so that a request only runs it: checks of its input,
 * serializers, the permission and its type, the limits. Validators and serializers are compiled at
 * the first request that needs them, because compiling all of them takes half of the start-up time.
 */
import fastJson from 'fast-json-stringify'
import Negotiator from 'negotiator'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { deprecationsOf, type Deprecated } from '../contract/deprecation.ts'
import {
  firstUse,
  inputCheck,
  paramsCheck,
  type CheckInput,
  type CheckParams,
} from './check-input.ts'
import { usual_members_max } from '../input/content.ts'
import { closeAll } from '../input/known-fields.ts'
import { problem, type Catalog } from '../../errors/problem.ts'
import type { RateClass } from '../../access/rate.ts'
import type { AnyContext, Route } from '../contract/route.ts'
import { withViolations } from './violations.ts'

export type CompiledRoute = {
  readonly route: Route
  /** As its surface declared it. */
  readonly declared: Route
  readonly operation: string
  readonly rate: RateClass
  readonly keyed: 'required' | 'optional' | null
  /** `null` if the route requires no permission. */
  readonly permission: string | null
  /** The surface of the route, unless its routes are closed to narrow sessions. */
  readonly surface: string | null
  /** The property of the body that contains the type to which the permission is limited. */
  readonly type_field: string | null
  readonly checkParams: CheckParams
  readonly checkInput: CheckInput
  serialize(status: number, body: unknown): string | null
  /** What will be removed: the operation, or members of its body, query or replies. */
  deprecations(): readonly Deprecated[]
  /** The media types of the reply, the usual one first. */
  readonly media_types: readonly string[]
  readonly body_limit_bytes: number
  readonly body_members_max: number
}

export type CompileOptions = {
  readonly strict: boolean
  readonly catalog: Catalog
  readonly body_limit_bytes: number
  /** The surface of each route that narrow sessions may call by their scope. */
  readonly surface_of: ReadonlyMap<Route, string>
}

export function compileRoute(declared: Route, options: CompileOptions): CompiledRoute {
  const { strict, catalog } = options
  const route = withViolations(declared, catalog)
  const [permission, type_field] = permissionOf(route)
  if (
    route.consumes === 'stream' &&
    (route.transaction !== 'own' || (keyedOf(route) && !route.operation))
  ) {
    throw new Error(
      `${route.method} ${route.path}: a stream needs its own transaction, and with a key an operation`,
    )
  }
  return {
    route,
    declared,
    operation: `${route.method} ${route.path}`,
    rate: route.rate ?? (route.method === 'GET' ? 'read' : 'write'),
    keyed: keyedOf(route),
    permission,
    surface: options.surface_of.get(declared) ?? null,
    type_field,
    checkParams: paramsCheck(route, catalog),
    checkInput: inputCheck(route),
    serialize: serializer(route, strict),
    deprecations: firstUse(() => deprecationsOf(route)),
    media_types: mediaTypesOf(route),
    body_limit_bytes: route.body_limit_bytes ?? options.body_limit_bytes,
    body_members_max: route.body_members_max ?? usual_members_max,
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
  if (accept && !route.any_accept) negotiate(accept, [events ? event_stream : 'application/json'])
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
  const { stringify, exact: compiled } = shapeOf(schema)
  if (!strict) return stringify
  // In production an undeclared field is left out silently. In development and tests it is a
  // failure.
  const exact = compiled()
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

type Shape = { readonly stringify: Serialize; readonly exact: () => Validator }

/** Many routes reply with one shape: 573 replies have 268 schemas, and each takes milliseconds. */
const shapes = new WeakMap<TSchema, Shape>()

function shapeOf(schema: TSchema): Shape {
  const known = shapes.get(schema)
  if (known) return known
  const stringify = fastJson(schema as fastJson.Schema)
  const shape = { stringify, exact: firstUse(() => Compile(closeAll(schema) as TSchema)) }
  shapes.set(schema, shape)
  return shape
}
