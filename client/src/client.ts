/**
 * The client: every operation of the document with its types, and the parts that callers would
 * otherwise write by hand. It refreshes a token once for all waiting requests. It retries only
 * requests that cannot take effect twice (reads, and writes under one Idempotency-Key). It throws
 * every refusal as a typed problem.
 */
import createFetchClient, { type FetchResponse, type MaybeOptionalInit } from 'openapi-fetch'
import { chatOf, type ChatOfClient } from './chat.ts'
import { jobsOf, type Job, type Jobs } from './jobs.ts'
import { inferencesOf, type Inferences } from './inferences.ts'
import { notificationsOf, type Notifications } from './notifications.ts'
import { keyed } from './operations.ts'
import { pause } from './pause.ts'
import type { components, paths, ProblemCode } from './schema.d.ts'
import { uploadsOf, type Uploads } from './uploads.ts'

export type ProblemBody = components['schemas']['Problem']

/**
 * An error that the platform returned. `code` is stable. Its type lists the codes of this version
 * for a `switch`. A newer platform may have more codes. Support needs the `request_id`.
 */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: number
  readonly code: ProblemCode | (string & {})
  readonly request_id: string | undefined
  readonly body: Partial<ProblemBody>

  constructor(status: number, body: Partial<ProblemBody>) {
    super(body.detail ?? body.title ?? `The platform answered ${status}`)
    this.status = status
    this.code = body.code ?? 'unknown'
    this.request_id = body.request_id
    this.body = body
  }
}

export type ClientOptions = {
  readonly base_url: string
  readonly token?: string
  /** Returns a new access token. It is called once, even if many requests find an expired token. */
  readonly refresh?: () => Promise<string | undefined>
  /**
   * The CSRF token of a page that uses the session's cookies. It is sent with every unsafe request.
   */
  readonly csrf_token?: string
  /** The number of retries of a request that may be repeated. */
  readonly retries?: number
  /** A longer Retry-After of the platform is left to the caller. */
  readonly wait_seconds_max?: number
  /**
   * The operations that take an Idempotency-Key. Only needed for another document than the
   * product's.
   */
  readonly keyed?: Readonly<Record<string, true>>
}

type Verb = 'get' | 'put' | 'post' | 'patch' | 'delete'
type Operation = Record<string | number, unknown>
type PathsOf<P, V extends Verb> = {
  [K in keyof P]: P[K] extends Record<V, object> ? K : never
}[keyof P]
type OperationOf<P, K extends keyof P, V extends Verb> =
  P[K] extends Record<V, infer O extends Operation> ? O : never
type InitOf<P, K extends keyof P, V extends Verb> = V extends keyof P[K]
  ? MaybeOptionalInit<P[K], V>
  : never
type Answered<O extends Operation, I> = Extract<
  FetchResponse<O, I, `${string}/${string}`>,
  { data: unknown }
>
/** The item type of the list. */
type RowOf<O> = O extends {
  responses: { 200: { content: { 'application/json': { data: readonly (infer Row)[] } } } }
}
  ? Row
  : never

/** Returns only successful replies. An error is thrown as a `Problem`. */
type Call<P, V extends Verb> = <K extends PathsOf<P, V>, I extends InitOf<P, K, V>>(
  path: K,
  ...init: undefined extends I ? [I?] : [I]
) => Promise<Answered<OperationOf<P, K, V>, I>>

