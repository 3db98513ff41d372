/**
 * Assigns and removes roles. The account's row is locked, so that a role cannot be assigned to an
 * account that is being erased. If two equal requests arrive, the primary key lets only one change
 * a row, and only that request emits the event.
 */
import { Type } from 'typebox'
import { Id, sql, type Tx } from '#dodeca/kernel'
import { raiseAccountVersion } from '../accounts/find-account.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { recordSecurityEvent, type Act } from '../security-events/record-security-event.ts'
import { revokeSessions } from '../sessions/revoke-sessions.ts'
import { revokeKeysOf } from '../api-keys/revoke-keys-of.ts'
import { builtInRoles } from './built-in.ts'
import { keepOperator, operator_role } from './keep-operator.ts'

export type Assignment = {
  readonly account_id: string
  /** The tenant in which the role counts. */
  readonly tenant_id: string
  readonly role_id: string
}

/** The role of a guest who is a member and nothing else. At home everybody is one without a row. */
export const member_role = 'member'

const Held = Type.Object({ tenant_id: Id })
const Exists = Type.Object({ it: Type.Boolean() })

/** Returns false if the account already has the role. */
export async function assignRole(
  tx: Tx,
  deps: Pick<Deps, 'permissions'>,
  assignment: Assignment,
  act: Act,
): Promise<boolean> {
  const { account_id, tenant_id, role_id } = assignment
  await requireRole(tx, deps, assignment)
  const made = await tx.run(sql`
    insert into identity.role_assignments (account_id, tenant_id, role_id, assigned_by)
    values (${account_id}, ${tenant_id}, ${role_id}, ${act.actor})
    on conflict do nothing`)
  if (made === 0) return false
  await announce(tx, 'assigned', assignment, act)
  return true
}

/**
 * Returns false if the account does not have the role. In a tenant that is not its own, an account
 * is a member only while it has a role there. So removing the last role ends every session and API
 * key that the account has there as a guest.
 */
export async function revokeRole(
  tx: Tx,
  deps: Pick<Deps, 'permissions' | 'kernel' | 'denied'>,
  assignment: Assignment,
  act: Act,
): Promise<boolean> {
  const { account_id, tenant_id, role_id } = assignment
  const gone = await tx.run(sql`
    delete from identity.role_assignments
    where tenant_id = ${tenant_id} and account_id = ${account_id} and role_id = ${role_id}`)
  if (gone === 0) {
    await requireRole(tx, deps, assignment)
    return false
  }
  if (role_id === operator_role) await keepOperator(tx)
  await announce(tx, 'revoked', assignment, act)
  const left = await tx.maybe(
    Held,
    sql`
      select tenant_id from identity.role_assignments
      where tenant_id = ${tenant_id} and account_id = ${account_id} limit 1`,
  )
  if (!left) {
    const guest = { account_id, guest_of: tenant_id }
    await revokeSessions(tx, deps, guest, 'membership_ended', act)
    await revokeKeysOf(tx, account_id, { as_guest_of: tenant_id })
  }
  return true
}

/**
 * Locks the account's row. The account must be a member of the tenant `within`: it is the account's
 * own tenant, or the account has a role there. That is read after the lock, because whoever ends the
 * membership holds the same lock.
 */
export async function holdAccount(tx: Tx, id: string, within: string | null): Promise<void> {
  await tx.run(sql`select from identity.accounts where id = ${id} for no key update`)
  const held = await tx.maybe(
    Held,
    sql`
      select a.tenant_id from identity.accounts a
      where a.id = ${id} and a.status <> 'deleted'
        and (${within}::uuid is null or a.tenant_id = ${within}::uuid
          or exists (select from identity.role_assignments r
            where r.tenant_id = ${within}::uuid and r.account_id = a.id))`,
  )
  if (!held) throw problem('account_not_found')
}

/** Throws unless the tenant has such a role. */
export async function requireRole(
  tx: Pick<Tx, 'one'>,
  { permissions }: Pick<Deps, 'permissions'>,
  { tenant_id, role_id }: Pick<Assignment, 'tenant_id' | 'role_id'>,
): Promise<void> {
  if (role_id === member_role || builtInRoles(permissions).includes(role_id)) return
  const { it } = await tx.one(
    Exists,
    sql`
      select exists (select from identity.roles
        where tenant_id = ${tenant_id} and role_id = ${role_id}) as it`,
  )
  if (!it) throw problem('role_not_found')
}

async function announce(
  tx: Tx,
  what: 'assigned' | 'revoked',
  { account_id, tenant_id, role_id }: Assignment,
  { actor, seen }: Act,
): Promise<void> {
  const type = `role.${what}`
  tx.emit({
    type,
    tenant_id,
    aggregate_type: 'account',
    aggregate_id: account_id,
    aggregate_version: await raiseAccountVersion(tx, account_id),
    data: { account_id, tenant_id, role_id, actor },
  })
  await recordSecurityEvent(tx, {
    tenant_id,
    account_id,
    action: type,
    actor,
    reason: role_id,
    ...(seen ? { seen } : {}),
  })
  tx.audit(
    `identity.roles.${what === 'assigned' ? 'assign' : 'revoke'}`,
    `${account_id}/${role_id}`,
    { by: { tenant_id, id: actor } },
  )
}
