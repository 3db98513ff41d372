/**
 * The usage and cost of calls: by day, model, principal, tag or workload, and each of them by day.
 * Callers see their own usage with that of their keys, and with the permission that of the tenant.
 */
import { Type } from 'typebox'
import {
  Day,
  dayOf,
  dayRange,
  days_max,
  dayText,
  Id,
  lacks,
  nullable,
  oneOf,
  page,
  routesOf,
  sql,
  type Sql,
} from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { Currency, Decimal } from '../schemas.ts'

const Units = Type.Integer({ minimum: 0 })
const Group = oneOf('day', 'model', 'principal', 'tag', 'workload')

const UsageLine = Type.Object(
  {
    day: nullable(Day),
    model_deployment_id: nullable(Id),
    model_snapshot: nullable(Type.String()),
    principal_id: nullable(Id),
    tag: nullable(Type.String()),
    workload: nullable(Type.String()),
    requests: Units,
    input_tokens: Units,
    cached_input_tokens: Units,
    output_tokens: Units,
    cost_amount: Decimal,
    currency: Currency,
  },
  { title: 'UsageLine' },
)

const Row = Type.Object({ ...UsageLine.properties, place: Type.String() })

const { open, list } = routesOf<Deps>()

export const usageRoutes = open({
  listUsage: list(
    '/v1/usage',
    'Get the usage and cost of calls, by day, model, principal, tag or workload',
    {
      description: `Days are in UTC. The first and the last day are included, and there are at most ${days_max}. The default is the last 30 days. A call with two tags is in the lines of both; the line without a tag has the calls without one. Your own usage has that of your API keys. \`scope=tenant\` requires the permission \`inference.usage.read\`.`,
      permission: 'inference.operations.create',
      asks_grants: true,
      added: true,
      filters: {
        from: Type.Optional(Day),
        to: Type.Optional(Day),
        group_by: Type.Optional(Group),
        interval: Type.Optional(oneOf('day')),
        scope: Type.Optional(oneOf('own', 'tenant')),
      },
      item: UsageLine,
      fails: ['permission_denied', 'validation_failed'],
    },
    async ({ tx, principal, query, grants, list }, { kernel }) => {
      const { group_by = 'day', interval, scope = 'own' } = query
      const { from, to } = dayRange(query, dayOf(kernel.clock.nowMs()))
      if (scope === 'tenant' && !(await grants()).has('inference.usage.read')) {
        const own =
          'Seeing the usage of the tenant needs inference.usage.read. Leave `scope` out to see your own.'
        throw lacks('inference.usage.read', own)
      }
      const { id, tenant_id } = principal
      const own =
        scope === 'own'
          ? sql`and u.principal_id = any((select inference.counted_on(${tenant_id}, ${id}))::uuid[])`
          : sql.empty
      const lines = linesOf({
        by: group_by,
        by_day: group_by === 'day' || interval === 'day',
        rows: sql`u.tenant_id = ${tenant_id} ${own}
          and u.counted_on between ${dayText(from)}::date and ${dayText(to)}::date`,
      })
      return await page(tx, {
        scope: list,
        row: Row,
        place: ['place'],
        view: ({ place: _place, ...line }) => line,
        fetch: (after, n) => sql`
          select * from (${lines}) lines
          where ${after.place}::text is null or place > ${after.place}
          order by place limit ${n}`,
      })
    },
  ),
})

type Asked = {
  readonly by: 'day' | 'model' | 'principal' | 'tag' | 'workload'
  readonly by_day: boolean
  /** A condition on the usage rows `u`. */
  readonly rows: Sql
}

const columns = {
  model: sql`u.model_deployment_id::text`,
  principal: sql`u.principal_id::text`,
  tag: sql`tags.tag`,
  workload: sql`u.workload`,
}

function linesOf({ by, by_day, rows }: Asked): Sql {
  const named = (name: keyof typeof columns) => (by === name ? sql`grouped.name` : sql`null`)
  return sql`
    -- any tenant: the condition on the rows has it
    select grouped.day::text as day, ${named('model')} as model_deployment_id,
      ${by === 'model' ? sql`max(grouped.model_snapshot)` : sql`null`} as model_snapshot,
      ${named('principal')} as principal_id, ${named('tag')} as tag,
      ${named('workload')} as workload,
      count(distinct grouped.operation_id)::int as requests,
      sum(grouped.input_tokens)::float8 as input_tokens,
      sum(grouped.cached_input_tokens)::float8 as cached_input_tokens,
      sum(grouped.output_tokens)::float8 as output_tokens,
      round(sum(grouped.estimated_cost_minor_units) / 100, 8)::text as cost_amount,
      grouped.currency,
      concat(grouped.day, grouped.name, grouped.currency) as place
    from (
      select ${by_day ? sql`u.counted_on` : sql`null::date`} as day,
        ${by === 'day' ? sql`null::text` : columns[by]} as name,
        u.model_snapshot, u.operation_id, u.input_tokens, u.cached_input_tokens,
        u.output_tokens, u.estimated_cost_minor_units, u.currency
      from inference.generation_usage u
      ${by === 'tag' ? sql`left join lateral unnest(u.tags) tags (tag) on true` : sql.empty}
      where ${rows}) grouped
    group by grouped.day, grouped.name, grouped.currency`
}
