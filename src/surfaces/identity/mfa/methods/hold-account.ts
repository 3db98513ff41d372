/**
 * Takes the account's row lock before its factors change, so that concurrent changes see each
 * other.
 */
import { Type } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../../deps.ts'
import { problem } from '../../errors.ts'
import { accountColumns } from '../../accounts/find-account.ts'
import { AccountRow } from '../../schemas.ts'
import { requireOwnSession } from '../../sessions/require-own-session.ts'
import { requireStepUp } from '../../step-up.ts'
import type { Session } from '../holder.ts'

export type Held = {
  readonly account: AccountRow
  /** The number of active factors. */
  readonly active: number
}

const Row = Type.Object({ ...AccountRow.properties, active: Type.Integer() })

/**
 * While a factor is active, changing factors requires step-up, so that a person at an unlocked
 * browser cannot replace it.
 */
export async function holdAccount(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  principal: Session,
): Promise<Held> {
  await requireOwnSession(tx, principal)
  const held = await tx.maybe(
    AccountRow,
    sql`
      select ${accountColumns} from identity.accounts
      where id = ${principal.id} and status = 'active' for update`,
  )
  if (!held) throw problem('permission_denied')
  // Counts in a second statement. A statement that waits for the lock would return the count from
  // before the wait.
  const { active, ...account } = await tx.one(
    Row,
    sql`
      select ${accountColumns}, (select count(*)::int from identity.mfa_methods m
        where m.account_id = a.id and m.status = 'active') as active
      from identity.accounts a where id = ${principal.id}`,
  )
  if (active > 0) await requireStepUp(tx, kernel, principal)
  return { account, active }
}
