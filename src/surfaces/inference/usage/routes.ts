/**
 * The usage and cost of calls, by day or by model. Callers see their own usage, and with the
 * permission that of the tenant.
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
} from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { Currency, Decimal } from '../schemas.ts'

const Units = Type.Integer({ minimum: 0 })

const UsageLine = Type.Object(
  {
    day: nullable(Day),
    model_deployment_id: nullable(Id),
    model_snapshot: nullable(Type.String()),
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
    'Get the usage and cost of calls, by day or by model',
    {
      description: `Days are in UTC. The first and the last day are included, and there are at most ${days_max}. The default is the last 30 days. \`scope=tenant\` requires the permission \`inference.usage.read\`.`,
      permission: 'inference.operations.create',
      asks_grants: true,
      added: true,
      filters: {
        from: Type.Optional(Day),
        to: Type.Optional(Day),
        group_by: Type.Optional(oneOf('day', 'model')),
        scope: Type.Optional(oneOf('own', 'tenant')),
      },
      item: UsageLine,
      fails: ['permission_denied', 'validation_failed'],
    },
    async ({ tx, principal, query, grants, list }, { kernel }) => {
      const { group_by = 'day', scope = 'own' } = query
      const { from, to } = dayRange(query, dayOf(kernel.clock.nowMs()))
      if (scope === 'tenant' && !(await grants()).has('inference.usage.read')) {
        const own =
          'Seeing the usage of the tenant needs inference.usage.read. Leave `scope` out to see your own.'
        throw lacks('inference.usage.read', own)
      }
      const by_day = group_by === 'day'
      const own = scope === 'own' ? principal.id : null
      return await page(tx, {
        scope: list,
        row: Row,
        place: ['place'],
        view: ({ place: _place, ...line }) => line,
        fetch: (after, n) => sql`
            select * from (
              select grouped.day::text as day, grouped.model_deployment_id,
                case when ${by_day} then null else max(grouped.model_snapshot) end
                  as model_snapshot,
                count(distinct grouped.operation_id)::int as requests,
                sum(grouped.input_tokens)::float8 as input_tokens,
                sum(grouped.cached_input_tokens)::float8 as cached_input_tokens,
                sum(grouped.output_tokens)::float8 as output_tokens,
                round(sum(grouped.estimated_cost_minor_units) / 100, 8)::text as cost_amount,
                grouped.currency,
                coalesce(grouped.day::text, grouped.model_deployment_id::text)
                  || grouped.currency as place
              from (
                select case when ${by_day} then u.counted_on end as day,
                  case when not ${by_day} then u.model_deployment_id end as model_deployment_id,
                  u.model_snapshot, u.operation_id, u.input_tokens, u.cached_input_tokens,
                  u.output_tokens, u.estimated_cost_minor_units, u.currency
                from inference.generation_usage u
                where u.tenant_id = ${principal.tenant_id}
                  and (${own}::uuid is null or u.principal_id = ${own}::uuid)
                  and u.counted_on between ${dayText(from)}::date and ${dayText(to)}::date) grouped
              group by grouped.day, grouped.model_deployment_id, grouped.currency) lines
            where ${after.place}::text is null or place > ${after.place}
            order by place limit ${n}`,
      })
    },
  ),
})
