/**
 * Many routes over one noun, each said once. The name under which `open` gets a route is its
 * operationId. The verb says the method and the usual status. A handler returns the view of its
 * `reply`, and the headers follow: ETag from `version`, Location from `id`. `reply()` says anything
 * else. `route()` stays underneath.
 */
import type { Static, TObject, TProperties, TSchema } from 'typebox'
import type { Db, Tx } from '../database/db.ts'
import type { Problem } from '../errors/problem.ts'
import type { Page } from './contract/cursor.ts'
import { list as listRows } from './lists/list.ts'
import type { ListDeps, ListSpec } from './lists/spec.ts'
import { reply, type Replies, type ReplyOf } from './contract/reply.ts'
import type {
  AnyContext,
  Facts,
  Given,
  Guard,
  Keyed,
  Method,
  ParamsOf,
  Recorded,
  Route,
  TxOf,
} from './contract/route.ts'
import { pageOf, pageQuery } from './contract/shapes.ts'
import type { EventStream, SseEvent } from './streams/sse.ts'
import { withReplies, type Steps as AnySteps, type Declared } from './usual-replies.ts'

/** One declared route. The gatherer of a folder gives its name and what its handlers need. */
export type RouteMaker<Deps> = (name: string, deps: Deps) => Route

export type Defaults = Partial<
  Pick<Route, 'absent' | 'added' | 'params' | 'rate' | 'rate_tenant' | 'tool'>
> & {
  /** The permission of every route, unless `read` or `write` or the route itself says another. */
  readonly permission?: Exclude<Guard, 'public'>
  /** Of `get` and `list`. */
  readonly read?: Exclude<Guard, 'public'>
  /** Of all other verbs. */
  readonly write?: Exclude<Guard, 'public'>
}

type None = Record<never, never>
type Maybe<T> = T | Promise<T>
type Schema = TSchema | undefined
type Query = TObject | undefined
type Own = 'own' | undefined
type Nothing = ReturnType<() => void>

/** The declared replies by status: `reply` has the usual status of the verb. */
type All<U extends number, S extends Schema, R extends Replies | undefined> = Named<R> &
  (S extends TSchema ? { readonly [K in U]: S } : None)
type Named<R> = R extends Replies ? (number extends keyof R ? None : R) : None

type IsOne<K> = [K] extends [never] ? false : [K] extends [OnlyOf<K, K>] ? true : false
type OnlyOf<K, Each> = K extends unknown ? ([Each] extends [K] ? K : never) : never

/** `version` may also be there only for the ETag. Then it is left out of the body. */
type View<S> = S extends TSchema ? Static<S> & { readonly version?: number } : Nothing

/** A handler returns the view of the only reply, or `reply(...)` with one of the declared ones. */
type Returned<U extends number, S extends Schema, R extends Replies | undefined> =
  ReplyOf<All<U, S, R>> | (S extends TSchema ? View<S> : OnlyView<Named<R>>)
type OnlyView<R> = [keyof R] extends [never]
  ? Nothing
  : IsOne<keyof R> extends true
    ? View<R[keyof R]>
    : never

type Spec<
  G extends Guard,
  B extends Schema,
  Q extends Query,
  S extends Schema,
  R extends Replies | undefined,
  O extends Own,
> = Facts<B, Q> &
  Keyed & {
    /** If it differs from the defaults of the folder. */
    permission?: G
    /** The only successful body, with the usual status of the verb. */
    reply?: S
    /** The replies by status, if there are several or if the status is not the usual one. */
    replies?: R
    /** The path of the resource for Location, if it is not the route's own path and `/{id}`. */
    location?: string
    /** The handler gets `db` and makes its own transactions. */
    transaction?: O
    lease_seconds?: number
  }

/** What a handler may use besides the request. */
type Held<M extends Method, O extends Own, P> = O extends 'own'
  ? { readonly db: Db }
  : { readonly tx: TxOf<M>; readonly prepared: P }

