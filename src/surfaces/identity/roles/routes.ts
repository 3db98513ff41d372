/** Routes to list, define, assign and remove roles. */
import { lacks } from '../../../kernel/access/permission-denied.ts'
import type { Tx } from '../../../kernel/database/db.ts'
import type { Principal } from '../../../kernel/access/principal.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { pageQuery } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { requireTenant } from '../tenants/find-tenant.ts'
import { assignRole, holdAccount, revokeRole, type Assignment } from './assign-role.ts'
import { operator_permission, requireMayGive } from './built-in.ts'
import { withDutiesApart } from './separate-duties.ts'
import { keepAdministrator } from './keep-administrator.ts'
import { defineRole } from './define-role.ts'
import { listRoles } from './list-roles.ts'
import { DefineRole, Role, RoleAt, RoleId, RolePage } from './schemas.ts'

export function roleRoutes(deps: Deps): readonly Route[] {
  return [listRoute(deps), defineRoute(deps), assignRoute(deps), revokeRoute(deps)]
}

function listRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/roles',
    name: 'listRoles',
    summary: 'List the roles that can be assigned here',
    permission: 'identity.roles.read',
    added: true,
    query: pageQuery({}),
    replies: { 200: RolePage },
    handle: async ({ tx, list }) => {
      const { body, headers } = await listRoles(tx, deps, list)
      return reply(200, body, headers)
    },
  })
}

function defineRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/roles',
    name: 'createRole',
    idempotency: 'optional',
    summary: 'Define a role of the tenant',
    description:
      'A role cannot combine permissions that must be held by different people. Built-in roles are fixed.',
    permission: 'identity.roles.define',
    added: true,
    body: DefineRole,
    replies: { 201: Role },
    fails: [
      'already_exists',
      'duty_conflict',
      'permission_denied',
      'quota_exceeded',
      'unknown_permission',
    ],
    handle: async ({ tx, body, principal, grants }) => {
      const { id, tenant_id } = principal
      return reply(201, await defineRole(tx, deps, body, { id, tenant_id, grants: await grants() }))
    },
  })
}

const fails = ['account_not_found', 'role_not_found', 'tenant_not_found', 'permission_denied']

function assignRoute(deps: Deps): Route {
  return route({
    method: 'PUT',
    path: '/v1/accounts/{account_id}/roles/{role_id}',
    name: 'assignRole',
    summary: 'Assign a role to an account',
    permission: 'identity.roles.assign',
    added: true,
    params: { role_id: RoleId },
    absent: 'account_not_found',
    body: RoleAt,
    body_optional: true,
    replies: { 204: null },
    fails: [...fails, 'duty_conflict'],
    handle: async ({ tx, params, body, principal, grants, request }) => {
      const assignment = await meant(tx, deps, { ...params, ...body }, principal, await grants())
      const { id: actor } = principal
      await withDutiesApart(tx, deps, { ...assignment, actor }, () =>
        assignRole(tx, deps, assignment, { actor, seen: request }),
      )
      return reply(204, null)
    },
  })
}

function revokeRoute(deps: Deps): Route {
  return route({
    method: 'DELETE',
    path: '/v1/accounts/{account_id}/roles/{role_id}',
    name: 'removeRole',
    summary: 'Remove a role from an account',
    permission: 'identity.roles.assign',
    added: true,
    params: { role_id: RoleId },
    absent: 'account_not_found',
    body: RoleAt,
    body_optional: true,
    replies: { 204: null },
    fails: [...fails, 'last_operator', 'last_administrator'],
    handle: async ({ tx, params, body, principal, grants, request }) => {
      const held = await grants()
      const assignment = await meant(tx, deps, { ...params, ...body }, principal, held)
      const { account_id } = assignment
      const check = await keepAdministrator(tx, deps, { account_id, grants: held })
      await revokeRole(tx, deps, assignment, { actor: principal.id, seen: request })
      await check()
      return reply(204, null)
    },
  })
}

type Named = { account_id: string; role_id: string; tenant_id?: string }

/**
 * Locks the account's row, checks that the caller may assign the role, and assigns it. A platform
 * operator may name the tenant, and then any account.
 */
async function meant(
  tx: Tx,
  deps: Deps,
  { account_id, role_id, tenant_id }: Named,
  principal: Principal,
  grants: ReadonlySet<string>,
): Promise<Assignment> {
  const operates = tenant_id !== undefined && grants.has(operator_permission)
  const where = tenant_id ?? principal.tenant_id
  if (where !== principal.tenant_id && !operates) throw lacks(operator_permission)
  if (operates) await requireTenant(tx, where)
  await requireMayGive(tx, deps, grants, { tenant_id: where, role_id })
  await holdAccount(tx, account_id, operates ? null : where)
  return { account_id, role_id, tenant_id: where }
}
