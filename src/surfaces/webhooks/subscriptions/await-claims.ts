/**
 * Runs after a change is committed and before the change is acknowledged. It waits until every
 * claim that began with the old subscription has ended. So nothing is claimed after the reply to a
 * pause, and deliveries that were claimed before are already being sent. Claims take milliseconds.
 */
import type { Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { activity } from '../sending/sender.ts'

const tries_max = 3

export function awaitClaims(tx: Tx, { kernel, jobs }: Pick<Deps, 'kernel' | 'jobs'>): void {
  tx.afterCommit(async () => {
    for (let tries = 1; tries <= tries_max; tries++) {
      try {
        await kernel.db.tx(later => jobs.closeFence(later, activity))
        return
      } catch (error) {
        kernel.log.warn({ err: error, tries }, 'claims of webhooks could not be waited for')
      }
    }
  })
}
