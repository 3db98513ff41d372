/** What repeats: leases that ended, what is unknown, digests whose window is over, batches. */
import type { Loop } from '../../kernel/surface.ts'
import type { Deps } from './deps.ts'
import { completeBatches } from './batches/complete-batches.ts'
import { closeDigest } from './digests/close-digests.ts'
import { matchLate } from './outcomes/receive-reports.ts'
import { prepareMessages } from './sending/prepare-messages.ts'
import { releaseEnded, resolveUnknown, type Remake } from './sending/resolve-unknown.ts'
import { readForAsking } from './sending/read-for-asking.ts'

export function loops(deps: Deps): readonly Loop[] {
  const { db, settings } = deps.kernel
  const remake: Remake = async unknown => {
    const claimed = await readForAsking(db, unknown)
    if (!claimed) return null
    const { ready } = await prepareMessages(deps, [claimed])
    return ready[0] ?? null
  }
  return [
    {
      name: 'notifications.recover',
      every_ms: 1000,
      run: async () => {
        const released = await releaseEnded(db, settings)
        await resolveUnknown(deps, remake)
        if (released > 0) deps.sender.poke()
      },
    },
    {
      name: 'notifications.digests',
      every_ms: 1000,
      run: async signal => {
        while (!signal.aborted && (await db.tx(tx => closeDigest(tx, deps)))) {
          // One commit closes one digest.
        }
      },
    },
    { name: 'notifications.batches', every_ms: 1000, run: signal => completeBatches(deps, signal) },
    { name: 'notifications.late_reports', every_ms: 5000, run: () => db.tx(matchLate) },
  ]
}
