/** Holds the state of a tenant's own account until the commit of what needs it. */
import { Type } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { accountIdOf } from '../provider/account-key.ts'

const State = Type.Object({ state: Type.String() })

/**
 * `active` for a new authorization, `open` also while the account is closing. For a payment of the
 * platform's account nothing is asked.
 */
export async function requireAccount(
  tx: Tx,
  { tenant_id, provider }: { readonly tenant_id: string; readonly provider: string },
  wanted: 'active' | 'open',
): Promise<void> {
  const id = accountIdOf(provider)
  if (id === null) return
  const account = await tx.maybe(
    State,
    sql`
      select state from payments.payment_accounts
      where tenant_id = ${tenant_id} and id = ${id} for share`,
  )
  const states = wanted === 'active' ? ['active'] : ['active', 'closing']
  if (!account || !states.includes(account.state)) throw problem('payment_account_closed')
}
