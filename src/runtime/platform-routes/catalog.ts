/** Routes about the platform itself: limits, problems, deprecations, and the entry page. */
import { Type, type Static } from 'typebox'
import type { Limit } from '../configuration.ts'
import {
  markup,
  nullable,
  pageOf,
  pageQuery,
  problemsOf,
  reply,
  route,
  sql,
  text,
  Time,
} from '#dodeca/kernel'
import type { Reader, Route } from '#dodeca/kernel'
import type { Catalog } from '../../kernel/errors/problem.ts'
import { deprecationsOf, type Deprecated } from '../../kernel/http/contract/deprecation.ts'
import { fixedLimits } from '../../kernel/limits.ts'
import type { Cursors } from '../../kernel/http/contract/cursor.ts'
import { html, wantsHtml } from './html.ts'
import { rootRoute } from './root.ts'

const problem = problemsOf({})

export type CatalogDeps = {
  readonly name: string
  readonly version: string
  readonly public_url: string
  readonly limits: readonly Limit[]
  readonly catalog: Catalog
  readonly cursors: Cursors
  /** Every route of the platform. The list is used to find the deprecated routes. */
  routes(): readonly Route[]
}

const LimitView = Type.Object(
  {
    name: Type.String(),
    value: Type.Union([Type.Number(), Type.Boolean(), Type.Array(Type.Number())]),
    unit: Type.String(),
    default: Type.Union([Type.Number(), Type.Boolean(), Type.Array(Type.Number())]),
    applies_to: Type.String(),
  },
  { title: 'Limit' },
)

const ProblemView = Type.Object(
  {
    code: Type.String(),
    status: Type.Integer(),
    title: Type.String(),
    retryable: Type.Boolean(),
    description: Type.String(),
    cause: Type.String(),
    cure: Type.String(),
  },
  { title: 'ProblemCode' },
)

const DeprecationView = Type.Object(
  {
    operation: Type.String(),
    member: nullable(Type.String()),
    deprecated_at: Type.String(),
    sunset_at: Type.String(),
    replacement: Type.String(),
    calls: Type.Integer(),
    last_called_at: nullable(Time),
  },
  { title: 'Deprecation' },
)

export function catalogRoutes(deps: CatalogDeps): Route[] {
  return [
    rootRoute(deps),
    limitsRoute(deps),
    problemsRoute(deps),
    problemRoute(deps),
    deprecationsRoute(deps),
  ]
}

function limitsRoute({ limits, cursors }: CatalogDeps): Route {
  return route({
    method: 'GET',
    path: '/v1/limits',
    name: 'listLimits',
    summary: 'List every limit and retention in force',
    permission: 'authenticated',
    added: true,
    query: pageQuery({}),
    replies: { 200: pageOf(LimitView) },
    handle: ({ list }) => listed(cursors, list, [...limits, ...fixed()], limit => limit.name),
  })
}

function fixed(): Limit[] {
  return fixedLimits().map(({ name, value, unit, says }) => {
    return { name, value, unit, default: value, applies_to: says }
  })
}

function problemsRoute({ catalog, cursors, public_url }: CatalogDeps): Route {
  return route({
    method: 'GET',
    path: '/problems',
    name: 'listProblems',
    summary: 'List every code that a problem document can have',
    description: 'With `Accept: text/html`, the reply is an HTML page.',
    permission: 'public',
    added: true,
    produces: ['application/json', 'text/html'],
    query: pageQuery({}),
    replies: { 200: Type.Union([pageOf(ProblemView), Type.String()]) },
    handle: ({ list, request }) => {
      const all = [...catalog.keys()].sort().map(code => view(catalog, code))
      if (wantsHtml(request.headers['accept'])) return problemList(all, public_url)
      return listed(cursors, list, all, one => one.code)
    },
  })
}

function problemRoute({ catalog, public_url }: CatalogDeps): Route {
  return route({
    method: 'GET',
    path: '/problems/{code}',
    name: 'getProblem',
    summary: 'Explain an error code',
    description:
      'With `Accept: text/html`, the reply is an HTML page. The `type` of each problem document leads here.',
    permission: 'public',
    added: true,
    produces: ['application/json', 'text/html'],
    params: { code: text(100) },
    replies: { 200: Type.Union([ProblemView, Type.String()]) },
    handle: ({ params, request }) => {
      if (!catalog.has(params.code)) throw problem('not_found')
      const one = view(catalog, params.code)
      return wantsHtml(request.headers['accept']) ? problemPage(one, public_url) : reply(200, one)
    },
  })
}

