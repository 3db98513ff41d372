/** Compares the provider's refunds with ours. */
import type { Deps } from '../deps.ts'
import { booksOf } from '../provider/port.ts'
import { findByHandle } from '../provider-events/look-at-object.ts'
import { applyRefund, findRefundOf, reportForeignRefund } from '../refunds/apply-refund.ts'
import type { PageResult, Run } from './page-result.ts'

export async function compareRefunds(deps: Deps, run: Run): Promise<PageResult> {
  const { provider } = deps
  const { from_s, to_s, page_after } = run
  const { data, has_more, next } = await booksOf(provider).refunds({
    from_s,
    ...(to_s === null ? {} : { to_s }),
    ...(page_after ? { after: page_after } : {}),
  })
  return {
    after: has_more ? (next ?? data.at(-1)?.id ?? null) : null,
    compared: data.length,
    steps: data.map(snapshot => async tx => {
      const ours = await findRefundOf(tx, provider.name, snapshot)
      if (ours) {
        await applyRefund(tx, ours, snapshot)
        return { fixed: ours.state === snapshot.status ? 0 : 1, opened: 0 }
      }
      const intent = snapshot.handle ? await findByHandle(deps, snapshot.handle, tx) : undefined
      const opened = await reportForeignRefund(tx, provider, snapshot, intent)
      return { fixed: 0, opened: opened ? 1 : 0 }
    }),
  }
}
