/** The models that a tenant may call, with their aliases, and their prices. */
import { Type, type Static } from 'typebox'
import { sql, type Sql } from '#dodeca/kernel'
import { platform_tenant, type Deps } from '../deps.ts'
import { ModelView } from './schemas.ts'

export const ModelRow = Type.Object({
  ...Type.Omit(ModelView, ['health']).properties,
  tenant_id: Type.String(),
})
export type ModelRow = Static<typeof ModelRow>

/** `where` is a condition on the deployments `d`. */
export function modelsOf(tenant_id: string, where: Sql): Sql {
  return sql`
    select d.tenant_id, d.own_provider, coalesce(${nameOf(tenant_id)}, d.id::text) as id, d.id as deployment_id,
      'model' as object, d.provider as owned_by,
      extract(epoch from d.created_at)::int as created,
      coalesce((select min(a.alias) from inference.model_aliases a
        where a.tenant_id = d.tenant_id and a.deployment_id = d.id), d.model_name) as name,
      d.provider, d.model_name, d.version, d.capability, d.state, d.region,
      d.max_context, d.max_output, d.policy_version, d.row_version,
      case when d.tenant_id = ${platform_tenant} then 'platform' else 'tenant' end as owner,
      (select coalesce(jsonb_agg(jsonb_build_object('alias', a.alias, 'priority', a.priority,
          'weight', a.weight) order by a.alias), '[]')
        from inference.model_aliases a
        where a.tenant_id = d.tenant_id and a.deployment_id = d.id) as aliases,
      (select jsonb_build_object('price_version', p.price_version, 'currency', p.currency,
          'unit', '1m_tokens', 'input', p.input::text, 'cached_input', p.cached_input::text,
          'output', p.output::text)
        from inference.model_prices p
        where p.tenant_id = d.tenant_id and p.deployment_id = d.id
          and p.effective_from <= kernel.now()
        order by p.effective_from desc, p.price_version desc limit 1) as price
    from inference.model_deployments d
    where d.tenant_id in (${tenant_id}, ${platform_tenant}) and ${where}`
}

/** All versions. `where` is a condition on the prices `p` and the deployments `d`. */
export function pricesOf(where: Sql): Sql {
  return sql`
    select p.deployment_id as model_deployment_id, p.price_version, '1m_tokens' as unit,
      p.currency, p.input::text, p.cached_input::text, p.output::text,
      -- A configured price has no beginning.
      greatest(p.effective_from, d.created_at) as effective_from, p.created_at,
      case when p.effective_from > kernel.now() then 'scheduled'
        when exists (select from inference.model_prices n
          where n.tenant_id = p.tenant_id and n.deployment_id = p.deployment_id
            and n.effective_from <= kernel.now()
            and (n.effective_from, n.price_version) > (p.effective_from, p.price_version))
          then 'replaced'
        else 'in_force' end as state
    from inference.model_prices p
    join inference.model_deployments d on d.tenant_id = p.tenant_id and d.id = p.deployment_id
    where ${where}`
}

/** The alias with which a call of the tenant reaches the deployment `d` first. */
function nameOf(tenant_id: string): Sql {
  return sql`(select min(a.alias) from inference.model_aliases a
    where a.tenant_id = d.tenant_id and a.deployment_id = d.id
      and not exists (select from inference.model_aliases o
        where o.alias = a.alias and ((o.tenant_id = ${tenant_id} and o.tenant_id <> a.tenant_id)
          or (o.tenant_id = a.tenant_id and (o.priority, -o.weight, o.deployment_id)
            < (a.priority, -a.weight, a.deployment_id)))))`
}

export function modelOf(
  { providers }: Pick<Deps, 'providers'>,
  { tenant_id, ...row }: ModelRow,
): ModelView {
  return { ...row, health: providers.health({ ...row, tenant_id }) }
}