export type DodecaClient<P extends object = paths> = {
  readonly GET: Call<P, 'get'>
  readonly PUT: Call<P, 'put'>
  readonly POST: Call<P, 'post'>
  readonly PATCH: Call<P, 'patch'>
  readonly DELETE: Call<P, 'delete'>
  /** The pages of a list, one after the other, with `has_more` and `next_cursor`. */
  pages<K extends PathsOf<P, 'get'>>(
    path: K,
    init?: InitOf<P, K, 'get'>,
  ): AsyncGenerator<PageOf<RowOf<OperationOf<P, K, 'get'>>>, void>
  /** All rows of a list, over all pages. */
  all<K extends PathsOf<P, 'get'>>(
    path: K,
    init?: InitOf<P, K, 'get'>,
  ): AsyncGenerator<RowOf<OperationOf<P, K, 'get'>>, void>
  readonly chat: ChatOfClient
  readonly jobs: Jobs
  readonly inferences: Inferences
  readonly notifications: Notifications
  readonly uploads: Uploads
}

const key_header = 'idempotency-key'

export function createClient<P extends object = paths>(options: ClientOptions): DodecaClient<P> {
  const takes_key = options.keyed ?? keyed
  const client = createFetchClient<P>({ baseUrl: options.base_url, fetch: sender(options) })
  client.use({
    onRequest: ({ request, schemaPath, params }) => {
      requireNames(`${request.method} ${schemaPath}`, params.path)
      if (!takes_key[`${request.method} ${schemaPath}`] || request.headers.has(key_header)) return
      request.headers.set(key_header, crypto.randomUUID())
    },
  })
  const { GET, PUT, POST, PATCH, DELETE } = client
  // The same functions, with types that contain no error replies.
  const calls = { GET, PUT, POST, PATCH, DELETE } as unknown as Omit<
    DodecaClient<P>,
    'all' | 'pages' | 'chat' | 'jobs' | 'inferences' | 'notifications' | 'uploads'
  >
  const get = calls.GET as unknown as Get
  const post = calls.POST as unknown as Get
  const walk = pages(calls.GET as unknown as GetPage)
  const readJob = async (job_id: string, signal?: AbortSignal): Promise<Job> => {
    const given = { params: { path: { job_id } }, ...(signal ? { signal } : {}) }
    return (await get('/v1/jobs/{job_id}', given)).data as Job
  }
  return {
    ...calls,
    pages: walk as DodecaClient<P>['pages'],
    all: rows(walk) as DodecaClient<P>['all'],
    chat: chatOf({ base_url: options.base_url, get, isFinal, isGone }),
    jobs: jobsOf(readJob),
    inferences: inferencesOf(async (body, { signal, key }) => {
      const given = {
        body,
        parseAs: 'stream',
        ...(signal ? { signal } : {}),
        ...(key ? { headers: { [key_header]: key } } : {}),
      }
      const { data } = await post('/v1/inferences:stream', given)
      return data as ReadableStream<Uint8Array> | null
    }),
    notifications: notificationsOf(async init => {
      const { data } = await get('/v1/inbox', { ...init, parseAs: 'stream' })
      return data as ReadableStream<Uint8Array> | null
    }, isFinal),
    uploads: uploadsOf({ get, post }),
  }
}

/** Without a value its name would stay in the address, and an empty one is another address. */
function requireNames(operation: string, given: Readonly<Record<string, unknown>> = {}): void {
  for (const [, name = ''] of operation.matchAll(/\{(\w+)\}/g)) {
    if ((given[name] ?? '') !== '') continue
    const names = Object.keys(given).join(', ') || 'nothing'
    throw new TypeError(`${operation} needs params.path.${name}. It got ${names}.`)
  }
}

type Get = (path: string, init: object) => Promise<{ data: unknown }>
export type PageOf<Row> = {
  readonly data: readonly Row[]
  readonly next_cursor: string | null
  readonly has_more: boolean
}
type Page = PageOf<unknown>
type ListInit = { params?: { query?: object } }
type GetPage = (path: PropertyKey, init: ListInit) => Promise<{ data: Page }>

function pages(get: GetPage) {
  return async function* (path: PropertyKey, init: ListInit = {}): AsyncGenerator<Page, void> {
    let cursor: string | null = null
    do {
      const query = { ...init.params?.query, ...(cursor === null ? {} : { cursor }) }
      const { data: page }: { data: Page } = await get(path, {
        ...init,
        params: { ...init.params, query },
      })
      yield page
      cursor = page.has_more ? page.next_cursor : null
    } while (cursor !== null)
  }
}

