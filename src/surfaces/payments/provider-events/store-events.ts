/**
 * Stores each event once by its id. Events that are not about money are marked as processed
 * immediately.
 */
import { sql, type Tx } from '#dodeca/kernel'
import type { PaymentProvider, ProviderEvent } from '../provider/port.ts'

export const events_queue = 'payments.provider_events'

/** Events of one object within this time are settled by one read. */
const gather_seconds = 0.2

/** Returns how many events are new and must be processed. */
export async function storeEvents(
  tx: Tx,
  { name, kindOf }: Pick<PaymentProvider, 'name' | 'kindOf'>,
  events: readonly ProviderEvent[],
): Promise<number> {
  const due = events.filter(one => kindOf(one.object_ref) !== null)
  const rest = events.filter(one => kindOf(one.object_ref) === null)
  const stored = await insert(tx, name, due, true)
  await insert(tx, name, rest, false)
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
