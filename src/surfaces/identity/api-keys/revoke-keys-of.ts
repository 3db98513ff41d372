/** Revokes the API keys of an account: all, or those in a tenant of which it is no guest any more. */
import { Type } from 'typebox'
import { Id, sql, Version, type Tx } from '#dodeca/kernel'

const Key = Type.Object({ tenant_id: Id, id: Id, version: Version })

export async function revokeKeysOf(
  tx: Tx,
  account_id: string,
  { as_guest_of }: { readonly as_guest_of?: string } = {},
): Promise<void> {
  const where = as_guest_of ?? null
  const revoked = await tx.many(
    Key,
    sql`
      -- any tenant: an account has keys in its own tenant and where it is a guest
      update identity.api_keys k
      set state = 'revoked', revoked_at = kernel.now(), version = k.version + 1
      from identity.accounts a
      where k.account_id = ${account_id} and k.state = 'active' and a.id = k.account_id
        and (${where}::uuid is null or k.tenant_id = ${where}::uuid and a.tenant_id <> k.tenant_id)
      returning k.tenant_id, k.id, k.version`,
  )
  for (const { tenant_id, id: api_key_id, version } of revoked) {
    tx.emit({
      type: 'api_key.revoked',
      tenant_id,
      aggregate_type: 'api_key',
      aggregate_id: api_key_id,
      aggregate_version: version,
      data: { api_key_id, account_id },
    })
  }
}
