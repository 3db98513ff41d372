/**
 * Stores each event once by its id. Events that are not about money are marked as processed
 * immediately.
 */
import { sql, type Tx } from '#dodeca/kernel'
import type { ProviderEvent } from '../provider/port.ts'

export const events_queue = 'payments.provider_events'

/**
 * Objects that we can read: payments, charges, refunds, disputes and payouts. The provider has
 * several prefixes for some of them: new disputes begin with `du_`, old ones with `dp_`.
 */
const looked_at = /^(pi|ch|py|re|pyr|du|dp|po)_/
/** Events of one object within this time are settled by one read. */
const gather_seconds = 0.2

/** Returns how many events are new and must be processed. */
export async function storeEvents(
  tx: Tx,
  provider: string,
  events: readonly ProviderEvent[],
): Promise<number> {
  const due = events.filter(one => looked_at.test(one.object_ref))
  const rest = events.filter(one => !looked_at.test(one.object_ref))
  const stored = await insert(tx, provider, due, true)
  await insert(tx, provider, rest, false)
  return stored
}

async function insert(tx: Tx, provider: string, events: readonly ProviderEvent[], due: boolean) {
  if (events.length === 0) return 0
  return await tx.run(sql`
    insert into payments.provider_events (
      provider, event_id, type, object_ref, processed_at, due_at)
    select ${provider}, one.event_id, one.type, one.object_ref,
      case when ${due} then null else now() end,
      case when ${due} then kernel.now() + make_interval(secs => ${gather_seconds}) end
    from unnest(
      ${events.map(one => one.event_id)}::text[], ${events.map(one => one.type)}::text[],
      ${events.map(one => one.object_ref)}::text[]) as one (event_id, type, object_ref)
    -- one order for all writers, so that no two wait for each other
    order by one.event_id
    on conflict do nothing`)
}
