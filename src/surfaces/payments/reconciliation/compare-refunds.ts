/** Compares the provider's refunds with ours. */
import type { Deps } from '../deps.ts'
import { findByHandle } from '../provider-events/look-at-object.ts'
import { applyRefund, findRefundOf, reportForeignRefund } from '../refunds/apply-refund.ts'
import type { PageResult, Run } from './page-result.ts'

export async function compareRefunds(deps: Deps, run: Run): Promise<PageResult> {
  const { provider } = deps
  const { from_s, to_s, page_after } = run
  const { data, has_more } = await provider.refunds({
    from_s,
    ...(to_s === null ? {} : { to_s }),
    ...(page_after ? { after: page_after } : {}),
  })
  return {
    after: has_more ? (data.at(-1)?.id ?? null) : null,
    compared: data.length,
    apply: async tx => {
      let [fixed, opened] = [0, 0]
      for (const snapshot of data) {
        const ours = await findRefundOf(tx, provider.name, snapshot)
        if (ours) {
          await applyRefund(tx, ours, snapshot)
          if (ours.state !== snapshot.status) fixed++
          continue
        }
        const intent = snapshot.handle ? await findByHandle(deps, snapshot.handle, tx) : undefined
        if (await reportForeignRefund(tx, provider.name, snapshot, intent)) opened++
      }
      return { fixed, opened }
    },
  }
}
