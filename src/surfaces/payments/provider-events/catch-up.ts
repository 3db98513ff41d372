/**
 * Lists the provider's events from the last known one. So a lost webhook costs minutes, not money.
 */
import { Type } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import type { Deps } from '../deps.ts'
import { events_queue, storeEvents } from './store-events.ts'

const Cursor = Type.Object({ read_until_s: Type.Number() })
/** Events may appear in the list a little after their time. */
const overlap_seconds = 600
const pages_max = 100

export async function catchUp(deps: Deps, signal: AbortSignal): Promise<void> {
  const { kernel, provider } = deps
  if (!provider.accepting()) return
  const { read_until_s } = await kernel.db.one(
    Cursor,
    sql`
      select extract(epoch from coalesce(
        (select read_until from payments.provider_cursors
          where provider = ${provider.name} and name = 'events'),
        now() - interval '1 day'))::float8 as read_until_s`,
  )
  const from_s = Math.max(0, read_until_s - overlap_seconds)
  let after: string | undefined
  let newest_s = read_until_s
  let complete = false
  for (let page = 0; page < pages_max && !signal.aborted; page++) {
    const window = after ? { from_s, after } : { from_s }
    const { data, has_more } = await provider.events(window)
    await kernel.db.tx(async tx => {
      if ((await storeEvents(tx, provider.name, data)) > 0) tx.wake(events_queue)
    })
    newest_s = Math.max(newest_s, ...data.map(one => one.created_s))
    after = data.at(-1)?.event_id
    complete = !has_more || !after
    if (complete) break
  }
  // The list starts with the newest event. So it is complete only when it was read to its end.
  if (!complete) return
  await kernel.db.run(sql`
    insert into payments.provider_cursors (provider, name, read_until)
    values (${provider.name}, 'events', to_timestamp(${newest_s}))
    on conflict (provider, name) do update
    set read_until = greatest(payments.provider_cursors.read_until, excluded.read_until)`)
}
