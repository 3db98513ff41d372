/**
 * The replies of an operation: its successes with their headers, and its refusals by status. There
 * is one refusal component for each status. If an operation has other codes than most operations,
 * its reference lists them.
 */
import type { Catalog } from '../../errors/problem.ts'
import { keyMode, mediaTypesOf } from '../server/compile-route.ts'
import { consumesOf, isConditional, type Route } from '../contract/route.ts'
import type { Components } from './components.ts'
import type { Json, Members } from './reference.ts'
import { header, headersOf } from './headers.ts'

export function successes(
  route: Route,
  components: Components,
  { members, name }: { members: Members; name: string },
): Json {
  const replies = Object.fromEntries<Json>(
    Object.entries(route.replies).map(([status, schema]): [string, Json] => {
      const described = { description: meaning[Number(status)] ?? 'Done.' }
      const headers = headersOf(route, Number(status))
      if (schema === null) {
        const common = status === '204' && same(headers, done.headers)
        return [
          status,
          common ? { $ref: '#/components/responses/Done' } : { ...described, headers },
        ]
      }
      const title = `${name[0]?.toUpperCase()}${name.slice(1)}Reply`
      const content = mediaTypesOf(route).map((type): [string, Json] => [
        type,
        {
          schema:
            type === 'application/json'
              ? components.content(jsonOf(schema as Json), members, title)
              : { type: 'string' },
        },
      ])
      return [status, { ...described, headers, content: Object.fromEntries<Json>(content) }]
    }),
  )
  return mayBeUnchanged(route)
    ? { ...replies, 304: { $ref: '#/components/responses/NotModified' } }
    : replies
}

/** A GET whose reply has an ETag is answered with 304 if the client has that version. */
function mayBeUnchanged({ method, sends, replies }: Route): boolean {
  return method === 'GET' && sends?.includes('etag') === true && replies[304] === undefined
}

/** A successful reply without content. */
const done = {
  description: 'The request succeeded, and there is no content.',
  headers: headersOf({ method: 'DELETE', permission: 'authenticated' } as Route, 204),
}

const not_modified = {
  description: 'Not modified since the version in `If-None-Match`.',
  headers: { ...header('X-Request-Id'), ...header('ETag') },
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/**
 * A page or picture that a route can send beside JSON is a text in its schema. It is never sent as
 * JSON.
 */
function jsonOf(schema: Json): Json & { [key: string]: unknown } {
  const branches = schema['anyOf'] as Json[] | undefined
  const [first, second] = branches ?? []
  return branches?.length === 2 && first?.['type'] === 'object' && second?.['type'] === 'string'
    ? first
    : schema
}

const meaning: Readonly<Record<number, string>> = {
  200: 'The request succeeded.',
  201: 'The resource was created.',
  202: 'The request was accepted; its work continues.',
  204: 'The request succeeded, and there is no content.',
  206: 'One part of the content.',
  301: 'Moved permanently; follow `Location`.',
  302: 'The resource is at `Location`.',
  303: 'The resource is at `Location`.',
  304: not_modified.description,
  400: 'The request is refused.',
  401: 'The caller is refused.',
  307: 'The resource is at `Location` for now. Send the same method there.',
  308: 'The resource has moved to `Location` permanently. Send the same method there.',
}

const status_names: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  408: 'RequestTimeout',
  409: 'Conflict',
  410: 'Gone',
  412: 'PreconditionFailed',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  416: 'RangeNotSatisfiable',
  422: 'UnprocessableContent',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
  504: 'GatewayTimeout',
  507: 'InsufficientStorage',
}

/** The codes of each route by status, as a list in backticks. */
export function refusalsOf(route: Route, catalog: Catalog): ReadonlyMap<number, string> {
  const codes = new Map<number, Set<string>>()
  for (const code of [...impliedCodes(route), ...(route.fails ?? [])]) {
    const entry = catalog.get(code)
    if (!entry) throw new Error(`${route.method} ${route.path} declares an unknown code: ${code}`)
    codes.set(entry.status, (codes.get(entry.status) ?? new Set()).add(code))
  }
  return new Map([...codes].map(([status, set]) => [status, listOf(set)]))
}

function listOf(codes: Iterable<string>): string {
  return [...codes]
    .sort()
    .map(code => `\`${code}\``)
    .join(', ')
}

/** The component of each status, described by the list of codes that most operations have. */
export function responseComponents(all: readonly ReadonlyMap<number, string>[]): Json {
  const uses = new Map<number, Map<string, number>>()
  for (const [status, codes] of all.flatMap(one => [...one])) {
    const lists = uses.get(status) ?? new Map<string, number>()
    uses.set(status, lists.set(codes, (lists.get(codes) ?? 0) + 1))
  }
  const statuses = [...uses].sort(([one], [other]) => one - other)
  const own = Object.fromEntries(
    statuses.map(([status, lists]) => {
      const [usual = ['', 0]] = [...lists].sort(
        ([a, often], [b, seldom]) => seldom - often || (a < b ? -1 : 1),
      )
      return [nameOf(status), refusal(status, usual[0])]
    }),
  )
  const anywhere = [...anywhere_statuses].flatMap(status => own[nameOf(status)]?.description ?? [])
  const whole = refusal(503, `Any operation may be refused with ${anywhere.join(', ')}.`)
  return { ...own, [any_refusal]: whole, Done: done, NotModified: not_modified }
}

