/** Routes of models and their prices. */
import { Type } from 'typebox'
import { etag, Id, page, reply, routesOf, sql, text, type Reader } from '#dodeca/kernel'
import { platform_tenant, type Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { errorOf } from '../gateway/dialect.ts'
import { changeModel, createModel, createPrice } from './change-models.ts'
import { ensureConfigured } from './configured.ts'
import { modelOf, ModelRow, modelsOf, pricesOf } from './read-models.ts'
import {
  ChangeModel,
  CreateModel,
  CreatePrice,
  ModelView,
  PriceState,
  PriceView,
} from './schemas.ts'

const path = '/v1/models'
const absent = 'model_not_found'

const { open, create, get, list, patch } = routesOf<Deps>({
  read: 'inference.models.read',
  write: 'inference.models.write',
})

export const modelRoutes = open({
  listModels: list(
    path,
    'List the models that you may call',
    {
      description:
        'The `id` is what a call takes as its `model`: an alias, or the id of the deployment. Draft and disabled models are shown only to callers who may change models. An alias of the tenant overrides the same alias of the platform.',
      asks_grants: true,
      problemAs: errorOf,
      item: ModelView,
    },
    async ({ principal: { tenant_id }, list, grants }, deps) => {
      const { db } = deps.kernel
      await ensureConfigured(deps)
      const all = (await grants()).has('inference.models.write')
      return await page(db, {
        scope: list,
        row: ModelRow,
        place: ['deployment_id'],
        view: row => modelOf(deps, row),
        fetch: (after, n) => sql`
          ${modelsOf(
            tenant_id,
            sql`(${all} or d.state in ('active', 'draining'))
              and (${after.deployment_id}::uuid is null or d.id > ${after.deployment_id}::uuid)`,
          )}
          order by d.id limit ${n}`,
      })
    },
  ),

  getModel: get(
    `${path}/{id}`,
    'Get a model by its id or an alias',
    {
      added: true,
      absent,
      asks_grants: true,
      params: { id: text(128) },
      problemAs: errorOf,
      reply: ModelView,
    },
    async ({ tx, principal: { tenant_id }, params: { id }, grants }, deps) => {
      await ensureConfigured(deps)
      const all = (await grants()).has('inference.models.write')
      const found = await deps.models.find(tenant_id, id)
      const first = found.find(one => all || one.state === 'active' || one.state === 'draining')
      if (!first) throw problem(absent)
      const model = await readModel(tx, deps, tenant_id, first.id)
      return reply(200, model, { etag: etag(model.row_version) })
    },
  ),

  createModel: create(
    path,
    'Add a model at a provider, for one tenant',
    {
      description:
        'At an own provider of your tenant you add models yourself. Only the platform operator adds models at providers of the platform, because they are called with its account. Without `tenant_id` the model belongs to the tenant of the caller.',
      asks_grants: true,
      added: true,
      body: CreateModel,
      reply: ModelView,
      fails: ['permission_denied', 'validation_failed', 'already_exists'],
    },
    async ({ tx, principal, body, grants }, deps) => {
      const { tenant_id, id } = await createModel(tx, deps, principal, await grants(), body)
      const model = await readModel(tx, deps, tenant_id, id)
      return reply(201, model, { etag: etag(model.row_version), location: `${path}/${id}` })
    },
  ),

  changeModel: patch(
    `${path}/{id}`,
    'Change the state, limits or aliases of a model',
    {
      description: 'By its id. An alias stands for the deployment that it reaches first.',
      asks_grants: true,
      added: true,
      absent,
      params: { id: text(128) },
      body: ChangeModel,
      reply: ModelView,
      fails: ['permission_denied', 'invalid_transition', 'precondition_failed'],
    },
    async ({ tx, principal, params: { id }, body, if_match, grants }, deps) => {
      const asked = { id, if_match }
      const changed = await changeModel(tx, principal, await grants(), asked, body)
      const model = await readModel(tx, deps, changed.tenant_id, changed.id)
      return reply(200, model, { etag: etag(model.row_version) })
    },
  ),

  createModelPrice: create(
    '/v1/model-prices',
    'Set the price of a model from now on, or from a later time',
    {
      description:
        'A price never changes; a new price is a new version. Usage names the version that it was charged with.',
      permission: 'inference.prices.write',
      asks_grants: true,
      added: true,
      body: CreatePrice,
      reply: PriceView,
      fails: [absent, 'permission_denied', 'validation_failed'],
    },
    async ({ tx, principal, body, grants }, deps) => {
      const { id, price_version } = await createPrice(tx, deps, principal, await grants(), body)
      const which = sql`d.id = ${id} and p.price_version = ${price_version}`
      return await tx.one(PriceView, pricesOf(which))
    },
  ),

  listModelPrices: list(
    '/v1/model-prices',
    'List the prices of the models that you may call, with those before and after them',
    {
      description:
        'The newest price of a model is first. `in_force` is the price of a call that begins now.',
      asks_grants: true,
      added: true,
      filters: { model_deployment_id: Type.Optional(Id), state: Type.Optional(PriceState) },
      item: PriceView,
    },
    async ({ tx, principal: { tenant_id }, query, grants, list }, deps) => {
      await ensureConfigured(deps)
      const { model_deployment_id = null, state = null } = query
      const all = (await grants()).has('inference.models.write')
      const seen = sql`d.tenant_id in (${tenant_id}, ${platform_tenant})
        and (${all} or d.state in ('active', 'draining'))
        and (${model_deployment_id}::uuid is null or d.id = ${model_deployment_id}::uuid)`
      return await page(tx, {
        scope: list,
        row: PriceView,
        place: ['model_deployment_id', 'price_version'],
        fetch: ({ model_deployment_id: id, price_version }, n) => sql`
          select * from (${pricesOf(seen)}) prices
          where (${state}::text is null or state = ${state})
            and (${id}::uuid is null
              or (model_deployment_id, -price_version) > (${id}::uuid, -${price_version}::int))
          order by model_deployment_id, price_version desc limit ${n}`,
      })
    },
  ),
})

async function readModel(reader: Reader, deps: Deps, tenant_id: string, id: string) {
  const row = await reader.maybe(ModelRow, modelsOf(tenant_id, sql`d.id = ${id}`))
  if (!row) throw problem(absent)
  return modelOf(deps, row)
}
