/** Revokes the API keys of an account: all, or those in a tenant of which it is no guest any more. */
import { Type } from 'typebox'
import { Id, nullable, sql, Version, type Sql, type Tx } from '#dodeca/kernel'
import { holdsRole } from '../sessions/revoke-sessions.ts'

const Key = Type.Object({ tenant_id: Id, id: Id, account_id: nullable(Id), version: Version })

export async function revokeKeysOf(tx: Tx, account_id: string): Promise<void> {
  // any tenant: an account has keys in its own tenant and where it is a guest
  await revokeKeys(tx, sql`s.account_id = ${account_id}`)
}

/** Those of accounts that are at home elsewhere and have no role left in the tenant. */
export async function revokeKeysOfGuests(
  tx: Tx,
  tenant_id: string,
  account_ids: readonly string[],
): Promise<void> {
  await revokeKeys(
    tx,
    sql`s.tenant_id = ${tenant_id} and s.account_id = any(${account_ids}::uuid[])
      and not ${holdsRole(tenant_id)} and not exists (select from identity.accounts a
        where a.tenant_id = s.tenant_id and a.id = s.account_id)`,
  )
}

/** Of the keys `s` that it names, those that are active. Returns how many there were. */
export async function revokeKeys(tx: Tx, which: Sql): Promise<number> {
  const revoked = await tx.many(
    Key,
    sql`
      -- any tenant: the callers above have chosen the keys
      update identity.api_keys s
      set state = 'revoked', revoked_at = kernel.now(), version = s.version + 1
      where ${which} and s.state = 'active'
      returning s.tenant_id, s.id, s.account_id, s.version`,
  )
  for (const { tenant_id, id: api_key_id, account_id, version } of revoked) {
    tx.emit({
      type: 'api_key.revoked',
      tenant_id,
      aggregate_type: 'api_key',
      aggregate_id: api_key_id,
      aggregate_version: version,
      data: { api_key_id, account_id },
    })
  }
  return revoked.length
}
