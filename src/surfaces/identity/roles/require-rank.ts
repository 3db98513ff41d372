/**
 * Who may not take the role of a platform operator may not end its holder's access in any other way:
 * disable or erase the account, remove one of its roles, end its sessions, revoke its API keys, or
 * change where its notifications go. Every use case that acts on another account calls this first.
 */
import { Type } from 'typebox'
import { lacks, sql, type Reader } from '#dodeca/kernel'
import type { ActOn } from '../face.ts'
import { operator_permission } from './built-in.ts'
import { operator_role } from './keep-operator.ts'

const Answer = Type.Object({ it: Type.Boolean() })

export async function requireRank(reader: Reader, act: ActOn): Promise<void> {
  if (!(await hasRank(reader, act))) throw lacks(operator_permission)
}

export async function hasRank(
  reader: Reader,
  { account_id, principal, grants }: ActOn,
): Promise<boolean> {
  if (account_id === principal.id || grants.has(operator_permission)) return true
  return !(await isOperator(reader, account_id))
}

export async function isOperator(reader: Reader, account_id: string): Promise<boolean> {
  const { it } = await reader.one(
    Answer,
    sql`
      -- any tenant: an operator is one wherever the role was assigned
      select exists (select from identity.role_assignments r
        where r.account_id = ${account_id} and (r.role_id = ${operator_role}
          or exists (select from identity.role_permissions p
            where p.tenant_id = r.tenant_id and p.role_id = r.role_id
              and p.permission = ${operator_permission}))) as it`,
  )
  return it
}