/** The code of a route that is more than a handler. Each function gets what `route()` says. */
type Steps<Deps, M extends Method, O extends Own, C, Outcome, P, Result> = {
  prepare?(context: C, deps: Deps): Promise<P>
  handle?(context: C & Held<M, O, P>, deps: Deps): Maybe<Result>
  watch?(context: C & { readonly db: Db }, deps: Deps): Promise<AsyncIterable<SseEvent>>
  replayed?(deps: Deps): Promise<void>
  again?(context: C & Recorded & { readonly tx: TxOf<M> }, deps: Deps): Promise<Result>
  operation?: {
    begin(context: C & Begun<P>, deps: Deps): Promise<Result | undefined>
    call(
      operation_id: string,
      attempt: Attempt,
      signal: AbortSignal,
      context: C & { readonly prepared: P },
      deps: Deps,
    ): Promise<Outcome>
    finish(tx: Tx, operation_id: string, outcome: Outcome, deps: Deps): Promise<Result | Problem>
  }
  stream?(context: C & { readonly db: Db }, deps: Deps): Promise<EventStream>
  streaming?: {
    begin(context: C & Begun<P>, deps: Deps): Promise<void>
    open(
      operation_id: string,
      attempt: Attempt,
      signal: AbortSignal,
      deps: Deps,
    ): Promise<EventStream>
    again(operation_id: string, deps: Deps): AsyncIterable<SseEvent>
    location(operation_id: string, deps: Deps): string
  }
  streams?(context: C, deps: Deps): boolean
}
type Attempt = 'first' | 'resumed'
type Begun<P> = { readonly prepared: P; readonly tx: Tx; readonly operation_id: string }

/** A spec may depend on a setting. Then it is a function, with the type of its parameter. */
type From<Deps, T> = T | ((deps: Deps) => T)

type Verb<Deps, M extends Method, U extends number> = <
  const Path extends string,
  const G extends Guard = 'authenticated',
  const R extends Replies | undefined = undefined,
  S extends Schema = undefined,
  B extends Schema = undefined,
  Q extends Query = undefined,
  O extends Own = undefined,
  P = undefined,
  Outcome = unknown,
>(
  path: Path,
  summary: string,
  spec: From<Deps, Spec<G, B, Q, S, R, O>>,
  act:
    | ((context: Given<Path, G, B, Q> & Held<M, O, P>, deps: Deps) => Maybe<Returned<U, S, R>>)
    | Steps<Deps, M, O, Given<Path, G, B, Q>, Outcome, P, Returned<U, S, R>>,
) => RouteMaker<Deps>

type ListVerb<Deps> = {
  /** The rows of one table, with all that `lists/` gives to them. */
  <const Path extends string, Row extends TObject, Item extends TSchema = Row>(
    path: Path,
    summary: string,
    spec: ListSpec<Row, Item, ParamsOf<Path>, Deps>,
  ): RouteMaker<Deps & ListDeps>
  /** Pages that a handler makes. */
  <
    const Path extends string,
    Item extends TSchema,
    const G extends Guard = 'authenticated',
    Filters extends TProperties = None,
  >(
    path: Path,
    summary: string,
    spec: Omit<Facts<undefined, undefined>, 'query'> & {
      readonly permission?: G
      readonly item: Item
      readonly filters?: Filters
    },
    handle: (
      context: Given<Path, G, undefined, ReturnType<typeof pageQuery<Filters>>> &
        Held<'GET', undefined, undefined>,
      deps: Deps,
    ) => Promise<Page<Static<Item>>>,
  ): RouteMaker<Deps>
}

