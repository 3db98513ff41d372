/** Routes of the own providers of a tenant: an account at a vendor that the tenant pays. */
import { page, routesOf, sql } from '#dodeca/kernel'
import { Type } from 'typebox'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { models_topic } from '../models/known-models.ts'
import { announce, findProvider, providerColumns, putProvider } from './put-provider.ts'
import { ProviderName, ProviderView, PutProvider } from './schemas.ts'

const path = '/v1/model-providers'

const { open, list, put, del } = routesOf<Deps>({
  permission: 'inference.providers.write',
  added: true,
  params: { name: ProviderName },
})

export const ownProviderRoutes = open({
  listModelProviders: list(
    path,
    'List the own providers of your tenant',
    { description: 'Keys are not shown, only their last characters.', item: ProviderView },
    async ({ principal: { tenant_id }, list: scope }, deps) =>
      await page(deps.kernel.db, {
        scope,
        row: ProviderView,
        place: ['id'],
        view: row => row,
        fetch: (after, n) => sql`
          select ${providerColumns} from inference.providers p
          where p.tenant_id = ${tenant_id}
            and (${after.id}::uuid is null or p.id > ${after.id}::uuid)
          order by p.id limit ${n}`,
      }),
  ),

  putModelProvider: put(
    `${path}/{name}`,
    'Add or change an own provider of models',
    {
      description:
        'Its models are called with your key. Without `auth` the key stays, and kind and base_url must be the same. Only the platform operator sets `tools`, with which models there may call operations, and `tenant_id`.',
      asks_grants: true,
      body: PutProvider,
      reply: ProviderView,
      fails: [
        'permission_denied',
        'provider_name_taken',
        'provider_host_not_allowed',
        'quota_exceeded',
        'precondition_failed',
      ],
    },
    async ({ tx, principal, params: { name }, body, grants, request: { headers } }, deps) => {
      const { 'if-match': if_match, 'if-none-match': if_none_match } = headers
      const by = { principal, grants: await grants(), conditions: { if_match, if_none_match } }
      return await putProvider(tx, deps, by, name, body)
    },
  ),

  deleteModelProvider: del(
    `${path}/{name}`,
    'Delete an own provider and its key',
    {
      description:
        'First disable its models. They stay, because usage and prices name them, but without their aliases, and become active again only at a new provider of the same name.',
      fails: ['provider_in_use'],
    },
    async ({ tx, principal: { tenant_id }, params: { name } }) => {
      const found = await findProvider(tx, tenant_id, name)
      if (!found) return
      const used = await tx.maybe(
        Type.Object({ id: Type.String() }),
        sql`
          select id from inference.model_deployments
          where tenant_id = ${tenant_id} and provider = ${name} and own_provider
            and state <> 'disabled' limit 1`,
      )
      if (used) throw problem('provider_in_use')
      // An alias of the tenant would still hide the platform's alias of its name.
      await tx.run(sql`
        delete from inference.model_aliases a using inference.model_deployments d
        where d.tenant_id = ${tenant_id} and d.provider = ${name} and d.own_provider
          and a.tenant_id = d.tenant_id and a.deployment_id = d.id`)
      await tx.run(sql`
        delete from inference.providers where tenant_id = ${tenant_id} and name = ${name}`)
      tx.audit('inference.providers.delete', name)
      tx.wake(models_topic)
      announce(tx, tenant_id, found, 'deleted')
    },
  ),
})
