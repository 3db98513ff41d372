/**
 * Rebuilds a read model beside the live one. The rebuild has its own consumer. That consumer reads
 * the log from its start, or from the position of a snapshot. Finally it replaces the live read
 * model in one transaction. In that transaction the cursors of the live consumer are locked and its
 * leases are revoked, so no event is missed or applied twice.
 */
import { Type } from 'typebox'
import type { Db, Tx } from '../../database/db.ts'
import { sql } from '../../database/sql.ts'
import { typesOf } from './listener.ts'
import type { Consumer } from '../consumer.ts'
import { columns, LanedEvent, lanes_count, ofTypes, readHead } from '../log/read.ts'

export type Rebuild = {
  db: Db
  /**
   * The consumer that fills the new rows. It has the same name as the live consumer that it
   * replaces.
   */
  consumer: Consumer
  /** The name under which the progress is stored, so that an interrupted rebuild can continue. */
  under: string
  /** The snapshot's position. The new rows already contain everything up to this position. */
  from?: number
  /** Replaces the old rows with the new ones. */
  swap(tx: Tx): Promise<void>
  progress?(done: number, total: number): void
  signal: AbortSignal
}

const portion = 200
/** The largest number of positions that one statement scans when events of these types are rare. */
const window_positions = 100_000
/** When only this many events are left, they are applied in the transaction of the switch. */
const near_positions = 1000

export async function rebuild(options: Rebuild): Promise<void> {
  const { db, under, signal } = options
  await db.run(sql`
    insert into kernel.event_consumers (consumer, lane, position)
    select ${under}, lane, ${options.from ?? 0}
    from generate_series(0, ${lanes_count - 1}) as lane
    on conflict do nothing`)
  for (;;) {
    signal.throwIfAborted()
    const head = await readHead(db)
    const done = await db.tx(tx => advance(tx, options, head))
    options.progress?.(done, head)
    if (head - done < near_positions) break
  }
  await db.tx(tx => takeOver(tx, options))
}

const Place = Type.Object({ position: Type.Integer() })

/** Applies the next portion up to `head`. Returns the position that the new rows have reached. */
async function advance(tx: Tx, { consumer, under }: Rebuild, head: number): Promise<number> {
  const locked = await tx.many(
    Place,
    sql`select position from kernel.event_consumers where consumer = ${under} for update`,
  )
  const after = locked[0]?.position ?? 0
  const until = Math.min(head, after + window_positions)
  const events = await tx.many(
    LanedEvent,
    sql`
      select ${columns}
      from kernel.events e
      where e.position > ${after} and e.position <= ${until} and ${ofTypes(typesOf(consumer))}
      order by e.position
      limit ${portion}`,
  )
  for (const event of events) await consumer.run(tx, event)
  const full = events.length === portion
  const through = Math.max(after, full ? (events.at(-1)?.position ?? after) : until)
  await tx.run(sql`
    update kernel.event_consumers set position = ${through} where consumer = ${under}`)
  return through
}

async function takeOver(tx: Tx, options: Rebuild): Promise<void> {
  const { consumer, under } = options
  await tx.many(
    Place,
    sql`
      select position
      from kernel.event_consumers
      where consumer = ${consumer.name}
      order by lane
      for update`,
  )
  // Only events up to this point are applied. The live consumer continues from here.
  const head = await readHead(tx)
  while ((await advance(tx, options, head)) < head);
  await options.swap(tx)
  await tx.run(sql`
    update kernel.event_consumers live
    set position = done.position, lease_token = null, leased_until = null
    from kernel.event_consumers done
    where live.consumer = ${consumer.name} and done.consumer = ${under} and done.lane = live.lane`)
  await tx.run(sql`
    update kernel.event_parks
    set blocking = false, state = 'resolved', next_attempt_at = null, updated_at = now()
    where consumer = ${consumer.name} and blocking`)
  await tx.run(sql`delete from kernel.event_consumers where consumer = ${under}`)
}
