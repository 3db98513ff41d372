/**
 * The feed as a stream: each event of the tenant that the reader may read, as it is logged, with
 * its position as the id, so that a reader resumes with the last one. For any number of readers,
 * one statement a second asks which of their tenants have something new, and one more follows a
 * wake-up. Events are read when the reader takes them: a slow reader costs no memory.
 */
import { Type } from 'typebox'
import { logFailure } from '../../../kernel/database/log-failure.ts'
import type { Db } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { Id } from '../../../kernel/http/shapes.ts'
import type { SseEvent } from '../../../kernel/http/sse.ts'
import type { Kernel } from '../settings.ts'
import { readFeed, viewOf } from './read-events.ts'

const every_ms = 1000
/** Wake-ups come with every commit; readers look at most so often. */
const wake_min_ms = 200
const page_events = 100

type Waiting = {
  readonly tenant_id: string
  readonly position: number
  tell(moved: boolean): void
}

export type FeedLookout = {
  /** True once the tenant has an event after the position; false when aborted. */
  moved(tenant_id: string, position: number, signal: AbortSignal): Promise<boolean>
  close(): void
}

export function openFeedLookout({
  db,
  log,
  onWake,
}: Pick<Kernel, 'db' | 'log' | 'onWake'>): FeedLookout {
  const all = new Set<Waiting>()
  let timer: NodeJS.Timeout | undefined
  let soon: NodeJS.Timeout | undefined
  let looking = false
  const look = async () => {
    if (looking || all.size === 0) return
    looking = true
    try {
      await tellMoved(db, [...all])
    } catch (error) {
      logFailure(log, { err: error }, 'the watched feeds could not be read; it is tried again')
    } finally {
      looking = false
    }
  }
  const wake = () => {
    if (all.size === 0) return
    soon ??= setTimeout(() => {
      soon = undefined
      void look()
    }, wake_min_ms)
  }
  const end = onWake(wake)
  const stop = () => {
    clearInterval(timer)
    clearTimeout(soon)
    timer = undefined
    soon = undefined
  }
  return {
    moved: async (tenant_id, position, signal) => {
      if (signal.aborted) return false
      const done = Promise.withResolvers<boolean>()
      const waiting: Waiting = { tenant_id, position, tell: done.resolve }
      const left = () => done.resolve(false)
      all.add(waiting)
      timer ??= setInterval(() => void look(), every_ms)
      signal.addEventListener('abort', left, { once: true })
      try {
        return await done.promise
      } finally {
        signal.removeEventListener('abort', left)
        all.delete(waiting)
        if (all.size === 0) stop()
      }
    },
    close: () => {
      end()
      stop()
      for (const waiting of all) waiting.tell(false)
    },
  }
}

async function tellMoved(db: Db, waiting: readonly Waiting[]): Promise<void> {
  const rows = await db.many(
    Type.Object({ tenant_id: Id, position: Type.Integer() }),
    sql`
      select w.tenant_id, w.position
      from unnest(
        ${waiting.map(one => one.tenant_id)}::uuid[], ${waiting.map(one => one.position)}::bigint[]
      ) w (tenant_id, position)
      where exists (select 1 from kernel.events e
        where e.tenant_id = w.tenant_id and e.position > w.position)`,
  )
  const moved = new Set(rows.map(row => `${row.tenant_id} ${row.position}`))
  for (const one of waiting) if (moved.has(`${one.tenant_id} ${one.position}`)) one.tell(true)
}

export type WatchedFeed = {
  readonly tenant_id: string
  /** The last event that the reader has; null: from now on. */
  readonly after: number | null
  readonly signal: AbortSignal
  /** The types that the reader may read now; null where it may not read the feed any more. */
  types(): Promise<readonly string[] | null>
}

export async function* watchFeed(
  db: Db,
  lookout: FeedLookout,
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
    const { rows, through, has_more } = await readFeed(db, from, null)
    for (const row of rows) {
      yield { event: 'event', data: viewOf(row), id: String(row.position) }
    }
    position = through
    if (!has_more && !(await lookout.moved(tenant_id, position, signal))) return
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
