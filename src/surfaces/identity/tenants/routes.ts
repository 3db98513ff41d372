/** Routes about tenants, for platform operators. */
import { sql } from '../../../kernel/database/sql.ts'
import { etag } from '../../../kernel/http/etag.ts'
import { page } from '../../../kernel/http/page.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { pageQuery } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { changeTenant, ChangeTenant } from './change-tenant.ts'
import { createTenant, CreateTenant } from './create-tenant.ts'
import { Tenant, tenantColumns, TenantPage } from './find-tenant.ts'

const permission = 'identity.tenants.manage'

export function tenantRoutes(deps: Deps): readonly Route[] {
  return [listRoute(), createRoute(), changeRoute(deps)]
}

function listRoute(): Route {
  return route({
    method: 'GET',
    path: '/v1/tenants',
    name: 'listTenants',
    summary: 'List all tenants, newest first',
    permission,
    added: true,
    query: pageQuery({}),
    replies: { 200: TenantPage },
    handle: async ({ tx, list }) => {
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
  })
}

function createRoute(): Route {
  return route({
    method: 'POST',
    path: '/v1/tenants',
    name: 'createTenant',
    idempotency: 'optional',
    summary: 'Create a tenant',
    sends: ['etag'],
    permission,
    added: true,
    body: CreateTenant,
    replies: { 201: Tenant },
    fails: ['already_exists'],
    handle: async ({ tx, body, principal }) => {
      const tenant = await createTenant(tx, body, principal.id)
      return reply(201, tenant, { etag: etag(tenant.version) })
    },
  })
}

function changeRoute(deps: Deps): Route {
  return route({
    method: 'PATCH',
    path: '/v1/tenants/{tenant_id}',
    name: 'updateTenant',
    summary: 'Change, disable or enable a tenant',
    sends: ['etag'],
    description: 'Disabling ends every session that belongs to the tenant or works in it.',
    permission,
    added: true,
    absent: 'tenant_not_found',
    body: ChangeTenant,
    replies: { 200: Tenant },
    fails: ['tenant_not_found', 'precondition_failed', 'invalid_transition', 'last_operator'],
    handle: async ({ tx, params, body, principal, request }) => {
      const act = { actor: principal.id, if_match: request.headers['if-match'] }
      const tenant = await changeTenant(tx, deps, params.tenant_id, body, act)
      return reply(200, tenant, { etag: etag(tenant.version) })
    },
  })
}
