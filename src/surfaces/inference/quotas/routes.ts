/**
 * Routes of quotas: callers read their own limits with the amounts used, and administrators list,
 * set and delete limits.
 */
import { Type } from 'typebox'
import { lacks, oneOf, page, routesOf } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { changeQuota, deleteQuota, findQuota } from './change-quotas.ts'
import { countOnOwner } from './key-owners.ts'
import { quotaLines } from './read-quotas.ts'
import { Quota, QuotaLine, Scope, ScopeId, SetQuota } from './schemas.ts'

const one = '/v1/quotas/{scope_type}/{scope_id}'

const { open, list, get, put, del } = routesOf<Deps>({
  absent: 'quota_scope_not_found',
  permission: 'inference.quotas.write',
  added: true,
  params: { scope_type: Scope, scope_id: ScopeId },
})

export const quotaRoutes = open({
  listQuotas: list(
    '/v1/quotas',
    'List your limits and those of your tenant, with the amounts used',
    {
      description:
        'Your limits are those of the tenant, yours, those of your account if you are a key, and those of the tags that all your calls get. `scope=tenant` lists every limit that is set in the tenant, and requires the permission `inference.quotas.write`.',
      permission: 'inference.operations.create',
      asks_grants: true,
      filters: { scope: Type.Optional(oneOf('own', 'tenant')) },
      item: QuotaLine,
      fails: ['permission_denied'],
    },
    async ({ principal: { id, tenant_id }, query: { scope = 'own' }, grants, list }, deps) => {
      const { kernel } = deps
      if (scope === 'tenant' && !(await grants()).has('inference.quotas.write')) {
        const own =
          'Seeing all limits of the tenant needs inference.quotas.write. Leave `scope` out to see your own.'
        throw lacks('inference.quotas.write', own)
      }
      // A key may read its limits before its first call, and then its owner is written.
      await kernel.db.tx(tx => countOnOwner(tx, deps, tenant_id, id))
      return await page(kernel.db, {
        scope: list,
        row: QuotaLine,
        place: ['scope_type', 'scope_id', 'metric'],
        fetch: (after, n) => quotaLines(kernel, { tenant_id, id, scope }, after, n),
      })
    },
  ),

  getQuota: get(
    one,
    'Get the limits that are set for a principal, a tag or the tenant',
    { reply: Quota },
    async ({ tx, principal, params }) => await findQuota(tx, principal, params),
  ),

  putQuota: put(
    one,
    'Set the limits of a principal, a tag or the tenant',
    {
      description:
        'The calls of API keys count on the limits of their owner too. A limit of a principal or of the tenant that you leave out is that of the platform; a tag has only the limits that you set, from the tokens and the cost of this day on. `tags` are added to all calls of the principal. Only the platform operator sets limits of a tenant above those of the platform.',
      asks_grants: true,
      body: SetQuota,
      reply: Quota,
      fails: ['permission_denied', 'precondition_failed', 'too_many_tags', 'validation_failed'],
    },
    async ({ tx, principal, params, body, grants, request: { headers } }, deps) => {
      const conditions = {
        if_match: headers['if-match'],
        if_none_match: headers['if-none-match'],
      }
      const by = { principal, grants: await grants(), conditions }
      return await changeQuota(tx, deps, by, params, body)
    },
  ),

  deleteQuota: del(
    one,
    'Delete the limits of a principal, a tag or the tenant',
    {
      description:
        'A principal and the tenant have the limits of the platform then, and a tag has none. The tags of the principal go too.',
    },
    async ({ tx, principal, params }) => await deleteQuota(tx, principal, params),
  ),
})
