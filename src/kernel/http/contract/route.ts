/**
 * A route is a value: path, permission, limits, schemas, refusals and the handler. It is mounted,
 * documented, crawled and typed for the client by this declaration.
 */
import type { Static, TObject, TSchema } from 'typebox'
import type { Principal } from '../../access/principal.ts'
import type { ProblemDocument } from '../../errors/problem.ts'
import type { Narrow } from '../../access/scopes.ts'
import type { Db, Reader, Tx } from '../../database/db.ts'
import type { Deprecation } from './deprecation.ts'
import type { Instead } from '../input/known-fields.ts'
import type { ListFacts, Search } from './list-facts.ts'
import type { List } from './page.ts'
import type { RequestFacts, RequestHead, RequestKey } from './request-facts.ts'
import type { Replies, Reply, ReplyOf } from './reply.ts'
import type { OutsideOperation, StreamOperation } from './operations.ts'
import type { EventStream, SseEvent } from '../streams/sse.ts'
import type { RateClass } from '../../access/rate.ts'

export type { RequestFacts, RequestHead, RequestKey } from './request-facts.ts'
export { reply, type Replies, type Reply } from './reply.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type ParamsOf<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: string } & ParamsOf<Rest>
  : unknown

/**
 * `login_token`: the token of a login that waits for its second factor, or an access token.
 * `client`: the id of an application, with its secret if it has one (RFC 6749, 2.3).
 * `optional`: the operation also answers without a credential. If there is a credential, it answers
 * for that caller.
 */
export type Taken =
  'login_token' | 'access_token' | 'client' | 'optional' | 'signed_url' | 'signature'

export type ToolMode = 'read' | 'write' | 'confirm'

export type Guard = 'public' | 'authenticated' | `${string}.${string}.${string}`

export type Given<Path extends string, G extends Guard, B, Q> = {
  readonly principal: G extends 'public' ? Principal | null : Principal
  readonly params: ParamsOf<Path>
  readonly query: Q extends TObject ? Static<Q> : Record<never, never>
  readonly body: B extends TSchema ? Static<B> : undefined
  readonly request: RequestFacts
  /** The If-Match header, for `expectVersion`. */
  readonly if_match: string | string[] | undefined
  /** The permissions of the principal, for checks that depend on the row. */
  readonly grants: () => Promise<ReadonlySet<string>>
  /** This list as this caller sees it, for `page`. */
  readonly list: List
  /** For unique columns of a surface's own rows. They are kept longer than recorded outcomes. */
  readonly key: RequestKey | null
}

type Common<
  M extends Method,
  Path extends string,
  G extends Guard,
  B extends TSchema | undefined,
  Q extends TObject | undefined,
  R extends Replies,
> = Facts<B, Q> & {
  method: M
  path: Path
  /** The `operationId`, which a generated client uses as the name of a function: `submitJob`. */
  name?: string
  summary: string
  /** `public`, `authenticated`, or a permission. `:{body.type}` limits it to that type. */
  permission: G
  replies: R
}