function deprecationsRoute({ routes, cursors }: CatalogDeps): Route {
  // Built at the first request, because the list of routes is complete only after all surfaces are
  // opened.
  let known: readonly Deprecated[] | undefined
  return route({
    method: 'GET',
    path: '/v1/deprecations',
    name: 'listDeprecations',
    summary: 'List operations and members that will be removed',
    description:
      '`member` is null for a whole operation, else its place (`body`, `query`, `reply`) and a ' +
      'pointer. `calls` counts the requests of your tenant that used it; for a member of a reply, ' +
      'all calls of the operation. Counts appear within seconds.',
    permission: 'authenticated',
    added: true,
    query: pageQuery({}),
    replies: { 200: pageOf(DeprecationView) },
    handle: async ({ list, tx, principal }) => {
      known ??= routes().flatMap(deprecationsOf)
      const calls = known.length > 0 ? await callsOf(tx, principal.tenant_id) : no_calls
      const views = known.map(one => deprecationView(one, calls.get(nameOf(one))))
      return listed(cursors, list, views, nameOf)
    },
  })
}

const CallsRow = Type.Object({
  operation: Type.String(),
  member: Type.String(),
  calls: Type.Integer(),
  last_called_at: Time,
})

type Calls = ReadonlyMap<string, Static<typeof CallsRow>>
const no_calls: Calls = new Map()

async function callsOf(db: Reader, tenant_id: string): Promise<Calls> {
  const rows = await db.many(
    CallsRow,
    sql`
      select operation, member, sum(calls)::bigint as calls, max(last_called_at) as last_called_at
      from kernel.deprecated_calls
      where tenant_id = ${tenant_id}
      group by operation, member`,
  )
  return new Map(rows.map(row => [nameOf(row), row]))
}

function nameOf({ operation, member }: { operation: string; member: string | null }): string {
  return `${operation} ${member ?? ''}`
}

function deprecationView(one: Deprecated, called: Static<typeof CallsRow> | undefined) {
  return {
    operation: one.operation,
    member: one.member,
    deprecated_at: one.at,
    sunset_at: one.sunset,
    replacement: one.replacement,
    calls: called?.calls ?? 0,
    last_called_at: called?.last_called_at ?? null,
  }
}

/** A page of a list in memory, ordered by its key. */
function listed<T>(
  cursors: Cursors,
  list: Parameters<Cursors['start']>[0],
  all: T[],
  key: (one: T) => string,
) {
  const { after, fetch } = cursors.start(list)
  const from = after?.[0] === undefined ? null : String(after[0])
  const rows = all
    .sort((a, b) => (key(a) < key(b) ? -1 : 1))
    .filter(one => from === null || key(one) > from)
    .slice(0, fetch)
  const { body, headers } = cursors.page(list, rows, row => [key(row)])
  return reply(200, body, headers)
}

function view(catalog: Catalog, code: string) {
  const entry = catalog.get(code)
  if (!entry) throw new Error(`no such code: ${code}`)
  const retryable = entry.retryable === true
  const advice = retryable
    ? 'The same request may succeed later.'
    : 'The same request will fail again.'
  const { cause = '', cure = '' } = entry
  return {
    code,
    status: entry.status,
    title: entry.title,
    retryable,
    description: `${entry.title}. ${advice}`,
    cause,
    cure,
  }
}

type View = ReturnType<typeof view>

/** A list and not a table, so that it is readable on a phone. */
function problemList(all: readonly View[], public_url: string) {
  const rows = all.map(
    ({ code, status, title }) =>
      markup`<dt><a href="${public_url}/problems/${code}"><code>${code}</code></a> ${status}</dt><dd>${title}</dd>`,
  )
  return html('Problems', markup`<h1>Problems</h1><dl>${rows}</dl>`)
}

function problemPage(one: View, public_url: string) {
  const { code, status, title, retryable, cause, cure } = one
  const example = {
    type: `${public_url}/problems/${code}`,
    title,
    status,
    detail: [cause, cure].filter(Boolean).join(' ') || `${title}.`,
    instance: '/v1/example',
    code,
    request_id: '019c8f3a-5b20-7d41-9e6b-2f1c40d7a961',
  }
  const again = retryable
    ? 'The same request may succeed later.'
    : 'The same request will fail again until something changes.'
  return html(
    code,
    markup`<p><a href="${public_url}/problems">All problems</a></p><h1>${title}</h1>
<p><code>${code}</code>, HTTP status ${status}. ${again}</p>
${cause && markup`<h2>Cause</h2><p>${withCode(cause)}</p>`}${cure && markup`<h2>What to do</h2><p>${withCode(cure)}</p>`}
<h2>Example</h2><pre tabindex="0">${JSON.stringify(example, null, 2)}</pre>`,
  )
}

/** What stands between backticks is code. */
function withCode(text: string) {
  return text
    .split('`')
    .map((part, at) => (at % 2 === 1 ? markup`<code>${part}</code>` : markup`${part}`))
}
