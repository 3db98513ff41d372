/**
 * Keeps duties apart that one person must not collect by himself: an administrator may give another
 * person any role of the tenant, but cannot give himself a second duty beside one that he has. A
 * key that the account made counts as the account, also a key of the organization.
 */
import { Type } from 'typebox'
import { sql, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { baseOf } from './built-in.ts'
import { holderGrants } from './holder-grants.ts'

type Account = { readonly account_id: string; readonly tenant_id: string }

const Own = Type.Object({ it: Type.Boolean() })
const detail =
  'You hold another duty in this tenant that must stay apart from this one. Let another administrator decide who of you has it, or remove your other duty first.'

/** Runs the assignment. Throws `duty_conflict` if the actor gives himself a second duty by it. */
export async function withDutiesApart<T>(
  reader: Reader,
  deps: Pick<Deps, 'permissions'>,
  { account_id, tenant_id, actor }: Account & { readonly actor: string },
  assign: () => Promise<T>,
): Promise<T> {
  const { it: is_own } = await reader.one(
    Own,
    sql`
      select ${actor}::uuid = ${account_id}::uuid or exists (
        select from identity.api_keys where id = ${actor} and made_by = ${account_id}) as it`,
  )
  if (!is_own) return await assign()
  const before = await dutiesOf(reader, deps, { account_id, tenant_id })
  const assigned = await assign()
  const after = await dutiesOf(reader, deps, { account_id, tenant_id })
  if (after.size > Math.max(1, before.size)) throw problem('duty_conflict', { detail })
  return assigned
}

async function dutiesOf(
  reader: Reader,
  deps: Pick<Deps, 'permissions'>,
  { account_id: principal_id, tenant_id }: Account,
): Promise<ReadonlySet<string>> {
  const [held = new Set<string>()] = await holderGrants(reader, deps, [{ tenant_id, principal_id }])
  const duties = [...held].map(grant => deps.permissions.get(baseOf(grant))?.duty)
  return new Set(duties.filter(duty => duty !== undefined))
}
