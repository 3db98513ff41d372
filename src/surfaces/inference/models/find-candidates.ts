/**
 * The deployments that may answer a call, in the order in which they are tried. A tenant's own alias hides
 * the platform's. A deployment of another tenant is refused like one that does not exist.
 */
import { Type, type Static } from 'typebox'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { isId } from '../../../kernel/ids.ts'
import { platform_tenant, type Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { ensureConfigured } from './configured.ts'

const Found = Type.Object({
  tenant_id: Type.String(),
  id: Type.String(),
  provider: Type.String(),
  model_name: Type.String(),
  capability: Type.Array(Type.String()),
  state: Type.String(),
  max_context: Type.Integer(),
  max_output: Type.Integer(),
})
export type Candidate = Static<typeof Found>

export type Needed = {
  readonly model: string
  readonly capability: readonly string[]
  readonly input_tokens: number
  readonly max_output: number
}

export async function findCandidates(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'providers' | 'policy'>,
  tenant_id: string,
  { model, capability, input_tokens, max_output }: Needed,
): Promise<readonly [Candidate, ...Candidate[]]> {
  if (!deps.providers.configured) throw problem('service_unavailable', { retry_after: 60 })
  await ensureConfigured(tx, deps)
  const found = await tx.many(
    Found,
    sql`
      with named as (
        select a.tenant_id, a.deployment_id, a.priority, a.weight
        from inference.model_aliases a
        where a.alias = ${model} and a.tenant_id = (
          select o.tenant_id from inference.model_aliases o
          where o.alias = ${model} and o.tenant_id in (${tenant_id}, ${platform_tenant})
          order by o.tenant_id desc limit 1)
        union all
        select d.tenant_id, d.id, 0, 0 from inference.model_deployments d
        where d.id = ${isId(model) ? model : null}::uuid
          and d.tenant_id in (${tenant_id}, ${platform_tenant}))
      select d.tenant_id, d.id, d.provider, d.model_name, d.capability, d.state, d.max_context,
        d.max_output
      from named n
      join inference.model_deployments d on d.tenant_id = n.tenant_id and d.id = n.deployment_id
      order by n.priority, n.weight desc, d.id`,
  )
  const open = found.filter(one => one.state === 'active')
  if (open.length === 0) {
    const draining = found.some(one => one.state === 'draining')
    throw draining
      ? problem('service_unavailable', { retry_after: 30 })
      : problem('model_not_found')
  }
  const able = open.filter(one => capability.every(name => one.capability.includes(name)))
  if (able.length === 0) {
    const detail = `The model has no deployment with ${capability.join(', ')}. Choose a model whose \`capability\` has it.`
    throw problem('model_capability_unsupported', { detail })
  }
  const fitting = able.filter(
    one => max_output <= one.max_output && input_tokens + max_output <= one.max_context,
  )
  const [first, ...others] = fitting
  if (first) return [first, ...others]
  const context = Math.max(...able.map(one => one.max_context))
  const output = Math.max(...able.map(one => one.max_output))
  throw problem('context_length_exceeded', {
    detail: `The input has about ${input_tokens} tokens and the call asks for ${max_output}; the model has a context of ${context} tokens and writes at most ${output}. Shorten the input or ask for less output.`,
  })
}
