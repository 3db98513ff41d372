/** Periodic work for each account that still has credentials: the platform's and the tenants'. */
import { Type } from 'typebox'
import { Id, sql } from '#dodeca/kernel'
import { atAccount, type Deps } from '../deps.ts'
import { accountKey } from '../provider/account-key.ts'

const Row = Type.Object({ id: Id, provider: Type.String() })
const page_size = 100
const at_once = 8

/** What fails for one account is logged, and the others go on. */
export async function forEachAccount(
  deps: Deps,
  signal: AbortSignal,
  work: (at: Deps) => Promise<void>,
): Promise<void> {
  const { kernel } = deps
  // The platform's own failure is that of the loop, which reports it.
  const platform = deps.providers.platform.map(provider => work({ ...deps, provider }))
  const of_platform = Promise.allSettled(platform)
  for (let after: string | null = null; ;) {
    const rows: { id: string; provider: string }[] = await kernel.db.many(
      Row,
      sql`
        -- any tenant: the accounts of all of them
        select id, provider from payments.payment_accounts
        where sealed is not null and (${after}::uuid is null or id > ${after}::uuid)
        order by id limit ${page_size}`,
    )
    const waiting = [...rows]
    const lane = async () => {
      for (let row = waiting.shift(); row && !signal.aborted; row = waiting.shift()) {
        try {
          const at = await atAccount(deps, accountKey(row))
          if (at) await work(at)
        } catch (error) {
          kernel.log.warn({ err: error, payment_account_id: row.id }, 'an account was left out')
        }
      }
    }
    await Promise.all(Array.from({ length: at_once }, lane))
    after = rows.at(-1)?.id ?? null
    if (rows.length < page_size || signal.aborted) break
  }
  for (const one of await of_platform) if (one.status === 'rejected') throw one.reason
}
