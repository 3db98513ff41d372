/** Limits with what is used of them, for their caller or for the whole tenant. */
import { sql, type Sql } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { limitsArgument } from './limits.ts'
import { tagsOf } from './tags.ts'

type Asking = {
  readonly tenant_id: string
  readonly id: string
  readonly scope: 'own' | 'tenant'
}
type After = {
  readonly scope_type: string | null
  readonly scope_id: string | null
  readonly metric: string | null
}

export function quotaLines(
  kernel: Pick<Kernel, 'settings'>,
  { tenant_id, id, scope }: Asking,
  { scope_type, scope_id, metric }: After,
  n: number,
): Sql {
  const limits = limitsArgument(kernel)
  const own = sql`
    select scope_type, scope_id, limits, true as is_whole
    from inference.scopes_of(${tenant_id}, ${id}, null)
    union all
    select scope_type, scope_id, limits, false
    from inference.scopes_of(${tenant_id}, ${id}, ${tagsOf(tenant_id, id, [])})`
  // Of others only what is set: the platform's limits hold for every principal.
  const set = sql`
    select scope_type, scope_id, limits, true as is_whole
    from inference.scopes_of(${tenant_id}, ${id}, null) where scope_type = 'tenant'
    union all
    select scope_type, scope_id, limits, false from inference.quota_limits
    where tenant_id = ${tenant_id} and scope_type <> 'tenant'`
  return sql`
    select s.scope_type, s.scope_id, s.metric, s.limit_value::text as limit,
      coalesce(running.used, c.used, 0)::text as used, coalesce(c.reserved, 0)::text as reserved,
      case when s.metric like '%day' then s.window_start + interval '1 day'
        when s.metric like '%minute' then s.window_start + interval '1 minute' end as resets_at
    from (
      select s.scope_type, s.scope_id, m.metric, m.window_start,
        coalesce((s.limits ->> m.metric)::numeric,
          (${limits}::jsonb -> s.scope_type ->> m.metric)::numeric) as limit_value
      from (${scope === 'own' ? own : set}) s
      cross join (values ('operations', null), ('streams', null),
        ('requests_per_minute', date_trunc('minute', kernel.now())),
        ('tokens_per_minute', date_trunc('minute', kernel.now())),
        ('tokens_per_day', ${today}), ('cost_per_day', ${today})) m (metric, window_start)
      where (s.is_whole or s.limits ? m.metric)
        and (${scope_type}::text is null
          or (s.scope_type, s.scope_id, m.metric) > (${scope_type}, ${scope_id}, ${metric}))
      order by 1, 2, 3 limit ${n}) s
    left join inference.quota_counters c on c.tenant_id = ${tenant_id}
      and c.scope_type = s.scope_type and c.scope_id = s.scope_id and c.metric = s.metric
      and c.window_start = s.window_start
    left join lateral (
      select count(*) as used from inference.quota_reservations r
      where r.tenant_id = ${tenant_id} and r.state = 'held' and r.lease_until > now()
        and r.class <> 'job' and (s.metric = 'operations' or r.class = 'stream')
        and case s.scope_type when 'tenant' then true when 'tag' then s.scope_id = any(r.tags)
          else r.principal_id = any((select inference.counted_on(${tenant_id}, s.scope_id::uuid))::uuid[])
          end
      ) running on s.metric in ('operations', 'streams')
    order by 1, 2, 3`
}

const today = sql`date_trunc('day', kernel.now() at time zone 'UTC') at time zone 'UTC'`
