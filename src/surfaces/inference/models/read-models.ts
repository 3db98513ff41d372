/** The models that a tenant may call, with their aliases and current prices. */
import { Type, type Static } from 'typebox'
import { sql, type Sql } from '#dodeca/kernel'
import { platform_tenant, type Deps } from '../deps.ts'
import { ModelView } from './schemas.ts'

export const ModelRow = Type.Omit(ModelView, ['health'])
export type ModelRow = Static<typeof ModelRow>

/** `where` is a condition on the deployments `d`. */
export function modelsOf(tenant_id: string, where: Sql): Sql {
  return sql`
    select coalesce(${nameOf(tenant_id)}, d.id::text) as id, d.id as deployment_id,
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

/** The alias with which a call of the tenant reaches the deployment `d` first. */
function nameOf(tenant_id: string): Sql {
  return sql`(select min(a.alias) from inference.model_aliases a
    where a.tenant_id = d.tenant_id and a.deployment_id = d.id
      and not exists (select from inference.model_aliases o
        where o.alias = a.alias and ((o.tenant_id = ${tenant_id} and o.tenant_id <> a.tenant_id)
          or (o.tenant_id = a.tenant_id and (o.priority, -o.weight, o.deployment_id)
            < (a.priority, -a.weight, a.deployment_id)))))`
}

export function modelOf({ providers }: Pick<Deps, 'providers'>, row: ModelRow): ModelView {
  return { ...row, health: providers.find(row.provider)?.health(row.model_name) ?? 'open' }
}
