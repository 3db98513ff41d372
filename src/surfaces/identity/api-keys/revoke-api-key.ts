/** Revokes an API key, by its owner, the key itself, or an administrator of the tenant's keys. */
import { Type } from 'typebox'
import { Id, nullable, sql, Version, type Principal, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { requireRank } from '../roles/require-rank.ts'
import { recordSecurityEvent, type Seen } from '../security-events/record-security-event.ts'

export const manage_any = 'identity.api_keys.manage_any'
const Found = Type.Object({ account_id: nullable(Id) })
const Revoked = Type.Object({ account_id: nullable(Id), version: Version })

type Caller = { readonly principal: Principal; readonly grants: ReadonlySet<string> }

export async function revokeApiKey(
  tx: Tx,
  id: string,
  { principal, grants }: Caller,
  seen: Seen,
): Promise<void> {
  const { tenant_id, id: actor } = principal
  const whose = sql`tenant_id = ${tenant_id} and id = ${id}
    and (${grants.has(manage_any)} or account_id = ${actor} or id = ${actor})`
  const revoked = await tx.maybe(
    Revoked,
    sql`
      update identity.api_keys
      set state = 'revoked', revoked_at = kernel.now(), version = version + 1
      where ${whose} and state <> 'revoked'
      returning account_id, version`,
  )
  if (!revoked) {
    const found = await tx.maybe(
      Found,
      sql`select account_id from identity.api_keys where ${whose}`,
    )
    if (found) return
    throw problem('api_key_not_found')
  }
  const { account_id, version } = revoked
  if (id !== actor && account_id !== null) await requireRank(tx, { account_id, principal, grants })
  tx.emit({
    type: 'api_key.revoked',
    tenant_id,
    aggregate_type: 'api_key',
    aggregate_id: id,
    aggregate_version: version,
    data: { api_key_id: id, account_id },
  })
  await recordSecurityEvent(tx, { tenant_id, account_id, action: 'api_key.revoked', actor, seen })
  tx.audit('identity.api_keys.revoke', id)
}
