/** What repeats: leases that ended, what is unknown, digests whose window is over, batches, what is too old. */
import { sql, type Sql } from '../../kernel/database/sql.ts'
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
    { name: 'notifications.retention', every_ms: 60_000, run: signal => forget(deps, signal) },
  ]
}

const portion = 1000

/** In portions, so that no statement is long; what is left over waits for the next run. */
async function forget({ kernel: { db, settings } }: Deps, signal: AbortSignal): Promise<void> {
  const intents = settings['notifications.intents_retention_days']
  const inputs = settings['notifications.inputs_retention_days']
  const reports = settings['notifications.provider_events_retention_days']
  const items = settings['notifications.inbox_retention_days']
  const before = (days: number) => sql`kernel.now() - make_interval(days => ${days})`
  const statements: readonly Sql[] = [
    sql`
      -- any tenant: what is too old is deleted for all of them
      delete from notifications.notification_inputs where (tenant_id, ref) in (
        select i.tenant_id, i.data_ref from notifications.notification_intents i
        join notifications.notification_inputs n on n.tenant_id = i.tenant_id and n.ref = i.data_ref
        where i.created_at < ${before(inputs)} and i.state not in ('scheduled', 'held')
        limit ${portion})`,
    sql`
      -- any tenant: as above
      with old as (
        delete from notifications.notification_intents where (tenant_id, id) in (
          select tenant_id, id from notifications.notification_intents
          where created_at < ${before(intents)} and state not in ('scheduled', 'held', 'processing')
          limit ${portion})
        returning tenant_id, id
      ),
      decisions as (
        delete from notifications.decisions d using old
        where d.tenant_id = old.tenant_id and d.intent_id = old.id
      )
      delete from notifications.delivery_attempts a using old
      where a.tenant_id = old.tenant_id and a.intent_id = old.id`,
    sql`
      delete from notifications.provider_events where (provider, event_id) in (
        select provider, event_id from notifications.provider_events
        where received_at < ${before(reports)} limit ${portion})`,
    sql`
      -- any tenant: as above
      delete from notifications.inbox_items where (tenant_id, user_id, id) in (
        select tenant_id, user_id, id from notifications.inbox_items
        where created_at < ${before(items)} limit ${portion})`,
    sql`
      -- any tenant: as above
      delete from notifications.dedupe_windows where (tenant_id, recipient_ref, category, key) in (
        select tenant_id, recipient_ref, category, key from notifications.dedupe_windows
        where until < kernel.now() limit ${portion})`,
  ]
  for (const statement of statements) {
    if (signal.aborted) return
    await db.run(statement)
  }
}
