/**
 * The client: every operation of the document with its types, and the parts that callers would
 * otherwise write by hand. It throws every refusal as a typed problem.
 */
import createFetchClient, { type FetchResponse, type MaybeOptionalInit } from 'openapi-fetch'
import { chatOf, type ChatOfClient } from './chat.ts'
import { jobsOf, type Job, type Jobs } from './jobs.ts'
import { inferencesOf, type Inferences } from './inferences.ts'
import { notificationsOf, type Notifications } from './notifications.ts'
import { keyed } from './operations.ts'
import { clear, isFinal, isGone, Problem } from './problem.ts'
import type { paths } from './schema.d.ts'
import { key_header, sender, type ClientOptions } from './sending.ts'
import { uploadsOf, type Uploads } from './uploads.ts'

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

type Parse = 'json' | 'text' | 'blob' | 'arrayBuffer' | 'stream'
/**
 * Returns only successful replies. An error is thrown as a `Problem`. Only `parseAs` is a type
 * parameter: with one for the whole of `init`, misspelt names would compile.
 */
type Call<P, V extends Verb> = <K extends PathsOf<P, V>, A extends Parse = 'json'>(
  path: K,
  ...init: undefined extends InitOf<P, K, V>
    ? [(InitOf<P, K, V> & { parseAs?: A })?]
    : [InitOf<P, K, V> & { parseAs?: A }]
) => Promise<Answered<OperationOf<P, K, V>, { parseAs: A }>>

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

export function createClient<P extends object = paths>(options: ClientOptions): DodecaClient<P> {
  const takes_key = options.keyed ?? keyed
  const client = createFetchClient<P>({ baseUrl: options.base_url, fetch: sender(options) })
  client.use({
    onRequest: ({ request, schemaPath }) => {
      if (!takes_key[`${request.method} ${schemaPath}`] || request.headers.has(key_header)) return
      request.headers.set(key_header, crypto.randomUUID())
    },
  })
  const call = (verb: Uppercase<Verb>) => async (path: string, init?: Init) => {
    const asked = `${verb} ${path}`
    requireNames(asked, init?.params?.path)
    try {
      return await (client[verb] as unknown as Get)(path, init)
    } catch (error) {
      throw init?.signal?.aborted ? error : clear(error, asked, options.base_url)
    }
  }
  // The same functions, with types that contain no error replies.
  const calls = {
    GET: call('GET'),
    PUT: call('PUT'),
    POST: call('POST'),
    PATCH: call('PATCH'),
    DELETE: call('DELETE'),
  } as unknown as Omit<
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

/** A session that has ended already is no error for somebody who logs out. */
export async function endSession(client: DodecaClient, session_id: string): Promise<void> {
  try {
    await client.DELETE('/v1/sessions/{session_id}', { params: { path: { session_id } } })
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 401) throw error
  }
}

type Init = {
  readonly params?: { readonly path?: Readonly<Record<string, unknown>> }
  readonly signal?: AbortSignal
}
type Get = (path: string, init?: object) => Promise<{ data: unknown }>
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