/** What a route says besides its method, path, name, permission and replies. */
export type Facts<B extends TSchema | undefined, Q extends TObject | undefined> = {
  /** Information that the summary does not contain: effects, limits, next steps. */
  description?: string
  /** Further headers of the route's successful replies. */
  sends?: readonly ('etag' | 'location')[]
  /** Whether this bearer token is enough for the route, so that it needs no account. */
  opensWith?(token: string): boolean
  /** The credential that a public route checks itself, for the published document. */
  takes?: Taken
  /** What a session with a scope needs for this route, if it is not the permission. */
  narrow?: Narrow
  /** How models get it as a tool: `confirm` after a yes, `never` not at all. Others are found. */
  tool?: ToolMode | 'never'
  /** The API of the route (RFC 8707), if it is not `/v1`. Only its tokens work here, and no cookie. */
  resource?: string
  rate?: RateClass
  /** If false, the request counts for its caller only, not for the rate of the tenant. */
  rate_tenant?: false
  body?: B
  /** Whether the body is optional although the route has a body schema. */
  body_optional?: true
  query?: Q
  /** Path parameters that are not ids. All other path parameters must be UUIDs. */
  params?: Readonly<Record<string, TSchema>>
  /** The code for an invalid id in the path: `validation_failed` if the caller chooses the name. */
  absent?: string
  /** `raw`: the exact bytes, for signed messages. `stream`: the handler reads `request.stream()`. */
  consumes?: 'json' | 'raw' | 'stream'
  /** The permission that the handler requires for what belongs to others; for one's own, none. */
  for_others?: string
  /** The permission that the handler requires for a type, or for some types. */
  for_types?: string
  /** Of a `stream`: the media types that it accepts, with their schemas, for the document. */
  media?: Readonly<Record<string, TSchema>>
  /** Media types other than JSON. The handler returns text or bytes with a content-type. */
  produces?: readonly string[]
  body_limit_bytes?: number
  /** Before a body of so many bytes is read. May refuse; its result is called at the end. */
  takesBody?(bytes: number): (() => void) | undefined
  /** For a body with long lists, if the usual limit of 5,000 members does not suit the route. */
  body_members_max?: number
  /** Names of other APIs, with what to use instead. */
  instead?: Instead
  /** For clients of another API: the members with which it says what went wrong. */
  problemAs?(document: ProblemDocument): Readonly<Record<string, unknown>>
  /** Clients of another API send their key in this header, without `Bearer`. */
  key_header?: string
  /** Clients of another API do not say in Accept that they read events. The body says it. */
  any_accept?: true
  /** Visitors, probes and providers add query parameters of their own, which nobody reads. */
  foreign_query?: true
  /** Sees the body before its members are checked. Throws if the body must be refused. */
  inspectBody?(body: unknown): void
  /** Time for the whole body to arrive, if `kernel.body_seconds` does not suit the route. */
  body_seconds?: number
  /** Reads the grants before the transaction, in the packet that asks for the recorded outcome. */
  asks_grants?: true
  /** For a `raw` body: the maximum number of bytes, before it is read. It may also refuse. */
  bodyLimitFor?(head: RequestHead): number | Promise<number>
  /** Path parameters whose values each have their own rate for each caller. */
  rate_by?: readonly string[]
  /** Only requests that get a 4xx count against the rate. */
  counts_refused?: true
  fails?: readonly string[]
  headers?: Readonly<Record<string, string>>
  /** Also works while the process drains or is overloaded. No rate limit counts its requests. */
  always?: true
  /** A GET with its own transaction has no effects, so HEAD is accepted, as for one that only reads. */
  head?: true
  /** Scripts of every origin may call it and read the reply, but the browser sends no cookies. */
  any_origin?: true
  /** The surface's interceptor handles this route, and this handler what it passes on. */
  fronted?: true
  /** Of a list: what the start checks in the database. */
  lists?: ListFacts
  /** Of a list that is written by hand: what `GET /v1/matches` finds in it. */
  finds?: Search
  /** The published document omits this route. */
  hidden?: true
  /** The route is not in the interface specification. The document marks it `x-added`. */
  added?: boolean
  deprecated?: Deprecation
}

export type Keyed = {
  /** `domain`: the route's own row is the record. The surface builds a replay from this row. */
  idempotency?: 'required' | 'optional' | 'ignored' | 'domain'
  /**
   * `reference`: the body changes or has a signed URL, so a replay renders the body again. `sealed`:
   * the body has a secret that is shown once, so it is stored encrypted.
   */
  record?: 'body' | 'reference' | 'sealed'
}

/** What is stored of an outcome whose body is not. */
export type Recorded = { readonly resource_ref: string; readonly status: number }

export type TxOf<M extends Method> = M extends 'GET' ? Reader : Tx

