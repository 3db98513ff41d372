/**
 * Routes of quotas: callers read their own limits with the amounts used, and administrators set
 * limits.
 */
import { Type, type Static } from 'typebox'
import {
  closed,
  Id,
  lacks,
  nullable,
  oneOf,
  requireConditions,
  routesOf,
  sql,
  Time,
} from '#dodeca/kernel'
import type { Principal, Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { Decimal } from '../schemas.ts'
import { countOnOwner } from './key-owners.ts'
import { configuredLimits, limitsArgument, metrics, type Metric, type ScopeType } from './limits.ts'

const MetricName = oneOf(...metrics)
const Scope = oneOf('tenant', 'principal')

const QuotaLine = Type.Object(
  {
    scope_type: Scope,
    scope_id: Id,
    metric: MetricName,
    limit: Decimal,
    used: Decimal,
    reserved: Decimal,
    resets_at: nullable(Time),
  },
  { title: 'QuotaLine' },
)
const Quotas = Type.Object({ data: Type.Array(QuotaLine, { maxItems: 18 }) }, { title: 'Quotas' })

const Limit = Type.Integer({ minimum: 0, maximum: 2 ** 40 })
const limitsShape = Object.fromEntries(
  metrics.map(metric => [metric, Type.Optional(Limit)]),
) as Record<Metric, ReturnType<typeof Type.Optional<typeof Limit>>>
const SetQuota = closed(limitsShape, { title: 'SetQuota' })
type SetQuota = Static<typeof SetQuota>

const Quota = Type.Object(
  {
    scope_type: Scope,
    scope_id: Id,
    limits: Type.Object(
      Object.fromEntries(metrics.map(metric => [metric, Limit])) as Record<Metric, typeof Limit>,
    ),
    version: Type.Integer(),
  },
  { title: 'Quota' },
)

type By = {
  readonly principal: Principal
  readonly grants: ReadonlySet<string>
  readonly conditions: Parameters<typeof requireConditions>[0]
}
type ScopeKey = { readonly scope_type: ScopeType; readonly scope_id: string }
const Before = Type.Object({ version: Type.Integer() })

const { open, get, put } = routesOf<Deps>({
  absent: 'quota_scope_not_found',
  read: 'inference.operations.create',
  write: 'inference.quotas.write',
  added: true,
  params: { scope_type: Scope, scope_id: Id },
})

export const quotaRoutes = open({
  listQuotas: get(
    '/v1/quotas',
    'Get your limits and those of your tenant, with the amounts used',
    // A key may read its limits before its first call, and then its owner is written.
    { reply: Quotas, transaction: 'own' },
    async ({ principal }, deps) => ({
      data: await deps.kernel.db.tx(tx => readQuotas(tx, deps, principal)),
    }),
  ),

  putQuota: put(
    '/v1/quotas/{scope_type}/{scope_id}',
    'Set the limits of a principal or of the tenant',
    {
      description:
        'The calls of API keys count on the limits of their owner too. A limit that you leave out is that of the platform. Only the platform operator sets limits of a tenant above those of the platform.',
      asks_grants: true,
      body: SetQuota,
      reply: Quota,
      fails: ['permission_denied', 'precondition_failed'],
    },
    async ({ tx, principal, params, body, grants, request: { headers } }, deps) => {
      const scope_type = params.scope_type as ScopeType
      const scope = { scope_type, scope_id: params.scope_id }
      const conditions = {
        if_match: headers['if-match'],
        if_none_match: headers['if-none-match'],
      }
      const by = { principal, grants: await grants(), conditions }
      return await putQuota(tx, deps, by, scope, body)
    },
  ),
})

async function readQuotas(tx: Tx, deps: Deps, { id, tenant_id }: Principal) {
  await countOnOwner(tx, deps, tenant_id, id)
  const limits = limitsArgument(deps.kernel)
  return await tx.many(
    QuotaLine,
    sql`
      select w.scope_type, w.scope_id, w.metric, w.limit_value::text as limit,
        coalesce(c.used, 0)::text as used, coalesce(c.reserved, 0)::text as reserved,
        w.window_start + case when w.metric like '%day' then interval '1 day'
          else interval '1 minute' end as resets_at
      from inference.counters_of(${tenant_id}, ${id}, 'call', ${limits}::jsonb,
        date_trunc('minute', kernel.now()),
        date_trunc('day', kernel.now() at time zone 'UTC') at time zone 'UTC', 0, 0, 0) w
      left join inference.quota_counters c on c.tenant_id = ${tenant_id}
        and c.scope_type = w.scope_type and c.scope_id = w.scope_id and c.metric = w.metric
        and c.window_start = w.window_start
      where w.metric <> 'operations'
      union all
      select s.scope_type, s.scope_id, m.metric,
        coalesce((s.limits ->> m.metric)::numeric,
          (${limits}::jsonb -> s.scope_type ->> m.metric)::numeric)::text,
        count(r.operation_id)::text, '0', null
      from inference.scopes_of(${tenant_id}, ${id}) s
      cross join (values ('operations'), ('streams')) m (metric)
      left join inference.quota_reservations r on r.tenant_id = ${tenant_id} and r.state = 'held'
        and r.lease_until > now() and r.class <> 'job'
        and (m.metric = 'operations' or r.class = 'stream')
        and (s.scope_type = 'tenant' or r.principal_id = any(inference.counted_on(${tenant_id}, s.scope_id)))
      group by s.scope_type, s.scope_id, m.metric, s.limits
      order by 1 desc, 3`,
  )
}

async function putQuota(
  tx: Tx,
  { kernel, people }: Deps,
  { principal, grants, conditions }: By,
  { scope_type, scope_id }: ScopeKey,
  limits: SetQuota,
) {
  const is_operator = grants.has('inference.platform.write')
  const tenant_id = scope_type === 'tenant' && is_operator ? scope_id : principal.tenant_id
  const is_known =
    scope_type === 'tenant'
      ? scope_id === tenant_id
      : (await people.membersOf(tx, tenant_id, [scope_id])).has(scope_id) ||
        (await people.ownerOf(tx, tenant_id, scope_id)) !== null
  if (!is_known) throw problem('quota_scope_not_found')
  const configured = configuredLimits(kernel)[scope_type]
  const raised = metrics.filter(metric => (limits[metric] ?? 0) > configured[metric])
  if (scope_type === 'tenant' && raised.length > 0 && !is_operator) {
    const of_platform = `Only the platform operator raises ${raised.join(', ')} of a tenant above the platform's.`
    throw lacks('inference.platform.write', of_platform)
  }
  const before = await tx.maybe(
    Before,
    sql`
      select version from inference.quota_limits
      where tenant_id = ${tenant_id} and scope_type = ${scope_type} and scope_id = ${scope_id}
      for update`,
  )
  requireConditions(conditions, before?.version ?? null)
  const { version } = await tx.one(
    Before,
    sql`
      insert into inference.quota_limits as l (tenant_id, scope_type, scope_id, limits)
      values (${tenant_id}, ${scope_type}, ${scope_id}, ${sql.json(limits)}::jsonb)
      on conflict (tenant_id, scope_type, scope_id) do update
        set limits = excluded.limits, version = l.version + 1, changed_at = kernel.now()
      returning version`,
  )
  // Another request has created the row since it was looked for.
  if (!before && version > 1) requireConditions(conditions, version - 1)
  tx.audit('inference.quotas.put', `${scope_type} ${scope_id}`)
  return { scope_type, scope_id, limits: { ...configured, ...limits }, version }
}
