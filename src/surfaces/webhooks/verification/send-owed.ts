/**
 * Sends the challenges that are owed: one right after a subscription was made, and two more where the
 * endpoint did not answer. Each is taken by one process: taking it moves the time of the next.
 */
import { Type } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { Id } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { askEndpoint } from './verify.ts'

const Owed = Type.Object({ id: Id })
const at_once = 20
/** Waits after the first and the second; the third is the last. */
const waits_seconds = [60, 600]

export async function sendOwedChallenges(deps: Deps, signal: AbortSignal): Promise<void> {
  const { db, log } = deps.kernel
  for (;;) {
    const owed = await db.many(
      Owed,
      sql`
        -- any tenant: a sweep over what is owed
        update webhooks.subscriptions
        set challenge_due_at = case challenges_sent
          when 0 then now() + make_interval(secs => ${waits_seconds[0]})
          when 1 then now() + make_interval(secs => ${waits_seconds[1]}) end
        where id in (
          select id from webhooks.subscriptions
          where challenge_due_at <= now() order by challenge_due_at limit ${at_once}
          for update skip locked)
        returning id`,
    )
    await Promise.all(
      owed.map(({ id }) =>
        askEndpoint(db, deps, id, signal).catch((error: unknown) => {
          if (!signal.aborted) log.warn({ err: error, subscription_id: id }, 'a challenge failed')
        }),
      ),
    )
    if (owed.length < at_once || signal.aborted) return
  }
}
