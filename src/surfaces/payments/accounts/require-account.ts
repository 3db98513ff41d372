/** Holds the state of a tenant's own account until the commit of what needs it. */
import { Type } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'

const State = Type.Object({ state: Type.String() })

/** `active` for a new authorization, `open` also while the account is closing. */
export async function requireAccount(
  tx: Tx,
  { tenant_id, id }: { readonly tenant_id: string; readonly id: string },
  wanted: 'active' | 'open',
): Promise<void> {
  const account = await tx.maybe(
    State,
    sql`
      select state from payments.payment_accounts
      where tenant_id = ${tenant_id} and id = ${id} for share`,
  )
  const states = wanted === 'active' ? ['active'] : ['active', 'closing']
  if (!account || !states.includes(account.state)) throw problem('payment_account_closed')
}
