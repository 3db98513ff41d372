/**
 * Assigns and removes roles. The account's row is locked, so that a role cannot be assigned to an
 * account that is being erased. If two equal requests arrive, the primary key lets only one change
 * a row, and only that request emits the event.
 */
import { Type } from 'typebox'
import { Id, sql, type Sql, type Tx } from '#dodeca/kernel'
import { raiseAccountVersions } from '../accounts/find-account.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { recordSecurityEvents, type Act } from '../security-events/record-security-event.ts'
import { revokeGuestSessions } from '../sessions/revoke-sessions.ts'
import { revokeKeysOfGuests } from '../api-keys/revoke-keys-of.ts'
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
const Ended = Type.Object({ account_id: Id, tenant_id: Id, role_id: Type.String() })
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
    select id, ${tenant_id}, ${role_id}, ${act.actor} from identity.accounts
    where id = ${account_id} and kind = 'person'
    on conflict do nothing`)
  if (made === 0) {
    await refuseAnonymous(tx, account_id)
    return false
  }
  await announce(tx, 'assigned', [assignment], act)
  return true
}

async function refuseAnonymous(tx: Tx, account_id: string): Promise<void> {
  const { it } = await tx.one(
    Exists,
    sql`
      select exists (select from identity.accounts
        where id = ${account_id} and kind = 'anonymous') as it`,
  )
  const detail =
    'An anonymous account has no roles. Its visitor becomes a person with an address first.'
  if (it) throw problem('permission_denied', { detail })
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
  const ending = sql`tenant_id = ${tenant_id} and account_id = ${account_id}
    and role_id = ${role_id}`
  if ((await endAssignments(tx, deps, tenant_id, ending, act)) === 0) {
    await requireRole(tx, deps, assignment)
    return false
  }
  if (role_id === operator_role) await keepOperator(tx)
  return true
}

/** The same for these roles of all their holders, in as many statements as for one. */
export async function revokeRoles(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'denied'>,
  tenant_id: string,
  role_ids: readonly string[],
  act: Act,
): Promise<void> {
  // In the same order as a change of one assignment: the accounts, then their roles.
  await tx.run(sql`
    -- any tenant: guests of the tenant are at home in others
    select from identity.accounts
    where id in (select account_id from identity.role_assignments
      where tenant_id = ${tenant_id} and role_id = any(${role_ids}))
    order by id for no key update`)
  const ending = sql`tenant_id = ${tenant_id} and role_id = any(${role_ids})`
  await endAssignments(tx, deps, tenant_id, ending, act)
}

/** Returns how many there were. */
async function endAssignments(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'denied'>,
  tenant_id: string,
  ending: Sql,
  act: Act,
): Promise<number> {
  const ended = await tx.many(
    Ended,
    sql`
      delete from identity.role_assignments where ${ending}
      returning account_id, tenant_id, role_id`,
  )
  if (ended.length === 0) return 0
  await announce(tx, 'revoked', ended, act)
  const account_ids = ended.map(one => one.account_id)
  await revokeGuestSessions(tx, deps, { tenant_id, account_ids }, act)
  await revokeKeysOfGuests(tx, tenant_id, account_ids)
  return ended.length
}

/**
 * Locks the account's row. The account must be a member of the tenant `within`: it is the account's
 * own tenant, or the account has a role there. That is read after the lock, because what ends the
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
  assignments: readonly Assignment[],
  { actor, seen }: Act,
): Promise<void> {
  const type = `role.${what}`
  const versions = await raiseAccountVersions(
    tx,
    assignments.map(one => one.account_id),
  )
  for (const [at, { account_id, tenant_id, role_id }] of assignments.entries()) {
    tx.emit({
      type,
      tenant_id,
      aggregate_type: 'account',
      aggregate_id: account_id,
      aggregate_version: versions[at] ?? 0,
      data: { account_id, tenant_id, role_id, actor },
    })
    tx.audit(
      `identity.roles.${what === 'assigned' ? 'assign' : 'revoke'}`,
      `${account_id}/${role_id}`,
      { by: { tenant_id, id: actor } },
    )
  }
  await recordSecurityEvents(
    tx,
    assignments.map(({ tenant_id, account_id, role_id: reason }) => {
      return { tenant_id, account_id, action: type, actor, reason, ...(seen ? { seen } : {}) }
    }),
  )
}
