/**
 * The account at which a request is paid: that of its live payment, or else the one that a new payment
 * of the tenant gets. A token of a page is only known to the account for which the page made it.
 */
import { atAccount, type Deps } from '../deps.ts'
import { findIntent } from '../operations/rows.ts'
import type { RequestRow } from './request-row.ts'

/** Undefined if the account was closed meanwhile. */
export async function accountOf(
  deps: Deps,
  { tenant_id, intent_id }: Pick<RequestRow, 'tenant_id' | 'intent_id'>,
): Promise<Deps | undefined> {
  const { db } = deps.kernel
  const intent = intent_id === null ? undefined : await findIntent(db, { tenant_id, id: intent_id })
  const live = intent?.state === 'cancelled' ? undefined : intent?.provider
  return await atAccount(deps, live ?? (await deps.providers.usual(db, tenant_id)))
}
