/**
 * The feed as a stream. It sends each event that the reader may read. The id of a message is the
 * event's position, so a reader can resume with the last id. An event is read from the database
 * only when the reader is ready for it. So a slow reader costs no memory.
 */
import { Type } from 'typebox'
import { Id, openChangeWatcher, sql } from '#dodeca/kernel'
import type { ChangeWatcher, Db, SseEvent } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { isAhead, readFeed, viewOf } from './read-events.ts'

/** Every commit causes a wake-up, so readers check at most this often. */
const wake_min_ms = 200
const page_events = 100

/** A tenant, and the position of the last event that the reader has. */
type FeedPlace = { readonly tenant_id: string; readonly position: number }

export type FeedWatcher = ChangeWatcher<FeedPlace>

export function openFeedWatcher({
  db,
  log,
  onWake,
}: Pick<Kernel, 'db' | 'log' | 'onWake'>): FeedWatcher {
  return openChangeWatcher<FeedPlace>({
    log,
    onWake,
    wake_min_ms,
    failure: 'the watched feeds could not be read; it is tried again',
    check: async places => {
      const grown = await readGrown(db, places)
      return places.map(one => grown.has(`${one.tenant_id} ${one.position}`))
    },
  })
}

/**
 * Returns the places whose tenant has newer events, or that lie behind the end of the log, as
 * `<tenant> <position>`.
 */
async function readGrown(db: Db, places: readonly FeedPlace[]): Promise<Set<string>> {
  const rows = await db.many(
    Type.Object({ tenant_id: Id, position: Type.Integer() }),
    sql`
      select w.tenant_id, w.position
      from unnest(
        ${places.map(one => one.tenant_id)}::uuid[], ${places.map(one => one.position)}::bigint[]
      ) w (tenant_id, position)
      where exists (select 1 from kernel.events e
          where e.tenant_id = w.tenant_id and e.position > w.position)
        or ${isAhead(sql`w.position`)}`,
  )
  return new Set(rows.map(row => `${row.tenant_id} ${row.position}`))
}

export type WatchedFeed = {
  readonly tenant_id: string
  /** The position of the last event that the reader has. Null means: start with the next event. */
  readonly after: number | null
  readonly signal: AbortSignal
  /**
   * The types that the reader may read now. Null means that the reader may no longer read the feed.
   */
  types(): Promise<readonly string[] | null>
}

export async function* watchFeed(
  db: Db,
  watcher: FeedWatcher,
  { tenant_id, after, signal, types }: WatchedFeed,
): AsyncGenerator<SseEvent, void> {
  let position = after ?? (await endOf(db, tenant_id))
  for (;;) {
    const readable = await types()
    if (!readable) {
      yield { event: 'error', data: { code: 'permission_denied' }, terminal: true }
      return
    }
    const from = { tenant_id, after: position, limit: page_events, types: readable }
    const { rows, through, has_more, is_ahead } = await readFeed(db, from, null)
    if (is_ahead) {
      yield { event: 'error', data: { code: 'invalid_cursor' }, terminal: true }
      return
    }
    for (const row of rows) {
      yield { event: 'event', data: viewOf(row), id: String(row.position) }
    }
    position = through
    if (!has_more && !(await watcher.changed({ tenant_id, position }, signal))) return
  }
}

async function endOf(db: Db, tenant_id: string): Promise<number> {
  const last = await db.maybe(
    Type.Object({ position: Type.Integer() }),
    sql`
      select e.position from kernel.events e
      where e.tenant_id = ${tenant_id} order by e.position desc limit 1`,
  )
  return last?.position ?? 0
}
