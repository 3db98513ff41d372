/** Replaces the password of an account, or sets the first one. */
import { sql, type Tx } from '#dodeca/kernel'
import { raiseAccountVersion } from '../accounts/find-account.ts'
import type { Deps } from '../deps.ts'
import { recordSecurityEvent, type Seen } from '../security-events/record-security-event.ts'

export type Via = 'change' | 'reset' | 'invite' | 'registration'

/**
 * Takes the credential's row lock first. A concurrent login with the old password either waits, or
 * its session is ended.
 */
export async function storePassword(
  tx: Tx,
  { hasher }: Pick<Deps, 'hasher'>,
  { id, tenant_id }: { readonly id: string; readonly tenant_id: string },
  encoded: string,
  via: Via,
  seen: Seen,
): Promise<void> {
  await tx.run(sql`
    insert into identity.credentials (tenant_id, account_id, password_hash)
    values (${tenant_id}, ${id}, ${hasher.seal(encoded, { table: 'identity.credentials', id })})
    on conflict (account_id) do update
      set password_hash = excluded.password_hash, password_changed_at = kernel.now()`)
  tx.emit({
    type: 'password.changed',
    tenant_id,
    aggregate_type: 'account',
    aggregate_id: id,
    aggregate_version: await raiseAccountVersion(tx, id),
    data: { account_id: id, via },
  })
  await recordSecurityEvent(tx, {
    tenant_id,
    account_id: id,
    action: 'password.changed',
    actor: id,
    seen,
    method: via,
  })
}
