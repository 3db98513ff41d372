/** Routes about tenants, for platform operators. */
import { begins, looked, routesOf } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { changeTenant, ChangeTenant } from './change-tenant.ts'
import { createTenant, CreateTenant } from './create-tenant.ts'
import { theme_body_bytes } from '../pages/theme.ts'
import { refusals } from '../login-policy/policy.ts'
import { Tenant, TenantDetails, TenantState } from './find-tenant.ts'

const permission = 'identity.tenants.manage'

const { open, create, list, patch } = routesOf<Deps>({ permission, added: true })

export const tenantRoutes = open({
  listTenants: list('/v1/tenants', 'List all tenants, newest first', {
    from: 'identity.tenants',
    of_platform: true,
    row: Tenant,
    time: 'column',
    filters: { state: looked(TenantState) },
    find: [begins('slug'), begins('name')],
  }),

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
      description:
        'Disabling ends every session that belongs to the tenant or works in it. A tenant that is no longer `trusted` loses the roles that spend money or call models.',
      absent: 'tenant_not_found',
      body: ChangeTenant,
      body_limit_bytes: theme_body_bytes,
      reply: TenantDetails,
      fails: [
        'precondition_failed',
        'invalid_transition',
        'last_operator',
        'step_up_required',
        ...refusals,
      ],
    },
    async ({ tx, params, body, principal, if_match }, deps) => {
      const act = { actor: principal.id, if_match, principal }
      const tenant = await changeTenant(tx, deps, params.tenant_id, body, act)
      return tenant
    },
  ),
})
