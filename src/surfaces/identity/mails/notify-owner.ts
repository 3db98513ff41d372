/**
 * Informs the owner of an account that a credential was added or removed, in the transaction of the
 * change.
 */
import type { Tx } from '#dodeca/kernel'
import type { AccountRow } from '../schemas.ts'
import { requestMail, type Template } from './request.ts'

type Owner = Pick<AccountRow, 'id' | 'tenant_id' | 'email' | 'locale'>

export async function notifyOwner(
  tx: Tx,
  { id, tenant_id, email, locale }: Owner,
  template: Template,
): Promise<void> {
  if (email === null) return
  await requestMail(tx, { template, tenant_id, account_id: id, address: email, locale })
}
