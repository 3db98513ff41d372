/**
 * Lists the provider's events from the last known one. So a lost webhook costs minutes, not money.
 * The list begins with the newest event, so it is complete only when it was read to its end. A pass
 * that was interrupted goes on where it was.
 */
import { type Static, Type } from 'typebox'
import { nullable, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { ProviderEvent } from '../provider/port.ts'
import { events_queue, storeEvents } from './store-events.ts'

/** All events before `read_until_s`, and those from `until_s` to `newest_s`, are stored. */
const Cursor = Type.Object({
  read_until_s: Type.Number(),
  until_s: nullable(Type.Number()),
  newest_s: nullable(Type.Number()),
})
type Cursor = Static<typeof Cursor>
/** Events may appear in the list a little after their time. */
const overlap_seconds = 600

export async function catchUp(deps: Deps, signal: AbortSignal): Promise<void> {
  const { provider } = deps
  const { books } = provider
  if (!books || !provider.accepting()) return
  let cursor = await readCursor(deps)
  const from_s = Math.max(0, cursor.read_until_s - overlap_seconds)
  const to = cursor.until_s === null ? {} : { to_s: cursor.until_s }
  let after: string | undefined
  let more = true
  while (more) {
    if (signal.aborted) return
    const window = { from_s, ...to, ...(after === undefined ? {} : { after }) }
    const { data, has_more, last } = await books.events(window)
    if (has_more && (last === undefined || last === after)) {
      throw new Error('the list of provider events does not go on')
    }
    more = has_more
    after = last
    const times = data.map(one => one.created_s)
    const newest_s = Math.max(cursor.newest_s ?? cursor.read_until_s, ...times)
    const until_s = Math.min(cursor.until_s ?? Infinity, ...times)
    cursor = more
      ? { ...cursor, newest_s, until_s: Number.isFinite(until_s) ? until_s : null }
      : { read_until_s: newest_s, newest_s: null, until_s: null }
    await storePage(deps, data, cursor)
  }
}

async function storePage(
  deps: Deps,
  events: readonly ProviderEvent[],
  cursor: Cursor,
): Promise<void> {
  const { kernel, provider } = deps
  await kernel.db.tx(async tx => {
    if ((await storeEvents(tx, provider, events)) > 0) tx.wake(events_queue)
    await writeCursor(tx, deps, cursor)
  })
}

function readCursor({ kernel, provider }: Deps): Promise<Cursor> {
  return kernel.db.one(
    Cursor,
    sql`
      select extract(epoch from coalesce(c.read_until, now() - interval '1 day'))::float8
          as read_until_s,
        extract(epoch from c.pass_until)::float8 as until_s,
        extract(epoch from c.pass_newest)::float8 as newest_s
      from (select) one
      left join payments.provider_cursors c
        on c.provider = ${provider.name} and c.name = 'events'`,
  )
}

/** Several processes may read at once. What one of them writes is true for itself. */
async function writeCursor(tx: Tx, { provider }: Deps, cursor: Cursor): Promise<void> {
  const { read_until_s, until_s, newest_s } = cursor
  await tx.run(sql`
    insert into payments.provider_cursors as c (
      provider, name, read_until, pass_until, pass_newest)
    values (
      ${provider.name}, 'events', to_timestamp(${read_until_s}), to_timestamp(${until_s}),
      to_timestamp(${newest_s}))
    on conflict (provider, name) do update
    set read_until = greatest(c.read_until, excluded.read_until),
      pass_until = excluded.pass_until, pass_newest = excluded.pass_newest`)
}
