/** Routes to list, define, assign and remove roles. */
import { lacks, pageQuery, reply, routesOf, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { requireTenant } from '../tenants/find-tenant.ts'
import { assignRole, holdAccount, revokeRole, type Assignment } from './assign-role.ts'
import { operator_permission, requireMayGive } from './built-in.ts'
import { withDutiesApart } from './separate-duties.ts'
import { keepAdministrator } from './keep-administrator.ts'
import { defineRole } from './define-role.ts'
import { listRoles } from './list-roles.ts'
import { requireRank } from './require-rank.ts'
import { DefineRole, Role, RoleAt, RoleId, RolePage } from './schemas.ts'

const fails = ['account_not_found', 'role_not_found', 'tenant_not_found', 'permission_denied']

const { open, create, get, put, del } = routesOf<Deps>({
  read: 'identity.roles.read',
  write: 'identity.roles.assign',
  added: true,
  absent: 'account_not_found',
  params: { role_id: RoleId },
})

export const roleRoutes = open({
  listRoles: get(
    '/v1/roles',
    'List the roles that can be assigned here',
    { query: pageQuery({}), reply: RolePage },
    async ({ tx, list }, deps) => {
      const { body, headers } = await listRoles(tx, deps, list)
      return reply(200, body, headers)
    },
  ),

  createRole: create(
    '/v1/roles',
    'Define a role of the tenant',
    {
      idempotency: 'optional',
      description:
        'A role cannot combine permissions that must be held by different people. Built-in roles are fixed.',
      permission: 'identity.roles.define',
      body: DefineRole,
      reply: Role,
      fails: [
        'already_exists',
        'duty_conflict',
        'permission_denied',
        'quota_exceeded',
        'unknown_permission',
      ],
    },
    async ({ tx, body, principal, grants }, deps) => {
      const { id, tenant_id } = principal
      return await defineRole(tx, deps, body, { id, tenant_id, grants: await grants() })
    },
  ),

  assignRole: put(
    '/v1/accounts/{account_id}/roles/{role_id}',
    'Assign a role to an account',
    {
      body: RoleAt,
      body_optional: true,
      fails: [...fails, 'duty_conflict'],
    },
    async ({ tx, params, body, principal, grants, request }, deps) => {
      const assignment = await meant(tx, deps, { ...params, ...body }, principal, await grants())
      const { id: actor } = principal
      await withDutiesApart(tx, deps, { ...assignment, actor }, () =>
        assignRole(tx, deps, assignment, { actor, seen: request }),
      )
    },
  ),

  removeRole: del(
    '/v1/accounts/{account_id}/roles/{role_id}',
    'Remove a role from an account',
    {
      body: RoleAt,
      body_optional: true,
      fails: [...fails, 'last_operator', 'last_administrator'],
    },
    async ({ tx, params, body, principal, grants, request }, deps) => {
      const held = await grants()
      const assignment = await meant(tx, deps, { ...params, ...body }, principal, held)
      const { account_id } = assignment
      await requireRank(tx, { account_id, principal, grants: held })
      const check = await keepAdministrator(tx, deps, { account_id, principal, grants: held })
      await revokeRole(tx, deps, assignment, { actor: principal.id, seen: request })
      await check()
    },
  ),
})

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
