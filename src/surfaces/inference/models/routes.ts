/** Routes of models and their prices. */
import { sql } from '../../../kernel/database/sql.ts'
import type { Reader } from '../../../kernel/database/db.ts'
import { etag } from '../../../kernel/http/etag.ts'
import { page as pageOf } from '../../../kernel/http/page.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { page, pageQuery } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { changeModel, createModel, createPrice } from './change-models.ts'
import { ensureConfigured } from './configured.ts'
import { modelOf, ModelRow, modelsOf } from './read-models.ts'
import { ChangeModel, CreateModel, CreatePrice, ModelView, PriceView } from './schemas.ts'

const path = '/v1/models'
const absent = 'model_not_found'

export function modelRoutes(deps: Deps): readonly Route[] {
  return [listRoute(deps), createRoute(deps), changeRoute(deps), priceRoute(deps)]
}

async function readModel(reader: Reader, deps: Deps, tenant_id: string, id: string) {
  const row = await reader.maybe(ModelRow, modelsOf(tenant_id, sql`d.id = ${id}`))
  if (!row) throw problem(absent)
  return modelOf(deps, row)
}

function listRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path,
    name: 'listModels',
    summary: 'List the models that you may call',
    description:
      'Draft and disabled models are shown only to callers who may change models. An alias of the tenant overrides the same alias of the platform.',
    permission: 'inference.models.read',
    asks_grants: true,
    query: pageQuery({}),
    replies: { 200: page(ModelView) },
    handle: async ({ principal: { tenant_id }, list, grants }) => {
      const { db } = deps.kernel
      await ensureConfigured(deps)
      const all = (await grants()).has('inference.models.write')
      const { body, headers } = await pageOf(db, {
        scope: list,
        row: ModelRow,
        place: ['id'],
        view: row => modelOf(deps, row),
        fetch: (after, n) => sql`
          ${modelsOf(
            tenant_id,
            sql`(${all} or d.state in ('active', 'draining'))
              and (${after.id}::uuid is null or d.id > ${after.id}::uuid)`,
          )}
          order by d.id limit ${n}`,
      })
      return reply(200, body, headers)
    },
  })
}

function createRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path,
    name: 'createModel',
    summary: 'Add a model at a configured provider, for one tenant',
    description:
      'Only the platform operator may add models, because they are called with the provider account of the platform. Without `tenant_id` the model belongs to the tenant of the caller.',
    permission: 'inference.models.write',
    asks_grants: true,
    added: true,
    body: CreateModel,
    sends: ['etag', 'location'],
    replies: { 201: ModelView },
    fails: ['permission_denied', 'validation_failed', 'already_exists'],
    handle: async ({ tx, principal, body, grants }) => {
      const { tenant_id, id } = await createModel(tx, deps, principal, await grants(), body)
      const model = await readModel(tx, deps, tenant_id, id)
      return reply(201, model, { etag: etag(model.row_version), location: `${path}/${id}` })
    },
  })
}

function changeRoute(deps: Deps): Route {
  return route({
    method: 'PATCH',
    path: `${path}/{id}`,
    name: 'changeModel',
    summary: 'Change the state, limits or aliases of a model',
    permission: 'inference.models.write',
    asks_grants: true,
    added: true,
    absent,
    body: ChangeModel,
    sends: ['etag'],
    replies: { 200: ModelView },
    fails: [absent, 'permission_denied', 'invalid_transition', 'precondition_failed'],
    handle: async ({ tx, principal, params: { id }, body, request, grants }) => {
      const asked = { id, if_match: request.headers['if-match'] }
      const { tenant_id } = await changeModel(tx, principal, await grants(), asked, body)
      const model = await readModel(tx, deps, tenant_id, id)
      return reply(200, model, { etag: etag(model.row_version) })
    },
  })
}

function priceRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/model-prices',
    name: 'createModelPrice',
    summary: 'Set the price of a model from now on, or from a later time',
    description:
      'A price never changes; a new price is a new version. Usage names the version that it was charged with.',
    permission: 'inference.prices.write',
    asks_grants: true,
    added: true,
    body: CreatePrice,
    replies: { 201: PriceView },
    fails: [absent, 'permission_denied', 'validation_failed'],
    handle: async ({ tx, principal, body, grants }) => {
      const { id, price_version } = await createPrice(tx, deps, principal, await grants(), body)
      const price = await tx.one(
        PriceView,
        sql`
          select p.deployment_id as model_deployment_id, p.price_version, '1m_tokens' as unit,
            p.currency, p.input::text, p.cached_input::text, p.output::text, p.effective_from,
            p.created_at
          from inference.model_prices p
          join inference.model_deployments d on d.tenant_id = p.tenant_id and d.id = p.deployment_id
          where d.id = ${id} and p.price_version = ${price_version}`,
      )
      return reply(201, price)
    },
  })
}
