/** The provider's refunds against ours. */
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
      for (const told of data) {
        const ours = await findRefundOf(tx, provider.name, told)
        if (ours) {
          await applyRefund(tx, ours, told)
          if (ours.state !== told.status) fixed++
          continue
        }
        const intent = told.handle ? await findByHandle(deps, told.handle, tx) : undefined
        if (await reportForeignRefund(tx, provider.name, told, intent)) opened++
      }
      return { fixed, opened }
    },
  }
}
