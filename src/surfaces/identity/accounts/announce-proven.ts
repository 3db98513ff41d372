/** Announces and records that the mailbox of an account is proven; the caller has set `verified_at`. */
import type { Tx } from '../../../kernel/database/db.ts'
import type { AccountRow } from '../schemas.ts'
import { recordSecurityEvent, type Seen } from '../security/record.ts'
import { raiseAccountVersion } from './find.ts'

export async function announceProven(
  tx: Tx,
  { id, tenant_id }: Pick<AccountRow, 'id' | 'tenant_id'>,
  seen: Seen,
): Promise<void> {
  tx.emit({
    type: 'account.verified',
    tenant_id,
    aggregate_type: 'account',
    aggregate_id: id,
    aggregate_version: await raiseAccountVersion(tx, id),
    data: { account_id: id },
  })
  const about = { tenant_id, account_id: id, actor: id, seen }
  await recordSecurityEvent(tx, { ...about, action: 'account.verified' })
}
