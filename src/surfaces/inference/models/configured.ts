/**
 * The models in the settings, stored as deployments of the platform: the text model is `default`,
 * the embedding model `embedding`. The first call of a process writes the missing rows in a
 * separate transaction.
 */
import { Type } from 'typebox'
import { newId, sql, type Tx } from '#dodeca/kernel'
import { platform_tenant, type Deps } from '../deps.ts'
import { models_topic } from './known-models.ts'

const Row = Type.Object({ id: Type.String() })
const usual = ['text', 'json_schema', 'stream', 'tools']
const known = new WeakSet<object>()

export async function ensureConfigured(
  deps: Pick<Deps, 'kernel' | 'providers' | 'policy'>,
): Promise<void> {
  const { primary } = deps.providers
  if (!primary || known.has(deps.providers)) return
  const models = [
    {
      alias: 'default',
      name: primary.text_model,
      capability: [...usual, ...(deps.providers.find(primary.name)?.has ?? [])],
    },
    { alias: 'embedding', name: primary.embedding_model, capability: ['embedding'] },
  ]
  await deps.kernel.db.tx(async tx => {
    for (const { alias, name, capability } of models) {
      if (name === null) continue
      await ensure(tx, deps, { provider: primary.name, alias, name, capability })
    }
    tx.wake(models_topic)
  })
  known.add(deps.providers)
}

type Model = {
  readonly provider: string
  readonly alias: string
  readonly name: string
  readonly capability: readonly string[]
}

async function ensure(
  tx: Tx,
  { kernel: { settings }, policy }: Pick<Deps, 'kernel' | 'policy'>,
  { provider, alias, name, capability }: Model,
): Promise<void> {
  const [input = 0, cached_input = 0, output = 0] = settings['inference.price']
  const is_embedding = alias === 'embedding'
  const { id } = await tx.one(
    Row,
    sql`
      with made as (
        insert into inference.model_deployments (tenant_id, id, provider, model_name, version,
          capability, state, max_context, max_output, policy_version, configured)
        values (${platform_tenant}, ${newId()}, ${provider}, ${name}, '1', ${capability}::text[],
          'active', ${settings['inference.max_context']},
          ${is_embedding ? 0 : settings['inference.max_output']}, ${policy.version}, true)
        on conflict (tenant_id, provider, model_name, version)
          do update set configured = true
        returning id)
      select id from made`,
  )
  await tx.run(sql`
    insert into inference.model_prices (tenant_id, deployment_id, price_version, currency, input,
      cached_input, output, effective_from)
    values (${platform_tenant}, ${id}, 1, ${settings['inference.currency']}, ${input},
      ${cached_input}, ${is_embedding ? 0 : output}, '-infinity')
    on conflict do nothing`)
  await tx.run(sql`
    insert into inference.model_aliases (tenant_id, alias, deployment_id)
    values (${platform_tenant}, ${alias}, ${id}) on conflict do nothing`)
  // The alias no longer points to a model that was configured earlier.
  await tx.run(sql`
    delete from inference.model_aliases a using inference.model_deployments d
    where a.tenant_id = ${platform_tenant} and a.alias = ${alias} and a.deployment_id <> ${id}
      and d.tenant_id = a.tenant_id and d.id = a.deployment_id and d.configured`)
}