function rows(walk: ReturnType<typeof pages>) {
  return async function* (path: PropertyKey, init?: ListInit): AsyncGenerator<unknown, void> {
    for await (const page of walk(path, init)) yield* page.data
  }
}

/**
 * Sends one request until it has a reply. Adds a token, refreshes the token if necessary, and
 * retries if a retry is safe.
 */
function sender({ token, refresh, csrf_token, retries = 3, wait_seconds_max = 30 }: ClientOptions) {
  const bearer = tokenKeeper(token, refresh)
  return async (request: Request): Promise<Response> => {
    if (csrf_token !== undefined) request.headers.set('x-csrf-token', csrf_token)
    const repeatable = request.method === 'GET' || request.headers.has(key_header)
    for (let attempt = 0; ; attempt++) {
      const last = !repeatable || attempt >= retries
      const response = await once(request, bearer).catch((error: unknown) => {
        // The connection broke and the request may have arrived, so only a safe request is sent
        // again. A problem is that of the refresh.
        if (last || request.signal.aborted || isFinal(error)) throw error
        return null
      })
      if (response?.ok || response?.status === 304) return response
      const problem = response && (await problemOf(response))
      const asked_seconds = Number(response?.headers.get('retry-after') ?? 0)
      const hopeless = last || (asked_seconds || 0) > wait_seconds_max
      if (problem && (hopeless || !isRetryable(problem))) throw problem
      await pause(waitOf(attempt, asked_seconds || 0), request.signal)
    }
  }
}

type Bearer = { current(): string | undefined; renew: ((used?: string) => Promise<void>) | null }

/**
 * Only one refresh runs at a time. If another request has refreshed meanwhile, no refresh is
 * needed.
 */
function tokenKeeper(given: string | undefined, refresh: ClientOptions['refresh']): Bearer {
  let token = given
  let running: Promise<void> | null = null
  const renew = async (ask: () => Promise<string | undefined>) => {
    try {
      token = await ask()
    } finally {
      running = null
    }
  }
  return {
    current: () => token,
    renew: refresh
      ? used => (used === token ? (running ??= renew(refresh)) : Promise.resolve())
      : null,
  }
}

/**
 * A request that got a 401 had no effect, so any request may be sent once more with a new token.
 */
async function once(request: Request, bearer: Bearer): Promise<Response> {
  const send = () => {
    const copy = request.clone()
    const token = bearer.current()
    if (token !== undefined) copy.headers.set('authorization', `Bearer ${token}`)
    return fetch(copy)
  }
  const used = bearer.current()
  const response = await send()
  if (response.status !== 401 || !bearer.renew) return response
  await response.body?.cancel()
  await bearer.renew(used)
  return send()
}

async function problemOf(response: Response): Promise<Problem> {
  const body = (await response.json().catch(() => null)) as Partial<ProblemBody> | null
  return new Problem(response.status, body ?? {})
}

/** Whether a retry is useless. */
function isFinal(error: unknown): boolean {
  return error instanceof Problem && !isRetryable(error)
}

function isGone(error: unknown): boolean {
  return error instanceof Problem && error.status === 404
}

function isRetryable({ status, code }: Problem): boolean {
  if (status === 408 || status >= 500) return true
  return code === 'rate_limited' || code === 'idempotency_in_progress'
}

/**
 * If the platform sent Retry-After, waits a little longer, so that clients do not all return
 * together. Otherwise the wait has full jitter.
 */
function waitOf(attempt: number, asked_seconds: number): number {
  if (asked_seconds > 0) return asked_seconds * 1000 + Math.random() * 250
  return Math.random() * Math.min(5000, 200 * 2 ** attempt)
}
