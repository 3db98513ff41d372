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
      'What each scope has used in a day is the sum of the usage rows of that day',
      sql`
        select c.scope_type || ' ' || c.scope_id || ' has used ' || c.day_used || ' tokens for '
          || c.cost_used || ', its rows ' || sums.tokens || ' for ' || sums.cost as says
        from inference.quota_counters c
        cross join lateral (
          select coalesce(sum(u.input_tokens + u.output_tokens), 0) as tokens,
            coalesce(sum(u.estimated_cost_minor_units) / 100, 0) as cost
          from inference.generation_usage u
          where u.tenant_id = c.tenant_id and u.corrects_id is null and c.day_start > '-infinity'
            and u.counted_on = (c.day_start at time zone 'UTC')::date
            and ${countsOn(sql`u`)}) sums
        where (c.day_used, c.cost_used) <> (sums.tokens, sums.cost)
        limit 100`,
    ),
    check(
      'reserved',
      'What each scope has reserved is the sum of the reservations that are held',
      sql`
        select c.scope_type || ' ' || c.scope_id || ' has reserved ' || of_counter || ', held are '
          || of_rows as says
        from inference.quota_counters c
        cross join lateral (
          select count(*) filter (where r.class <> 'job') as operations,
            count(*) filter (where r.class = 'stream') as streams,
            coalesce(sum(r.input_units + r.output_units)
              filter (where r.class <> 'job' and r.minute_start = c.minute_start), 0) as minute,
            coalesce(sum(r.input_units + r.output_units)
              filter (where r.day_start = c.day_start), 0) as day,
            coalesce(sum(r.cost) filter (where r.day_start = c.day_start), 0) as cost
          from inference.quota_reservations r
          where r.tenant_id = c.tenant_id and r.state = 'held' and ${countsOn(sql`r`)}) held
        cross join lateral (select
          concat_ws(' ', c.operations, c.streams, c.minute_reserved, c.day_reserved,
            trim_scale(c.cost_reserved)) as of_counter,
          concat_ws(' ', held.operations, held.streams, held.minute, held.day,
            trim_scale(held.cost)) as of_rows) said
        where of_counter <> of_rows
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