type Answer<M extends Method, C, R extends Replies, Outcome, P> =
  | (Keyed & {
      transaction?: undefined
      /** A call outside, before the transaction. So a slow service holds no connection. */
      prepare?(context: C): Promise<P>
      handle(
        context: C & { readonly tx: TxOf<M>; readonly prepared: P },
      ): Promise<ReplyOf<R>> | ReplyOf<R>
      /** Streams changes of the resource, for callers that accept `text/event-stream`. */
      watch?(context: C & { readonly db: Db }): Promise<AsyncIterable<SseEvent>>
      /** Runs before a recorded outcome is sent again: waits as the first reply has waited. */
      replayed?(): Promise<void>
      /** For `record: 'reference'`: renders the reply again from `resource_ref`. */
      again?(context: C & Recorded & { readonly tx: TxOf<M> }): Promise<ReplyOf<R>>
    })
  | {
      transaction: 'own'
      idempotency?: 'ignored' | 'domain'
      handle(context: C & { readonly db: Db }): Promise<ReplyOf<R>>
    }
  | {
      transaction: 'own'
      idempotency: 'required' | 'optional'
      record?: 'body' | 'reference' | 'sealed'
      /** Runs before the transaction, because slow work must hold no connection. */
      prepare?(context: C): Promise<P>
      operation: OutsideOperation<C & { readonly prepared: P }, R, Outcome>
      /** For `record: 'reference'`: renders the reply again from `resource_ref`. */
      again?(context: C & Recorded & { readonly tx: Reader }): Promise<ReplyOf<R>>
      /**
       * After this time a retry takes over from a dead process. A running process renews the lease.
       */
      lease_seconds: number
    }
  | {
      transaction: 'own'
      stream(context: C & { readonly db: Db }): Promise<EventStream>
    }
  | {
      transaction: 'own'
      idempotency: 'required' | 'optional'
      prepare?(context: C): Promise<P>
      streaming: StreamOperation<C & { readonly prepared: P }>
      lease_seconds: number
    }
  | {
      transaction: 'own'
      idempotency: 'required' | 'optional'
      record?: 'body' | 'reference' | 'sealed'
      /** Runs before the transaction, because slow work must hold no connection. */
      prepare?(context: C): Promise<P>
      operation: OutsideOperation<C & { readonly prepared: P }, R, Outcome>
      again?(context: C & Recorded & { readonly tx: Reader }): Promise<ReplyOf<R>>
      streaming: StreamOperation<C & { readonly prepared: P }>
      /** Whether this request asks for events. The body says so, after the check of its schema. */
      streams(context: C): boolean
      lease_seconds: number
    }

export function route<
  const M extends Method,
  const Path extends string,
  const G extends Guard,
  const R extends Replies,
  B extends TSchema | undefined = undefined,
  Q extends TObject | undefined = undefined,
  Outcome = unknown,
  P = undefined,
>(spec: Common<M, Path, G, B, Q, R> & Answer<M, Given<Path, G, B, Q>, R, Outcome, P>): Route {
  // A list loses the types of its routes. Each handler still gets the values of its own route.
  return spec as unknown as Route
}

/** The parts of a request that every handler may receive, in the kernel's types. */
export type AnyContext = {
  principal: Principal | null
  params: Record<string, string>
  query: unknown
  body: unknown
  request: RequestFacts
  if_match: string | string[] | undefined
  grants: () => Promise<ReadonlySet<string>>
  grantsFrom: (reader: Reader) => Promise<ReadonlySet<string>>
  /** Asks the credential and the grants of now. Throws if the caller may not go on. */
  stillHolds: (permission: string | null) => Promise<void>
  list: List
  key: RequestKey | null
}

/** A route without its types. */
export type Route = Common<
  Method,
  string,
  Guard,
  TSchema | undefined,
  TObject | undefined,
  Replies
> &
  Keyed & {
    transaction?: 'own'
    lease_seconds?: number
    prepare?(context: AnyContext): Promise<unknown>
    handle?(context: AnyContext & { tx?: Tx; db?: Db; prepared?: unknown }): Promise<Reply> | Reply
    again?(context: AnyContext & Recorded & { tx: Tx }): Promise<Reply>
    replayed?(): Promise<void>
    operation?: OutsideOperation<AnyContext & { prepared: unknown }, Replies, unknown>
    stream?(context: AnyContext & { db: Db }): Promise<EventStream>
    watch?(context: AnyContext & { db: Db }): Promise<AsyncIterable<SseEvent>>
    streaming?: StreamOperation<AnyContext & { prepared: unknown }>
    streams?(context: AnyContext): boolean
  }

/** Compares the version of the resource with `If-Match`. */
export function isConditional({ fails }: Route): boolean {
  return fails?.includes('precondition_failed') ?? false
}

/** A GET that may have effects refuses HEAD with 405: a link checker must trigger none. */
export function onlyReads({ method, transaction, head }: Route): boolean {
  return method === 'GET' && (transaction !== 'own' || head === true)
}

export function consumesOf({ consumes = 'json' }: Pick<Route, 'consumes'>) {
  return consumes
}
