/**
 * `dodeca rebuild payments.ledger_balances` counts the sums of all accounts again from their
 * entries, one account in a transaction, while postings go on. The check of the same name finds
 * accounts that need it.
 */
import { Type } from 'typebox'
import { rowsById, sql, type Projection } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'

const Account = Type.Object({ id: Type.String() })
const Count = Type.Object({ total: Type.Integer() })
const portion = 500

export function balancesProjection({ kernel: { db } }: Pick<Deps, 'kernel'>): Projection {
  const accounts = (after: string | null) =>
    db.many(
      Account,
      sql`
        select id from payments.ledger_accounts
        where ${after}::uuid is null or id > ${after}::uuid
        order by id limit ${portion}`,
    )
  return {
    name: 'payments.ledger_balances',
    freshness_ms: 0,
    rebuild: async (progress, signal) => {
      const all = sql`select count(*)::int as total from payments.ledger_accounts`
      const { total } = await db.one(Count, all)
      let done = 0
      for await (const { id } of rowsById(portion, accounts)) {
        signal.throwIfAborted()
        await db.tx(tx => tx.run(sql`select payments.rebuild_balance(${id})`))
        progress(++done, Math.max(done, total))
      }
    },
  }
}
