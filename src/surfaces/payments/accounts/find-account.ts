/** The row of an account, and the event of each of its changes. */
import { columnsOf, sql, type Reader, type Tx } from '#dodeca/kernel'
import { AccountRow } from './schemas.ts'

export const accountColumns = columnsOf(AccountRow, 'a')

/** The open account of this name, or else the one that was closed last. */
export async function findAccount(
  reader: Reader,
  tenant_id: string,
  name: string,
): Promise<AccountRow | undefined> {
  return await reader.maybe(
    AccountRow,
    sql`
      select ${accountColumns} from payments.payment_accounts a
      where a.tenant_id = ${tenant_id} and a.name = ${name}
      order by a.state = 'closed', a.id desc limit 1`,
  )
}

export function announceAccount(tx: Tx, tenant_id: string, row: AccountRow): void {
  const { id, name, provider, state, version } = row
  tx.emit({
    type: 'payment_account.changed',
    tenant_id,
    aggregate_type: 'payment_account',
    aggregate_id: id,
    aggregate_version: version,
    data: { payment_account_id: id, name, provider, state },
  })
}
