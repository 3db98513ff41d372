/**
 * Makes sure that each tenant keeps an administrator. The last active account that may assign
 * roles cannot be disabled and cannot lose this right. It can be erased only if the tenant has no
 * other account. A platform operator may do all of this, because it can appoint another
 * administrator. The row of the tenant is locked: if two administrators remove each other at the
 * same time, one request is refused. A disabled tenant needs none, and
 * organizations that members made do not keep the administrators of their home from disabling them.
 */
import { Type } from 'typebox'
import { sql, type Principal, type Reader, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { operator_permission, rolesWith } from './built-in.ts'

const assigns = 'identity.roles.assign'
const Tenant = Type.Object({ id: Type.String() })
const Tenants = Type.Object({ ids: Type.Array(Type.String()) })

export type Change = {
  readonly account_id: string
  readonly principal: Pick<Principal, 'id' | 'tenant_id'>
  /** Of the caller. */
  readonly grants: ReadonlySet<string>
  readonly erases?: true
}

/** Call it before the change. The returned function checks after the change, before its commit. */
export async function keepAdministrator(
  tx: Tx,
  deps: Pick<Deps, 'permissions'>,
  { account_id, principal, grants, erases }: Change,
): Promise<() => Promise<void>> {
  if (grants.has(operator_permission)) return () => Promise.resolve()
  const roles = rolesWith(deps.permissions, assigns)
  const { ids } = await tx.one(
    Tenants,
    sql`
      select coalesce(array_agg(distinct r.tenant_id), '{}') as ids
      from identity.role_assignments r
      join identity.tenants t on t.id = r.tenant_id and t.state = 'active'
      where r.account_id = ${account_id} and ${administers(roles)}
        and (t.trusted or t.id = ${principal.tenant_id} or ${account_id === principal.id})`,
  )
  return async () => {
    if (ids.length === 0) return
    await tx.run(sql`
      select from identity.tenants where id = any(${ids}::uuid[]) order by id for no key update`)
    if (await isOrphaned(tx, ids, roles, erases === true)) throw problem('last_administrator')
  }
}

async function isOrphaned(
  reader: Reader,
  tenant_ids: readonly string[],
  roles: readonly string[],
  may_be_empty: boolean,
): Promise<boolean> {
  const orphaned = await reader.maybe(
    Tenant,
    sql`
      select t.id from unnest(${tenant_ids}::uuid[]) t (id)
      where not exists (select from identity.role_assignments r
          join identity.accounts a on a.id = r.account_id and a.status = 'active'
          where r.tenant_id = t.id and ${administers(roles)})
        and (not ${may_be_empty} or exists (select from identity.accounts a
            where a.tenant_id = t.id and a.status <> 'deleted')
          or exists (select from identity.role_assignments r where r.tenant_id = t.id))
      limit 1`,
  )
  return orphaned !== undefined
}

/** Whether the role of the row `r` may assign roles. */
function administers(roles: readonly string[]) {
  return sql`(r.role_id = any(${roles}) or exists (select from identity.role_permissions p
    where p.tenant_id = r.tenant_id and p.role_id = r.role_id and p.permission = ${assigns}))`
}
