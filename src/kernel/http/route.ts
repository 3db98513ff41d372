/**
 * A route is a value: path, permission, limits, schemas, refusals and the handler. It is mounted,
 * documented, checked by the crawler and typed for the client from this one declaration.
 */
import type { Readable } from 'node:stream'
import type { Static, TObject, TSchema } from 'typebox'
import type { Principal } from '../access/principal.ts'
import type { Db, Reader, Tx } from '../database/db.ts'
import type { List } from './page.ts'
import type { Replies, Reply, ReplyOf } from './reply.ts'
import type { OutsideOperation, StreamOperation } from './operations.ts'
import type { EventStream, SseEvent } from './sse.ts'
import type { RateClass } from '../access/rate.ts'

export { reply, type Headers, type Replies, type Reply } from './reply.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type ParamsOf<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: string } & ParamsOf<Rest>
  : unknown

export type RequestFacts = {
  readonly id: string
  /** HEAD runs the handler of GET; this tells which one it is. */
  readonly method: string
  readonly path: string
  /** The query as it came, with its question mark, for signatures over it; otherwise empty. */
  readonly search: string
  readonly ip: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Aborted when the caller has disconnected or the process stops. */
  readonly signal: AbortSignal
  /** Aborted when the process stops, even if the caller is still connected. */
  readonly stopping: AbortSignal
  readonly traceparent: string | null
  /** The exact bytes, for routes that take a `raw` body. */
  readonly raw: Buffer
  /**
   * The body of a route that consumes a `stream`, as it arrives: at most `limit_bytes` (and the
   * route's limit). A longer body fails with `content_too_large`, a late one with
   * `request_timeout`. A client that expects `100-continue` sends the body after this call, so
   * every refusal comes before it.
   */
  stream(limit_bytes?: number): Readable
}

/** What is known of a request before its body. */
export type RequestHead = {
  readonly params: Readonly<Record<string, string>>
  readonly headers: RequestFacts['headers']
}

/** The Idempotency-Key of a request, with the fingerprint under which its outcome is recorded. */
export type RequestKey = { readonly value: string; readonly fingerprint: Buffer }

/**
 * `login_token`: that of a login that waits for its second factor, or an access token. `optional`:
 * the operation answers without a credential, and with one it answers for the caller.
 */
export type Taken = 'login_token' | 'access_token' | 'optional' | 'signed_url' | 'signature'

type Guard = 'public' | 'authenticated' | `${string}.${string}.${string}`

type Given<Path extends string, G extends Guard, B, Q> = {
  readonly principal: G extends 'public' ? Principal | null : Principal
  readonly params: ParamsOf<Path>
  readonly query: Q extends TObject ? Static<Q> : Record<never, never>
  readonly body: B extends TSchema ? Static<B> : undefined
  readonly request: RequestFacts
  /** What the principal holds, for decisions that depend on the row. */
  readonly grants: () => Promise<ReadonlySet<string>>
  /** This list as this caller sees it, for `page`. */
  readonly list: List
  /** For unique keys of a surface's own rows, which are kept longer than the recorded outcome. */
  readonly key: RequestKey | null
}

type Common<
  M extends Method,
  Path extends string,
  G extends Guard,
  B extends TSchema | undefined,
  Q extends TObject | undefined,
  R extends Replies,
> = {
  method: M
  path: Path
  /** The `operationId`: verb and noun in camelCase, as a generated client calls it (`submitJob`). */
  name?: string
  summary: string
  /** What the summary does not say: effects, limits, what to do next. */
  description?: string
  /** Further headers of its successful replies. */
  sends?: readonly ('etag' | 'location')[]
  /** `public`, `authenticated`, or a permission; `:{body.type}` limits it to that type. */
  permission: G
  /** The credential that a public route checks itself, for its document. */
  takes?: Taken
  rate?: RateClass
  /** False: the request counts for its caller only, and not in the shared rate of the tenant. */
  rate_tenant?: false
  body?: B
  /** Whether a request without a body is accepted although a schema is given. */
  body_optional?: true
  query?: Q
  /** Path parameters that are not ids; every other one must be a UUID. */
  params?: Readonly<Record<string, TSchema>>
  /** The code for an invalid id in the path; `validation_failed` if the caller chooses the name. */
  absent?: string
  /**
   * `raw`: the exact bytes, of any media type, for signed messages. `stream`: the handler reads
   * `request.stream()` itself, in its own transaction and with its own handling of keys.
   */
  consumes?: 'json' | 'raw' | 'stream'
  /** Media types other than JSON; the handler returns text or bytes with a content-type. */
  produces?: readonly string[]
  body_limit_bytes?: number
  /** Checks the body before unknown members are dropped; throws if it must be refused. */
  inspectBody?(body: unknown): void
  /** Time for the whole body to arrive, where `kernel.body_seconds` is not right. */
  body_seconds?: number
  /** Grants are read before the transaction: no request may wait for a second connection. */
  asks_grants?: true
  /** For a `raw` body: how much of it is read. It is known before the body is read; may refuse. */
  bodyLimitFor?(head: RequestHead): number | Promise<number>
  /** Parameters of the path that have their own rate for each caller. */
  rate_by?: readonly string[]
  /** Only requests that are answered with a 4xx count against the rate. */
  counts_refused?: true
  replies: R
  fails?: readonly string[]
  headers?: Readonly<Record<string, string>>
  /** Also answered while draining or overloaded, and never counted by a rate limit. */
  always?: true
  /**
   * For a GET with its own transaction, which could have effects: it has none, so it answers HEAD
   * too. A GET that only reads answers HEAD by default.
   */
  head?: true
  /** The surface's interceptor answers this route; what it passes on comes here. */
  fronted?: true
  /** Not in the published document. */
  hidden?: true
  /** Beyond the interface specification; marked `x-added` in the document. */
  added?: true
  deprecated?: { at: string; sunset: string; replacement: string }
}

