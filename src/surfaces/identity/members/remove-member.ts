/**
 * Ends the membership of a guest: all its roles here, and with them its sessions and API keys here, in
 * one commit. Guests may leave by themselves. Accounts that belong to the organization are disabled
 * or erased instead.
 */
import { Type } from 'typebox'
import { lacks, sql, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { holdAccount, revokeRole } from '../roles/assign-role.ts'
import { requireMayGive } from '../roles/built-in.ts'
import { keepAdministrator } from '../roles/keep-administrator.ts'
import { requireRank } from '../roles/require-rank.ts'
import type { Seen } from '../security-events/record-security-event.ts'

const assigns = 'identity.roles.assign'
const at_home =
  'The account belongs to this organization. Disable it with `PATCH /v1/accounts/{account_id}`, or erase it with `DELETE`.'

const Held = Type.Object({ home: Type.Boolean(), role_ids: Type.Array(Type.String()) })

type Caller = {
  readonly principal: Pick<Principal, 'id' | 'tenant_id' | 'kind'>
  readonly grants: ReadonlySet<string>
}

export async function removeMember(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'permissions' | 'denied'>,
  account_id: string,
  { principal, grants }: Caller,
  seen: Seen,
): Promise<void> {
  const { tenant_id, id: actor } = principal
  const leaves = principal.kind === 'account' && actor === account_id
  if (!leaves && !grants.has(assigns)) throw lacks(assigns)
  if (await hasLeft(tx, tenant_id, account_id)) return
  await holdAccount(tx, account_id, tenant_id)
  await requireRank(tx, { account_id, principal, grants })
  const { home, role_ids } = await tx.one(
    Held,
    sql`
      select a.tenant_id = ${tenant_id} as home,
        array(select r.role_id from identity.role_assignments r
          where r.tenant_id = ${tenant_id} and r.account_id = a.id order by r.role_id) as role_ids
      from identity.accounts a where a.id = ${account_id}`,
  )
  if (home) throw problem('invalid_transition', { detail: at_home })
  const check = await keepAdministrator(tx, deps, { account_id, principal, grants })
  for (const role_id of role_ids) {
    const assignment = { account_id, tenant_id, role_id }
    if (!leaves) await requireMayGive(tx, deps, grants, assignment)
    await revokeRole(tx, deps, assignment, { actor, seen })
  }
  await check()
  tx.audit('identity.members.remove', account_id, { by: { tenant_id, id: actor } })
}

const Left = Type.Object({ it: Type.Boolean() })

/** A guest whose roles here were removed before, so that a repeated request succeeds. */
async function hasLeft(tx: Tx, tenant_id: string, account_id: string): Promise<boolean> {
  const { it } = await tx.one(
    Left,
    sql`
      select exists (select from identity.security_events
          where tenant_id = ${tenant_id} and account_id = ${account_id}
            and action = 'role.revoked')
        and not exists (select from identity.role_assignments
          where tenant_id = ${tenant_id} and account_id = ${account_id})
        and not exists (select from identity.accounts
          where tenant_id = ${tenant_id} and id = ${account_id}) as it`,
  )
  return it
}
