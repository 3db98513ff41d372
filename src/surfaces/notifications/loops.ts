/**
 * The loops of notifications. They handle expired leases, messages whose outcome is unknown,
 * digests whose window has ended, and batches. Once a second the kernel checks whether a loop has
 * work. The interval of a minute is only a safety net.
 */
import { sql, type Loop } from '#dodeca/kernel'
import { batchesDue, completeBatches } from './batches/complete-batches.ts'
import type { Deps } from './deps.ts'
import { closeDigests } from './digests/close-digests.ts'
import { lateReports, matchLate } from './outcomes/receive-reports.ts'
import { releaseEnded, resolveUnknown } from './sending/resolve-unknown.ts'
import { batches_topic } from './topics.ts'

const every_ms = 60_000

export function loops(deps: Deps): readonly Loop[] {
  const { db } = deps.kernel
  return [
    {
      name: 'notifications.recover',
      every_ms,
      due: sql`
        -- any tenant: a sender sends for all of them
        select exists (select from notifications.delivery_attempts
            where state = 'sending' and leased_until <= now())
          or exists (select from notifications.delivery_attempts
            where state = 'unknown' and next_attempt_at <= kernel.now())`,
      run: async () => {
        await releaseEnded(deps)
        await resolveUnknown(deps)
      },
    },
    {
      name: 'notifications.digests',
      every_ms,
      due: sql`
        -- any tenant: what is due is closed for all of them
        select exists (select from notifications.digests
          where state = 'open' and closes_at <= kernel.now())`,
      run: signal => closeDigests(deps, signal),
    },
    {
      name: batches_topic,
      every_ms,
      due: batchesDue,
      run: signal => completeBatches(deps, signal),
    },
    { name: 'notifications.late_reports', every_ms, due: lateReports, run: () => db.tx(matchLate) },
  ]
}
