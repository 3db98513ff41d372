/** Announces that the data of an account has changed. The event says neither what nor by whom. */
import type { Tx } from '#dodeca/kernel'
import type { AccountRow } from '../schemas.ts'

/** The caller has locked the row and increased its version. */
export function announceChanged(
  tx: Tx,
  { id, tenant_id, version }: Pick<AccountRow, 'id' | 'tenant_id' | 'version'>,
): void {
  tx.emit({
    type: 'account.changed',
    tenant_id,
    aggregate_type: 'account',
    aggregate_id: id,
    aggregate_version: version,
    data: { account_id: id },
  })
}
