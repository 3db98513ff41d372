/** The invitations of a person: those to the address that the account has proven. */
import { page, sql, type List, type Principal, type Reader, type Sql } from '#dodeca/kernel'
import { requirePerson } from '../require-person.ts'
import { requireOwnSession } from '../sessions/require-own-session.ts'
import { MyInvitation, stateOf } from './invitation-row.ts'

export const my_columns = sql`t.id, t.role_ids, ${stateOf} as state, t.expires_at, t.created_at,
  t.tenant_id, o.slug, o.name`

/** Invitations `t` of active organizations `o` to the proven address of the account. */
export function ofAccount(account_id: string): Sql {
  return sql`
    identity.accounts a
    -- any tenant: a person is invited by others
    join identity.invitations t on t.email_normalized = a.email_normalized
    join identity.tenants o on o.id = t.tenant_id and o.state = 'active'
    where a.id = ${account_id} and a.status = 'active' and a.verified_at is not null`
}

export function pendingOf(account_id: string, after: string | null, n: number): Sql {
  return sql`
    select ${my_columns} from ${ofAccount(account_id)}
      and t.state = 'pending' and t.expires_at > kernel.now()
      and (${after}::uuid is null or t.id < ${after}::uuid)
    order by t.id desc
    limit ${n}`
}

export async function listMyInvitations(reader: Reader, principal: Principal, list: List) {
  requirePerson(principal)
  await requireOwnSession(reader, principal)
  return await page(reader, {
    scope: list,
    row: MyInvitation,
    place: ['id'],
    fetch: ({ id }, n) => pendingOf(principal.id, id, n),
  })
}