type Keyed = {
  /** `domain`: the route's own row is the record, and the surface replays from it. */
  idempotency?: 'required' | 'optional' | 'ignored' | 'domain'
  /** `reference`: the body has a secret or a signed URL, so a replay renders it again. */
  record?: 'body' | 'reference'
}

type TxOf<M extends Method> = M extends 'GET' ? Reader : Tx

type Answer<M extends Method, C, R extends Replies, Outcome, P> =
  | (Keyed & {
      transaction?: undefined
      /** A call outside, before the transaction: a service that hangs holds no connection. */
      prepare?(context: C): Promise<P>
      handle(
        context: C & { readonly tx: TxOf<M>; readonly prepared: P },
      ): Promise<ReplyOf<R>> | ReplyOf<R>
      /** Watches what a GET reads: for callers that accept `text/event-stream`. */
      watch?(context: C & { readonly db: Db }): Promise<AsyncIterable<SseEvent>>
      /** Runs before a recorded outcome is sent again: waits for what the first reply waited for. */
      replayed?(): Promise<void>
      /** For `record: 'reference'`: renders the reply again from `resource_ref`. */
      again?(
        context: C & { readonly tx: TxOf<M>; readonly resource_ref: string },
      ): Promise<ReplyOf<R>>
    })
  | {
      transaction: 'own'
      idempotency?: 'ignored' | 'domain'
      handle(context: C & { readonly db: Db }): Promise<ReplyOf<R>>
    }
  | {
      transaction: 'own'
      idempotency: 'required' | 'optional'
      record?: 'body' | 'reference'
      operation: OutsideOperation<C, R, Outcome>
      /** For `record: 'reference'`: renders the reply again from `resource_ref`. */
      again?(
        context: C & { readonly tx: Reader; readonly resource_ref: string },
      ): Promise<ReplyOf<R>>
      /** How long after the death of its process a retry takes over. A running one renews it. */
      lease_seconds: number
    }
  | {
      transaction: 'own'
      stream(context: C & { readonly db: Db }): Promise<EventStream>
    }
  | {
      transaction: 'own'
      idempotency: 'required' | 'optional'
      streaming: StreamOperation<C>
      lease_seconds: number
    }
  | {
      transaction: 'own'
      idempotency: 'required' | 'optional'
      record?: 'body' | 'reference'
      operation: OutsideOperation<C, R, Outcome>
      again?(
        context: C & { readonly tx: Reader; readonly resource_ref: string },
      ): Promise<ReplyOf<R>>
      streaming: StreamOperation<C>
      /** Whether this request asks for events: the body decides, so it comes after its schema. */
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
  // The list of routes loses the types of each one; the kernel gives every handler what it
  // declared.
  return spec as unknown as Route
}

/** What every handler may receive, as the kernel sees it. */
export type AnyContext = {
  principal: Principal | null
  params: Record<string, string>
  query: unknown
  body: unknown
  request: RequestFacts
  grants: () => Promise<ReadonlySet<string>>
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
    again?(context: AnyContext & { tx: Tx; resource_ref: string }): Promise<Reply>
    replayed?(): Promise<void>
    operation?: OutsideOperation<AnyContext, Replies, unknown>
    stream?(context: AnyContext & { db: Db }): Promise<EventStream>
    watch?(context: AnyContext & { db: Db }): Promise<AsyncIterable<SseEvent>>
    streaming?: StreamOperation<AnyContext>
    streams?(context: AnyContext): boolean
  }

/** A GET that may have effects refuses HEAD with 405, so that a link checker causes none. */
export function onlyReads({ method, transaction, head }: Route): boolean {
  return method === 'GET' && (transaction !== 'own' || head === true)
}

export function consumesOf({ consumes = 'json' }: Pick<Route, 'consumes'>) {
  return consumes
}