export type Verbs<Deps> = {
  /** The routes of a folder, in this order. The names are their operationIds. */
  open(routes: Readonly<Record<string, RouteMaker<Deps>>>): (deps: Deps) => readonly Route[]
  get: Verb<Deps, 'GET', 200>
  /** A GET that returns pages: of the rows of a table, or `page(...)` of a handler. */
  list: ListVerb<Deps>
  /** A POST that makes a resource: 201. */
  create: Verb<Deps, 'POST', 201>
  post: Verb<Deps, 'POST', 200>
  put: Verb<Deps, 'PUT', 200>
  patch: Verb<Deps, 'PATCH', 200>
  del: Verb<Deps, 'DELETE', 204>
}

export function routesOf<Deps>(defaults: Defaults = {}): Verbs<Deps> {
  const verb =
    (method: Method, usual: number, creates = false) =>
    (path: string, summary: string, spec: From<Deps, Declared>, act: Act<Deps>) =>
    (name: string, deps: Deps): Route => {
      const said = typeof spec === 'function' ? spec(deps) : spec
      const declared = { ...ofPath(defaults, path), ...said }
      const permission = declared.permission ?? permissionOf(defaults, method)
      if (!permission) throw new Error(`${name} needs a permission`)
      const own: AnySteps =
        typeof act === 'function' ? { handle: context => act(context, deps) } : stepsWith(deps, act)
      const rest = withReplies(declared, own, { path, usual, creates })
      return { method, path, name, summary, permission, ...rest }
    }
  const get = verb('GET', 200)
  const list = (path: string, summary: string, declared: DeclaredList, handle?: Handle<Deps>) => {
    if (!handle) {
      const permission = permissionOf(defaults, 'GET')
      const spec = { ...ofPath(defaults, path), ...(permission && { permission }), ...declared }
      return listRows(path, summary, spec as unknown as ListSpec<TObject, TSchema>)
    }
    const { item, filters = {}, ...spec } = declared
    const asked = { ...spec, query: pageQuery(filters), reply: pageOf(item) }
    return get(path, summary, asked, async (context, deps) => {
      const { body, headers } = (await handle(context, deps)) as Page<unknown>
      return reply(200, body, headers)
    })
  }
  const verbs = {
    get,
    list,
    create: verb('POST', 201, true),
    post: verb('POST', 200),
    put: verb('PUT', 200),
    patch: verb('PATCH', 200),
    del: verb('DELETE', 204),
  }
  return {
    // Callers see the types of `Verbs`. Inside, a route has lost its own types, as in `route()`.
    ...(verbs as unknown as Omit<Verbs<Deps>, 'open'>),
    open: routes => deps => Object.entries(routes).map(([name, make]) => make(name, deps)),
  }
}

type Handle<Deps> = (context: AnyContext, deps: Deps) => unknown
type Act<Deps> = Handle<Deps> | Readonly<Record<string, unknown>>
type DeclaredList = Declared & { readonly item: TSchema; readonly filters?: TProperties }

/** Each function of a route gets what its surface shares as its last argument. */
function stepsWith(deps: unknown, steps: object): AnySteps {
  const bound = Object.entries(steps).map(([name, step]: [string, Step | object]) => [
    name,
    isStep(step) ? (...given: unknown[]) => step(...given, deps) : stepsWith(deps, step),
  ])
  return Object.fromEntries(bound) as AnySteps
}

type Step = (...given: unknown[]) => unknown

function isStep(step: Step | object): step is Step {
  return typeof step === 'function'
}

function permissionOf({ permission, read, write }: Defaults, method: Method) {
  return (method === 'GET' ? read : write) ?? permission
}

/** The defaults of a folder, without what this path has no use for. */
function ofPath(defaults: Defaults, path: string): Declared {
  const { absent, params, permission: _permission, read: _read, write: _write, ...rest } = defaults
  if (!path.includes('{')) return rest
  const named = Object.entries(params ?? {}).filter(([name]) => path.includes(`{${name}}`))
  return {
    ...rest,
    ...(absent ? { absent } : {}),
    ...(named.length > 0 ? { params: Object.fromEntries(named) } : {}),
  }
}
