/**
 * Adds and changes models. A tenant adds models at its own providers and changes its own models; the
 * platform operator adds and changes all others. A draining deployment accepts no new calls and
 * finishes running ones.
 */
import { Type } from 'typebox'
import {
  isId,
  expectVersion,
  lacks,
  newId,
  sql,
  violates,
  type Principal,
  type Tx,
} from '#dodeca/kernel'
import { platform_tenant, type Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { models_topic } from './known-models.ts'
import type { ChangeModel, CreateModel, CreatePrice, ModelState } from './schemas.ts'

/** draft → active ⇄ draining → disabled → active */
const next: Readonly<Record<ModelState, readonly ModelState[]>> = {
  draft: ['active', 'disabled'],
  active: ['draining'],
  draining: ['active', 'disabled'],
  disabled: ['active'],
}

type Actor = Pick<Principal, 'id' | 'tenant_id'>
const Deployment = Type.Object({
  tenant_id: Type.String(),
  id: Type.String(),
  provider: Type.String(),
  state: Type.Unsafe<ModelState>(Type.String()),
  own_provider: Type.Boolean(),
  row_version: Type.Integer(),
})

type NewModel = { readonly tenant_id: string; readonly id: string }

/**
 * A provider of the platform is called with the platform's account. So adding a model there or
 * setting its price determines the costs of the platform.
 */
function requireOperator(grants: ReadonlySet<string>): void {
  if (grants.has('inference.platform.write')) return
  throw problem('permission_denied', {
    detail:
      'Models at this provider are called with the account of the platform. Ask the platform operator, or add a provider of your own with `PUT /v1/model-providers/{name}`.',
  })
}

export async function createModel(
  tx: Tx,
  deps: Pick<Deps, 'providers' | 'policy'>,
  actor: Actor,
  grants: ReadonlySet<string>,
  body: CreateModel,
): Promise<NewModel> {
  const { tenant_id = actor.tenant_id } = body
  const is_own = await hasProvider(tx, tenant_id, body.provider)
  if (!is_own || tenant_id !== actor.tenant_id) requireOperator(grants)
  if (!is_own && !deps.providers.names.includes(body.provider)) {
    throw invalid(
      '/provider',
      `Configured providers: ${deps.providers.names.join(', ') || 'none'}.`,
    )
  }
  const id = newId()
  const { aliases = [], version = '1', region = 'global', state = 'draft' } = body
  await tx
    .run(
      sql`
        insert into inference.model_deployments (tenant_id, id, provider, model_name, version,
          capability, state, region, max_context, max_output, policy_version, own_provider)
        values (${tenant_id}, ${id}, ${body.provider}, ${body.model_name}, ${version},
          ${body.capability}::text[], ${state}, ${region}, ${body.max_context}, ${body.max_output},
          ${deps.policy.version}, ${is_own})`,
    )
    .catch((error: unknown) => {
      if (violates(error, 'model_deployments_name')) throw problem('already_exists')
      throw error
    })
  await writeAliases(tx, tenant_id, id, aliases)
  tx.wake(models_topic)
  tx.audit('inference.models.create', id)
  return { tenant_id, id }
}

export async function changeModel(
  tx: Tx,
  actor: Actor,
  grants: ReadonlySet<string>,
  {
    id: named,
    if_match,
  }: { readonly id: string; readonly if_match: string | string[] | undefined },
  body: ChangeModel,
): Promise<NewModel> {
  const found = await lock(tx, actor, grants, named)
  const { id } = found
  expectVersion(if_match, found.row_version)
  const { state = found.state, max_context = null, max_output = null, aliases } = body
  if (state !== found.state && !next[found.state].includes(state)) {
    throw problem('invalid_transition', { current_state: found.state })
  }
  const { tenant_id, provider, own_provider } = found
  if (state === 'active' && own_provider && !(await hasProvider(tx, tenant_id, provider))) {
    const detail = `The provider ${provider} was deleted. Add it again with PUT /v1/model-providers/${provider}, then activate the model.`
    throw problem('invalid_transition', { current_state: found.state, detail })
  }
  await tx.run(sql`
    update inference.model_deployments
    set state = ${state}, max_context = coalesce(${max_context}::int, max_context),
      max_output = coalesce(${max_output}::int, max_output), row_version = row_version + 1
    where tenant_id = ${tenant_id} and id = ${id}`)
  if (aliases) {
    await tx.run(sql`
      delete from inference.model_aliases where tenant_id = ${tenant_id} and deployment_id = ${id}`)
    await writeAliases(tx, tenant_id, id, aliases)
  }
  tx.wake(models_topic)
  const of_platform = tenant_id === platform_tenant
  const about = of_platform ? actor.tenant_id : tenant_id
  tx.audit('inference.models.change', id)
  const changed = { tenant_id: about, id }
  if (state === found.state) return changed
  tx.emit({
    type: 'model_deployment.state_changed',
    tenant_id: about,
    aggregate_type: 'model_deployment',
    aggregate_id: id,
    aggregate_version: found.row_version + 1,
    data: { model_deployment_id: id, from: found.state, to: state },
  })
  return changed
}

const Made = Type.Object({ price_version: Type.Integer() })

/** A new version. Calls that were charged with an earlier version keep it. */
export async function createPrice(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  actor: Actor,
  grants: ReadonlySet<string>,
  body: CreatePrice,
): Promise<{ readonly id: string; readonly price_version: number }> {
  const currency = kernel.settings['inference.currency']
  if (body.currency !== currency) throw invalid('/currency', `Budgets are in ${currency}.`)
  const { tenant_id, id, own_provider } = await lock(tx, actor, grants, body.model_deployment_id)
  if (!own_provider) requireOperator(grants)
  const { effective_from = null } = body
  if (effective_from !== null && Date.parse(effective_from) < kernel.clock.nowMs() - 1000) {
    throw invalid('/effective_from', 'A price cannot begin in the past.')
  }
  const { price_version } = await tx.one(
    Made,
    sql`
      insert into inference.model_prices (tenant_id, deployment_id, price_version, currency, input,
        cached_input, output, effective_from, created_by)
      select ${tenant_id}, ${id}, coalesce(max(price_version), 0) + 1, ${currency},
        ${body.input}::numeric, ${body.cached_input}::numeric, ${body.output}::numeric,
        coalesce(${effective_from}::timestamptz, kernel.now()), ${actor.id}
      from inference.model_prices where tenant_id = ${tenant_id} and deployment_id = ${id}
      returning price_version`,
  )
  tx.audit('inference.prices.create', id)
  return { id, price_version }
}

/** `named` is an id, or an alias as a call of the actor would use it. */
async function lock(tx: Tx, actor: Actor, grants: ReadonlySet<string>, named: string) {
  const is_operator = grants.has('inference.platform.write')
  const found = await tx.maybe(
    Deployment,
    sql`
      select tenant_id, id, provider, state, own_provider, row_version
      from inference.model_deployments
      where id = ${
        isId(named)
          ? named
          : sql`(
            select deployment_id from inference.model_aliases
            where alias = ${named} and tenant_id in (${actor.tenant_id}, ${platform_tenant})
            order by tenant_id desc, priority, weight desc, deployment_id limit 1)`
      }
        and (${is_operator} or tenant_id in (${actor.tenant_id}, ${platform_tenant}))
      for update`,
  )
  if (!found) throw problem('model_not_found')
  if (found.tenant_id === platform_tenant && !is_operator) {
    const of_platform = 'The model belongs to the platform. Ask the platform operator to change it.'
    throw lacks('inference.platform.write', of_platform)
  }
  return found
}

/** Locked, so that the provider is not deleted while it gets a model or one becomes active. */
async function hasProvider(tx: Tx, tenant_id: string, name: string): Promise<boolean> {
  const found = await tx.maybe(
    Type.Object({ id: Type.String() }),
    sql`
      select id from inference.providers
      where tenant_id = ${tenant_id} and name = ${name} for share`,
  )
  return found !== undefined
}

async function writeAliases(
  tx: Tx,
  tenant_id: string,
  id: string,
  aliases: NonNullable<CreateModel['aliases']>,
): Promise<void> {
  if (aliases.length === 0) return
  demandDistinct(aliases.map(({ alias }) => alias))
  demandNames(aliases.map(({ alias }) => alias))
  const rows = aliases.map(({ alias, priority = 0, weight = 100 }) => ({ alias, priority, weight }))
  await tx.run(sql`
    insert into inference.model_aliases (tenant_id, alias, deployment_id, priority, weight)
    select ${tenant_id}, a.alias, ${id}, a.priority, a.weight
    from ${sql.table(rows, { alias: 'text', priority: 'int4', weight: 'int4' })} a
    on conflict (tenant_id, alias, deployment_id) do update
      set priority = excluded.priority, weight = excluded.weight`)
}

function demandDistinct(names: readonly string[]): void {
  const at = names.findIndex((name, index) => names.indexOf(name) < index)
  if (at === -1) return
  throw problem('validation_failed', {
    detail: 'Each alias may be listed once.',
    errors: [{ location: 'body', pointer: `/aliases/${at}/alias`, constraint: 'unique' }],
  })
}

function invalid(pointer: string, detail: string) {
  return problem('validation_failed', {
    detail,
    errors: [{ location: 'body', pointer, constraint: 'enum' }],
  })
}

/** A text in the form of an id is always read as one. */
function demandNames(aliases: readonly string[]): void {
  const at = aliases.findIndex(isId)
  if (at === -1) return
  throw problem('validation_failed', {
    detail: 'An alias may not have the form of an id. Choose a name.',
    errors: [{ location: 'body', pointer: `/aliases/${at}/alias`, constraint: 'pattern' }],
  })
}
