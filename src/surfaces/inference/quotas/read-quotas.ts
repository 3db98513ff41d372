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
    from inference.scopes_of(${tenant_id}, ${id})
    union all
    select scope_type, scope_id, limits, false from inference.quota_limits
    where tenant_id = ${tenant_id} and scope_type = 'tag'
      and scope_id = any(${tagsOf(tenant_id, id, [])})`
  // Of others only what is set: the platform's limits hold for every principal.
  const set = sql`
    select scope_type, scope_id, limits, true as is_whole
    from inference.scopes_of(${tenant_id}, ${id}) where scope_type = 'tenant'
    union all
    select scope_type, scope_id, limits, false from inference.quota_limits
    where tenant_id = ${tenant_id} and scope_type <> 'tenant'`
  return sql`
    select s.scope_type, s.scope_id, m.metric,
      coalesce((s.limits ->> m.metric)::numeric,
        (${limits}::jsonb -> s.scope_type ->> m.metric)::numeric)::text as limit,
      coalesce(m.used, 0)::text as used, coalesce(m.reserved, 0)::text as reserved, m.resets_at
    from (${scope === 'own' ? own : set}) s
    cross join (select date_trunc('minute', kernel.now()) as minute,
      date_trunc('day', kernel.now() at time zone 'UTC') at time zone 'UTC' as day) w
    left join inference.quota_counters c on c.tenant_id = ${tenant_id}
      and c.scope_type = s.scope_type and c.scope_id = s.scope_id
    cross join lateral (
      select c.minute_start >= w.minute as in_minute, c.day_start >= w.day as in_day,
        w.minute + interval '1 minute' as next_minute, w.day + interval '1 day' as next_day) t
    cross join lateral (values
      ('operations', c.operations, 0, null),
      ('streams', c.streams, 0, null),
      ('requests_per_minute', case when t.in_minute then c.requests end, 0, t.next_minute),
      ('tokens_per_minute', case when t.in_minute then c.minute_used end,
        case when t.in_minute then c.minute_reserved end, t.next_minute),
      ('tokens_per_day', case when t.in_day then c.day_used end,
        case when t.in_day then c.day_reserved end, t.next_day),
      ('cost_per_day', case when t.in_day then c.cost_used end,
        case when t.in_day then c.cost_reserved end, t.next_day)
    ) m (metric, used, reserved, resets_at)
    where (s.is_whole or s.limits ? m.metric)
      and (${scope_type}::text is null
        or (s.scope_type, s.scope_id, m.metric) > (${scope_type}, ${scope_id}, ${metric}))
    order by 1, 2, 3 limit ${n}`
}
