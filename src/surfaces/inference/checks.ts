/**
 * Checks that calls and their usage are consistent after every commit. They run in `dodeca doctor`
 * and in the chaos tests.
 */
import { Type } from 'typebox'
import { sql, type Check, type Sql } from '#dodeca/kernel'
import type { Deps } from './deps.ts'

const Fault = Type.Object({ says: Type.String() })

export function checks({ kernel: { db } }: Pick<Deps, 'kernel'>): readonly Check[] {
  const check: MakeCheck = (name, says, statement) => ({
    name: `inference.${name}`,
    says,
    run: async () => (await db.many(Fault, statement)).map(row => row.says),
  })
  return [...quotaChecks(check), ...usageChecks(check)]
}

/** Whether a row counts on the scope of the counter `c`. */
function countsOn(row: Sql): Sql {
  return sql`case c.scope_type when 'tenant' then true when 'tag' then c.scope_id = any(${row}.tags)
    else ${row}.principal_id = any(
      (select inference.counted_on(c.tenant_id, c.scope_id::uuid))::uuid[]) end`
}

type MakeCheck = (name: string, says: string, statement: Sql) => Check

function quotaChecks(check: MakeCheck): Check[] {
  return [
    check(
      'used',
      'What each counter of a day has used is the sum of the usage rows of that day',
      sql`
        select c.metric || ' of ' || c.scope_type || ' ' || c.scope_id || ' has used ' || c.used
          || ', its rows ' || coalesce(sums.used, 0) as says
        from inference.quota_counters c
        left join lateral (
          select case c.metric when 'cost_per_day' then sum(u.estimated_cost_minor_units) / 100
            else sum(u.input_tokens + u.output_tokens) end as used
          from inference.generation_usage u
          where u.tenant_id = c.tenant_id and u.corrects_id is null
            and u.counted_on = (c.window_start at time zone 'UTC')::date
            and ${countsOn(sql`u`)}) sums on true
        where c.metric in ('tokens_per_day', 'cost_per_day') and c.used <> coalesce(sums.used, 0)
        limit 100`,
    ),
    check(
      'reserved',
      'What each counter has reserved is the sum of the reservations that are held',
      sql`
        select c.metric || ' of ' || c.scope_type || ' ' || c.scope_id || ' has reserved '
          || c.reserved || ', its reservations ' || coalesce(held.reserved, 0) as says
        from inference.quota_counters c
        left join lateral (
          select case c.metric when 'cost_per_day' then sum(r.cost)
            else sum(r.input_units + r.output_units) end as reserved
          from inference.quota_reservations r
          where r.tenant_id = c.tenant_id and r.state = 'held'
            and ${countsOn(sql`r`)}
            and case when c.metric like '%day' then r.day_start = c.window_start
              else r.minute_start = c.window_start and r.class <> 'job' end) held on true
        where c.metric in ('tokens_per_minute', 'tokens_per_day', 'cost_per_day')
          and c.reserved <> coalesce(held.reserved, 0)
        limit 100`,
    ),
  ]
}

function usageChecks(check: MakeCheck): Check[] {
  return [
    check(
      'usage',
      'Both usage tables have the same rows, and each ended run that was sent has one',
      sql`
        select 'operation ' || r.operation_id || ' run ' || r.run || ' has ' || count(u.id)
          || ' and ' || count(g.id) || ' usage rows' as says
        from inference.quota_reservations r
        left join inference.usage_records u on u.tenant_id = r.tenant_id
          and u.operation_id = r.operation_id and u.run = r.run and u.corrects_id is null
        left join inference.generation_usage g on g.tenant_id = r.tenant_id
          and g.operation_id = r.operation_id and g.run = r.run and g.corrects_id is null
        where r.state <> 'held'
        group by r.tenant_id, r.operation_id, r.run, r.state
        having count(u.id) <> (r.state = 'settled')::int
          or count(g.id) <> (r.state = 'settled')::int
        limit 100`,
    ),
    check(
      'ended',
      'No call that has ended holds a part of the quota',
      sql`
        select 'operation ' || o.id || ' is ' || o.state || ' and holds a reservation' as says
        from inference.quota_reservations r
        join inference.inference_operations o
          on o.tenant_id = r.tenant_id and o.id = r.operation_id
        where r.state = 'held' and o.completed_at is not null
        limit 100`,
    ),
    check(
      'guards',
      'The database itself refuses changes of usage rows and prices',
      sql`
        select t::text || ' can be changed' as says
        from unnest(array['inference.usage_records', 'inference.generation_usage',
          'inference.model_prices']::regclass[]) as t
        where (select count(*) from pg_trigger g where g.tgrelid = t and g.tgenabled in ('O', 'A')
          and g.tgname in ('append_only', 'append_only_truncate')) < 2`,
    ),
  ]
}
