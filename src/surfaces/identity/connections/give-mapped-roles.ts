/**
 * Gives the roles that the claims of a login map to, as far as the connection's editor may still give
 * them. It takes no role away. A role of the platform is never given, and no editor gets one by the own map.
 */
import { Problem, sql, type Tx } from '#dodeca/kernel'
import { Type } from 'typebox'
import type { Deps } from '../deps.ts'
import { assignRole } from '../roles/assign-role.ts'
import { mayGive } from '../roles/built-in.ts'
import { mayStillGive } from '../roles/confirm-roles.ts'
import type { AccountRow } from '../schemas.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { issuerOf } from './connection.ts'
import type { Said } from './said-by.ts'

const Map = Type.Object({
  tenant_id: Type.String(),
  editor_id: Type.String(),
  role_ids: Type.Array(Type.String()),
})
const nothing: ReadonlySet<string> = new Set()

export async function giveMappedRoles(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'permissions'>,
  account: Pick<AccountRow, 'id'>,
  { connection_id, role_ids }: Said,
  seen: Seen,
): Promise<void> {
  if (connection_id === null || role_ids.length === 0) return
  // The roles that it maps to by now, and that the account has not.
  const map = await tx.maybe(
    Map,
    sql`
      select c.tenant_id, c.editor_id,
        array(select m ->> 'role_id' from jsonb_array_elements(c.role_map) m
          where m ->> 'role_id' = any(${role_ids})
            and not exists (select from identity.role_assignments r
              where r.tenant_id = c.tenant_id and r.account_id = ${account.id}
                and r.role_id = m ->> 'role_id')
          order by 1) as role_ids
      from identity.connections c
      where c.id = ${connection_id} and c.state = 'active' and c.deleted_at is null`,
  )
  if (!map || map.editor_id === account.id) return
  const { tenant_id } = map
  for (const role_id of new Set(map.role_ids)) {
    const role = { tenant_id, role_id }
    const may =
      (await mayGive(tx, deps, nothing, role)) &&
      (await mayStillGive(tx, deps, map.editor_id, role))
    if (!may) continue
    const assignment = { account_id: account.id, ...role }
    const act = { actor: issuerOf(connection_id), seen }
    await assignRole(tx, deps, assignment, act).catch((error: unknown) => {
      // The role was deleted since: the person logs in without it.
      if (!(error instanceof Problem) || error.code !== 'role_not_found') throw error
    })
  }
}
