/**
 * Requests that failed or were slow, as a list, and one request by its id: what it asked for and how
 * it ended. Facts and ids, never contents.
 */
import { Type } from 'typebox'
import {
  allowsSome,
  Id,
  looked,
  nullable,
  owner,
  problemsOf,
  routesOf,
  sql,
  text,
  Time,
} from '#dodeca/kernel'
import type { ListDeps, Sql } from '#dodeca/kernel'

const absent = 'request_not_found'
const of_others = 'kernel.requests.read'
const without_caller = 'kernel.requests.read_any'

export const requestErrors = {
  [absent]: {
    status: 404,
    title: 'There is no such request',
    cause:
      'The request neither failed nor was a write with an `Idempotency-Key`, it is older than the ' +
      'retention time, or it is the request of another person.',
    cure: 'Look for the request id in the log of the process, or in `GET /v1/audit-events`.',
  },
} as const

const problem = problemsOf(requestErrors)

const facts = {
  principal_id: nullable(Id),
  /** Null if no route has the path. */
  route: nullable(Type.String()),
  code: nullable(Type.String()),
  /** The permission that the caller lacked. */
  permission: nullable(Type.String()),
  /** The first wrong member. */
  pointer: nullable(Type.String()),
}

const LoggedRow = Type.Object({
  id: Id,
  ...facts,
  status: Type.Integer(),
  ms: Type.Integer(),
  about: Type.Array(Id),
  times: Type.Integer(),
  created_at: Time,
})

const LoggedRequest = Type.Object(
  { request_id: Id, ...Type.Omit(LoggedRow, ['id']).properties },
  { title: 'LoggedRequest' },
)

const FoundRequest = Type.Object(
  {
    request_id: Id,
    ...facts,
    /** `keyed`: a write with an Idempotency-Key. `logged`: it failed or was slow. */
    kept: Type.Enum(['keyed', 'logged']),
    state: Type.Enum(['in_progress', 'completed']),
    status: nullable(Type.Integer()),
    ms: nullable(Type.Integer()),
    about: Type.Array(Id),
    times: Type.Integer(),
    /** The address of what the request created. */
    location: nullable(Type.String()),
    /** The transaction that stored the outcome. Its events have the same number. */
    transaction_id: nullable(Type.Integer()),
    created_at: Time,
    completed_at: nullable(Time),
  },
  { title: 'FoundRequest' },
)

const { open, get, list } = routesOf<ListDeps>({ permission: 'authenticated', added: true })

const rows = {
  from: 'kernel.requests',
  row: LoggedRow,
  item: LoggedRequest,
  view: ({ id, ...row }: { readonly id: string }) => ({ request_id: id, ...row }) as never,
  time: 'id',
  filters: {
    status: looked(Type.String({ pattern: '^[1-5](xx|[0-9]{2})$', examples: ['4xx'] }), hasStatus),
    code: looked(text(200)),
    route: looked(text(200)),
    about: looked(Id, id => sql`${id} = any(t.about)`),
  },
  find: [],
  shows: ['route', 'code'],
} as const

export const requestRoutes = open({
  listRequests: list('/v1/requests', 'List failed and slow requests, newest first', {
    ...rows,
    description:
      'Your own; all of the tenant with `kernel.requests.read`. Each process keeps what failed or ' +
      'was slow, up to a rate; `times` counts the requests that are the same but have no row of ' +
      'their own. No body, query, header or address is kept.',
    of: owner('principal_id', of_others),
  }),

  listAnonymousRequests: list(
    '/v1/anonymous-requests',
    'List failed and slow requests without a caller, newest first',
    {
      ...rows,
      description: 'Requests without a valid credential, such as log-ins, have no tenant.',
      permission: without_caller,
      of_platform: 'all_tenants',
      where: sql`t.tenant_id is null`,
    },
  ),

  getRequest: get(
    '/v1/requests/{request_id}',
    'Show how a request ended: one that failed, or a write with an Idempotency-Key',
    {
      description:
        'A write with a key is found while the key is remembered. A repeated request replays the ' +
        'outcome of the first, and only the first is found. Others are found if they failed or ' +
        'were slow. The rest is in the log of the process.',
      for_others: of_others,
      absent,
      sends: [],
      reply: FoundRequest,
    },
    async ({ tx, principal: { id, tenant_id }, params: { request_id }, grants }) => {
      const mine = await grants()
      const all = allowsSome(mine, of_others)
      const own = sql`tenant_id = ${tenant_id} and (${all} or principal_id = ${id})`
      const anonymous = sql`tenant_id is null and ${allowsSome(mine, without_caller)}`
      const found = await tx.maybe(FoundRequest, statementOf(request_id, own, anonymous))
      if (!found) throw problem(absent)
      return found
    },
  ),
})

/** What the idempotency records keep of it, what the log keeps of it, or both. */
function statementOf(request_id: string, own: Sql, anonymous: Sql): Sql {
  return sql`
    select ${request_id} as request_id, coalesce(k.principal_id, l.principal_id) as principal_id,
      coalesce(k.operation, l.route) as route, l.code, l.permission, l.pointer,
      case when k.operation is null then 'logged' else 'keyed' end as kept,
      coalesce(k.state, 'completed') as state, coalesce(k.status, l.status) as status,
      l.ms, coalesce(l.about, '{}') as about, coalesce(l.times, 1) as times,
      k.resource_ref as location, k.transaction_id,
      coalesce(l.created_at, k.created_at) as created_at,
      coalesce(k.completed_at, l.created_at + make_interval(secs => l.ms / 1000.0)) as completed_at
    from (
      select principal_id, operation, state, status, resource_ref, transaction_id, created_at,
        completed_at
      from kernel.idempotency_records
      where request_id = ${request_id} and ${own} and expires_at > now()
    ) k full join (
      select principal_id, route, code, permission, pointer, status, ms, about, times, created_at
      from kernel.requests
      where id = ${request_id} and (${own} or ${anonymous})
    ) l on true
    limit 1`
}

function hasStatus(status: string): Sql {
  const first = Number(status.replace('xx', '00'))
  return sql`t.status between ${first}::int and ${first + (status.endsWith('xx') ? 99 : 0)}::int`
}
