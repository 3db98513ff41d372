/** Routes about tenants, for platform operators. */
import { page, pageQuery, reply, routesOf, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { changeTenant, ChangeTenant } from './change-tenant.ts'
import { createTenant, CreateTenant } from './create-tenant.ts'
import { Tenant, tenantColumns, TenantPage } from './find-tenant.ts'

const permission = 'identity.tenants.manage'

const { open, create, get, patch } = routesOf<Deps>({ permission, added: true })

export const tenantRoutes = open({
  listTenants: get(
    '/v1/tenants',
    'List all tenants, newest first',
    { query: pageQuery({}), reply: TenantPage },
    async ({ tx, list }) => {
      const { body, headers } = await page(tx, {
        scope: list,
        row: Tenant,
        place: ['id'],
        fetch: (after, n) => sql`
          select ${tenantColumns} from identity.tenants
          where (${after.id}::uuid is null or id < ${after.id}::uuid)
          order by id desc limit ${n}`,
      })
      return reply(200, body, headers)
    },
  ),

  createTenant: create(
    '/v1/tenants',
    'Create a tenant',
    {
      sends: ['etag'],
      idempotency: 'optional',
      body: CreateTenant,
      reply: Tenant,
      fails: ['already_exists'],
    },
    async ({ tx, body, principal }) => {
      const tenant = await createTenant(tx, body, principal.id)
      return tenant
    },
  ),

  updateTenant: patch(
    '/v1/tenants/{tenant_id}',
    'Change, disable or enable a tenant',
    {
      description: 'Disabling ends every session that belongs to the tenant or works in it.',
      absent: 'tenant_not_found',
      body: ChangeTenant,
      reply: Tenant,
      fails: ['precondition_failed', 'invalid_transition', 'last_operator'],
    },
    async ({ tx, params, body, principal, if_match }, deps) => {
      const act = { actor: principal.id, if_match }
      const tenant = await changeTenant(tx, deps, params.tenant_id, body, act)
      return tenant
    },
  ),
})
