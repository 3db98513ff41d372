/**
 * The accounts at which a request can be paid, one for each provider: that of its live payment, and
 * those that are offered to its tenant, or the one that its merchant chose. A token of a page is only known to the account for which the
 * page made it.
 */
import { atAccount, type Deps } from '../deps.ts'
import { canTake } from '../money/read-amount.ts'
import { findIntent } from '../operations/rows.ts'
import { vendorOf } from '../provider/account-key.ts'
import type { RequestRow } from './request-row.ts'

type Asked = Pick<RequestRow, 'tenant_id' | 'intent_id' | 'amount_minor' | 'currency' | 'account'>

/** Without accounts that were closed meanwhile, or that cannot take the amount. */
export async function accountsOf(deps: Deps, asked: Asked): Promise<readonly Deps[]> {
  const { db } = deps.kernel
  const { tenant_id, intent_id, amount_minor, currency, account } = asked
  const intent = intent_id === null ? undefined : await findIntent(db, { tenant_id, id: intent_id })
  const all = account === null ? await deps.providers.offered(db, tenant_id) : [{ key: account }]
  const live = intent === undefined || intent.state === 'cancelled' ? null : intent.provider
  const same = (key: string) => live !== null && vendorOf(key) === vendorOf(live)
  const keys = all.map(({ key }) => (live !== null && same(key) ? live : key))
  if (live !== null && !keys.includes(live)) keys.push(live)
  const found: Deps[] = []
  for (const key of keys) {
    const at = await atAccount(deps, key)
    if (at && canTake(key, amount_minor ?? whole_minor, currency)) found.push(at)
  }
  return found
}

/** Where the payer says the amount: every provider of the currency takes this one. */
const whole_minor = 10_000

/** Whether a page can be shown on which this is paid. */
export async function isPayable(deps: Deps, asked: Asked): Promise<boolean> {
  const accounts = await accountsOf(deps, asked)
  for (const { provider } of accounts) if (await provider.browser?.()) return true
  return false
}
