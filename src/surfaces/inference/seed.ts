/**
 * Creates thirty days of calls for each demo tenant, with their usage, so that reports of usage
 * have data. The calls were never sent. Their inputs and outputs are marked as expired.
 */
import { Type } from 'typebox'
import { sql, type DemoTenant, type Tx } from '#dodeca/kernel'
import { platform_tenant, type Deps } from './deps.ts'
import { ensureConfigured } from './models/configured.ts'

const days = 30
const calls_max = 40
const Held = Type.Object({ calls: Type.Integer() })

export async function seed(deps: Deps, tenants: readonly DemoTenant[]): Promise<string[]> {
  const { kernel, providers } = deps
  if (!providers.primary) return []
  const made: string[] = []
  for (const { id: tenant_id, slug, accounts } of tenants) {
    const ids = accounts.map(one => one.id)
    const { calls } = await kernel.db.one(
      Held,
      sql`
        select count(*)::int as calls from inference.inference_operations
        where tenant_id = ${tenant_id}`,
    )
    if (calls > 0) continue
    await ensureConfigured(deps)
    await kernel.db.tx(async tx => {
      await insertCalls(tx, tenant_id, ids)
      await insertUsage(tx, tenant_id)
    })
    made.push(`${days} days of model calls (${slug})`)
  }
  return made
}

/**
 * More on weekdays, and increasing over time. Each day is different, but every seed makes the same
 * numbers.
 */
async function insertCalls(tx: Tx, tenant_id: string, actors: readonly string[]): Promise<void> {
  await tx.run(sql`
    insert into inference.inference_operations (tenant_id, id, actor_id, model, first_deployment_id,
      model_deployment_id, deployment_tenant_id, workload, streamed, state, error_code,
      prompt_version, estimated_input, max_output, model_snapshot, finish_reason, created_at,
      started_at, completed_at, deadline_at)
    select ${tenant_id},
      overlay(gen_random_uuid()::text
        placing left(kernel.first_id_of(at)::text, 13) || '-7' from 1)::uuid,
      (${actors}::uuid[])[1 + (day * 7 + n * 13) % ${actors.length}::int], 'default', d.id, d.id,
      d.tenant_id, case when n % 3 = 0 then 'inference' else 'generation_stream' end, n % 3 > 0,
      case when n % 29 = 28 then 'failed' else 'succeeded' end,
      case when n % 29 = 28 then 'upstream_timeout' end, 'plain@1', 100 + n * 37 % 900, 1024,
      d.model_name || '-2026-01-01', case when n % 29 < 28 then 'stop' end, at, at,
      at + make_interval(secs => 1 + n * 11 % 7), at + interval '75 seconds'
    from generate_series(1, ${days}::int) day
    cross join generate_series(0, ${calls_max}::int - 1) n
    cross join lateral (select date_trunc('day', kernel.now()) - make_interval(days => day)
      + make_interval(hours => 8 + n * 5 % 11, mins => n * 17 % 60, secs => day) as at) t
    cross join lateral (select m.tenant_id, m.id, m.model_name from inference.model_aliases a
      join inference.model_deployments m on m.tenant_id = a.tenant_id and m.id = a.deployment_id
      where a.tenant_id = ${platform_tenant} and a.alias = 'default' order by a.priority limit 1) d
    where n < (${calls_max}::int - day) * (case when extract(isodow from at) > 5 then 0.3 else 1 end)
      * (0.6 + day * 31 % 5 * 0.1)`)
}

async function insertUsage(tx: Tx, tenant_id: string): Promise<void> {
  await tx.run(sql`
    with priced as (
      select o.*, p.price_version, p.currency, output.tokens,
        round((o.estimated_input * p.input + output.tokens * p.output) / 1000000, 8) as cost
      from inference.inference_operations o
      cross join lateral (select case when o.state = 'failed' then 0
        else 60 + o.estimated_input * 3 % 700 end as tokens) output
      cross join lateral (select * from inference.model_prices p
        where p.tenant_id = o.deployment_tenant_id and p.deployment_id = o.model_deployment_id
        order by p.price_version limit 1) p
      where o.tenant_id = ${tenant_id}
    ), billed as (
      insert into inference.usage_records (tenant_id, operation_id, run, input_units, output_units,
        compute_ms, cost_amount, currency, price_version, source, measured_at)
      select tenant_id, id, 1, estimated_input, tokens,
        (extract(epoch from completed_at - started_at) * 1000)::int, cost, currency, price_version,
        case when state = 'failed' then 'estimated' else 'provider' end, completed_at
      from priced)
    insert into inference.generation_usage (tenant_id, operation_id, run, principal_id, workload,
      provider, model_deployment_id, model_snapshot, prompt_version, input_tokens,
      cached_input_tokens, output_tokens, estimated_cost_minor_units, currency, price_version,
      source, status, counted_on, started_at, completed_at)
    select p.tenant_id, p.id, 1, p.actor_id, p.workload, d.provider, d.id, p.model_snapshot,
      p.prompt_version, p.estimated_input, 0, p.tokens, p.cost * 100, p.currency, p.price_version,
      case when p.state = 'failed' then 'estimated' else 'provider' end, p.state,
      (p.started_at at time zone 'UTC')::date, p.started_at, p.completed_at
    from priced p
    join inference.model_deployments d on d.tenant_id = p.deployment_tenant_id
      and d.id = p.model_deployment_id`)
}