/** Refusals that every operation can return are listed once, as its `default`. */
const anywhere_statuses = new Set([406, 413, 415, 429, 500, 503])
const any_refusal = 'AnyRefusal'

function refusal(status: number, codes: string) {
  const problem = { $ref: '#/components/schemas/Problem' }
  const also = ({ 401: 'WWW-Authenticate', 412: 'ETag' } as Record<number, string>)[status]
  const names = [
    'X-Request-Id',
    ...(also ? [also] : []),
    ...(mayRetry(status) ? ['Retry-After'] : []),
  ]
  return {
    description: codes,
    headers: Object.assign({}, ...names.map(header)) as Json,
    content: { 'application/problem+json': { schema: problem } },
  }
}

function mayRetry(status: number): boolean {
  return status === 409 || status === 429 || status >= 503
}

/** A route may have declared replies with the status of a refusal: a page, or a body by a standard. */
export function refusals(
  route: Route,
  own: ReadonlyMap<number, string>,
  usual: Json,
  declared: Json,
): Json {
  const particular = [...own].flatMap(([status, codes]) => {
    const pages = route.replies[status] ? pagesOf(route) : []
    if (pages.length > 0) return [[status, withPages(refusal(status, codes), pages)]]
    const besides = declared[status] as { content?: Json } | undefined
    if (besides?.content) return [[status, withContent(refusal(status, codes), besides.content)]]
    const name = nameOf(status)
    const $ref = `#/components/responses/${name}`
    const { description } = usual[name] as { description: string }
    if (codes !== description) return [[status, { $ref, description: codes }]]
    // Clients wait after a 429, so it is named although any operation may send it.
    return anywhere_statuses.has(status) && status !== 429 ? [] : [[status, { $ref }]]
  })
  const rest = { default: { $ref: `#/components/responses/${any_refusal}` } }
  return { ...(Object.fromEntries(particular) as Json), ...rest }
}

function pagesOf(route: Route): string[] {
  return mediaTypesOf(route).filter(type => type === 'text/html')
}

/** A refusal that the route also sends as a page, to browsers. */
function withPages({ content, ...rest }: ReturnType<typeof refusal>, pages: string[]): Json {
  const texts = Object.fromEntries(pages.map(type => [type, { schema: { type: 'string' } }]))
  return withContent({ ...rest, content }, texts)
}

function withContent({ content, ...rest }: ReturnType<typeof refusal>, more: Json) {
  return { ...rest, content: { ...content, ...more } }
}

function nameOf(status: number): string {
  const name = status_names[status]
  if (!name) throw new Error(`the status ${status} has no name in the document`)
  return name
}

/**
 * Whether the operation checks a permission: in the pipeline, or in a handler that reads the
 * grants.
 */
function asksRights({ permission, asks_grants, for_others, fails = [] }: Route): boolean {
  if (permission !== 'authenticated' && permission !== 'public') return true
  const asks = asks_grants === true || for_others !== undefined
  return asks && fails.includes('permission_denied')
}

function impliedCodes(route: Route): string[] {
  const codes = [
    'malformed_request',
    'not_acceptable',
    // Every route checks the query, even if it declares no parameter.
    'invalid_character',
    'internal_error',
    'overloaded',
  ]
  if (!route.always) codes.push('rate_limited')
  if (route.permission !== 'public') codes.push('authentication_required', 'invalid_token')
  if (route.permission !== 'public' || route.narrow) codes.push('insufficient_scope')
  if (asksRights(route)) {
    codes.push('permission_denied', 'mfa_enrollment_required', 'step_up_required')
  }
  if (route.path.includes('{')) codes.push(route.absent ?? 'not_found')
  if (route.method !== 'GET' && route.method !== 'DELETE') {
    codes.push('content_too_large')
    if (consumesOf(route) === 'json') codes.push('malformed_json', 'unsupported_media_type')
  }
  if (route.body || route.query) codes.push('validation_failed')
  if (route.body || !route.foreign_query) codes.push('unsupported_field')
  if (isConditional(route)) codes.push('invalid_header')
  if (route.query?.properties['cursor']) codes.push('invalid_cursor')
  const key = keyMode(route)
  if (route.method !== 'GET') codes.push('idempotency_key_invalid')
  if (key) {
    codes.push('idempotency_key_reused', 'idempotency_in_progress')
    if (key !== 'optional') codes.push('idempotency_key_missing')
  }
  return codes
}
