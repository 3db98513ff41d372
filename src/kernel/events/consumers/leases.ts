/**
 * Records which process works on a lane of a consumer, and the position that the lane has reached.
 * The token is the fence: the cursor moves in the transaction of the effect, and only while the row
 * has our token. So the work of a process that lost the lane is rolled back. `leased_until` (by the
 * database's clock) only says when other processes may take the lane. Each move of the cursor
 * extends the lease, so an idle platform writes nothing.
 */
import { Type } from 'typebox'
import type { Db, Tx } from '../../database/db.ts'
import { sql } from '../../database/sql.ts'
import { head_position, lanes_count } from '../log/read.ts'

const lease_seconds = 10

export type LaneKey = { readonly consumer: string; readonly lane: number }

/** Another process or a rebuild has taken the lane. Our work on it must not be committed. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

const lease = sql`now() + make_interval(secs => ${sql.count(lease_seconds)})`

export type Beginner = { readonly name: string; readonly from?: 'head' }

/**
 * Consumers that are new in the code start at the beginning of the log, or at its head. Each lane of
 * a consumer gets the same position.
 */
export async function register(db: Db, consumers: readonly Beginner[]): Promise<void> {
  if (consumers.length === 0) return
  await db.run(sql`
    insert into kernel.event_consumers (consumer, lane, position)
    select consumer, lane, case when at_head then head.position else 0 end
    from unnest(
      ${consumers.map(one => one.name)}::text[],
      ${consumers.map(one => one.from === 'head')}::boolean[]
    ) as c (consumer, at_head)
    cross join (select ${head_position} as position) head
    cross join generate_series(0, ${lanes_count - 1}) as lane
    on conflict do nothing`)
}

const Taken = Type.Object({
  consumer: Type.String(),
  lane: Type.Integer(),
  position: Type.Integer(),
})
export type Taken = { consumer: string; lane: number; position: number }

/**
 * Runs at the start of the process. Takes free lanes, and each lane that seems abandoned with a
 * probability of one half.
 */
export function takeFree(db: Db, consumers: readonly string[], token: string): Promise<Taken[]> {
  return db.many(
    Taken,
    sql`
      with free as (
        select consumer, lane
        from kernel.event_consumers
        where consumer = any (${consumers}::text[])
          and (lease_token is null or (leased_until < now() and random() < 0.5))
        for update skip locked
      )
      update kernel.event_consumers c
      set lease_token = ${token}, leased_until = ${lease}, wanted_by = null
      from free
      where c.consumer = free.consumer and c.lane = free.lane
      returning c.consumer, c.lane, c.position`,
  )
}

export type Interest = { readonly consumer: string; readonly types: readonly string[] | null }

// Selects one row for each consumer, with its types joined as one text. Null means all types.
function interests(of: readonly Interest[]) {
  return sql`
    select consumer, string_to_array(types, ',') as types
    from unnest(${of.map(one => one.consumer)}::text[],
      ${of.map(one => one.types?.join(',') ?? null)}::text[]) as i (consumer, types)`
}

export const far_behind = 20_000

const Found = Type.Object({ ...Taken.properties, ours: Type.Boolean() })

/** If an event has waited this long, the process that holds its lane has too much work. */
const late_seconds = 2

/**
 * Scans all consumers and lanes. Takes every lane that has work and that no process holds, and
 * returns our lanes that have work. If another process holds a lane and is late, the lane is
 * requested from that process and returned as not ours.
 */
export function takeWork(
  db: Db,
  of: readonly Interest[],
  token: string,
): Promise<(Taken & { ours: boolean })[]> {
  return db.many(
    Found,
    sql`
      with head as materialized (select ${head_position} as position),
      interest as materialized (${interests(of)}),
      work as materialized (
        select c.consumer, c.lane,
          c.position < head.position - ${far_behind}
            or coalesce(first.created_at < now() - make_interval(secs => ${late_seconds}), false)
            as late
        from kernel.event_consumers c
        join interest i on i.consumer = c.consumer
        cross join head
        left join lateral (
          select e.created_at
          from kernel.events e
          where e.lane = c.lane and e.position > c.position
            and c.position between head.position - ${far_behind} and head.position - 1
            and (i.types is null or e.type = any (i.types))
          order by e.position
          limit 1
        ) first on true
        where first.created_at is not null
          or c.position < head.position - ${far_behind}
          or exists (
            select from kernel.event_parks p
            where p.consumer = c.consumer and p.lane = c.lane
              and p.blocking and p.state <> 'dead' and p.next_attempt_at <= now()
          )
      ),
      locked as materialized (
        select c.consumer, c.lane, c.lease_token is null or c.leased_until < now() as free
        from kernel.event_consumers c
        join work on work.consumer = c.consumer and work.lane = c.lane
        where c.lease_token is distinct from ${token}
          and (c.lease_token is null or c.leased_until < now() or work.late)
        for update of c skip locked
      ),
      changed as (
        update kernel.event_consumers c
        set lease_token = case when locked.free then ${token} else c.lease_token end,
          leased_until = case when locked.free then ${lease} else c.leased_until end,
          wanted_by = case when locked.free then null else ${token}::uuid end
        from locked
        where c.consumer = locked.consumer and c.lane = locked.lane
          and (locked.free or c.wanted_by is distinct from ${token})
        returning c.consumer, c.lane, c.position, locked.free
      )
      select consumer, lane, position, true as ours
      from changed
      where free
      union all
      select c.consumer, c.lane, c.position, true
      from kernel.event_consumers c
      join work on work.consumer = c.consumer and work.lane = c.lane
      where c.lease_token = ${token}
      union all
      select consumer, lane, 0, false
      from locked
      where not free`,
  )
}

const Moved = Type.Object({ wanted: Type.Boolean() })

/**
 * Moves the cursor with the effect. Returns whether another process has requested the lane. A cursor
 * at the `first` event says that a rebuild, or a commit whose reply was lost, has handled it already.
 */
export async function move(
  tx: Tx,
  { consumer, lane }: LaneKey,
  token: string,
  position: number,
  first: number | null = null,
): Promise<boolean> {
  const row = await tx.maybe(
    Moved,
    sql`
      update kernel.event_consumers
      set position = greatest(position, ${position}), leased_until = ${lease}
      where consumer = ${consumer} and lane = ${lane} and lease_token = ${token}
        and (${first}::bigint is null or position < ${first})
      returning wanted_by is not null as wanted`,
  )
  if (!row) throw new LeaseLost(`lane ${lane} of ${consumer} was taken over`)
  return row.wanted
}

/** Hands a lane to the process that requested it. */
export async function yieldLane(db: Db, { consumer, lane }: LaneKey, token: string): Promise<void> {
  await db.run(sql`
    update kernel.event_consumers
    set lease_token = wanted_by, leased_until = ${lease}, wanted_by = null
    where consumer = ${consumer} and lane = ${lane} and lease_token = ${token}
      and wanted_by is not null`)
}

/** Releases all leases, so that another process need not wait until they expire. */
export async function release(db: Db, token: string): Promise<void> {
  await db.run(sql`
    update kernel.event_consumers
    set lease_token = null, leased_until = null
    where lease_token = ${token}`)
}

/**
 * Moves the cursors of lanes that had no events of their types for long near the head. One pass
 * over the log covers all of them. So a scan for work never has to read far.
 */
export async function advanceQuiet(db: Db, of: readonly Interest[]): Promise<number> {
  return db.run(sql`
    with head as materialized (select ${head_position} as position),
    interest as materialized (${interests(of)}),
    lagging as materialized (
      select c.consumer, c.lane, c.position
      from kernel.event_consumers c
      cross join head
      where c.consumer = any (${of.map(one => one.consumer)}::text[])
        and c.position < head.position - ${far_behind / 2}
        and c.position >= head.position - ${far_behind * 5}
        and (c.leased_until is null or c.leased_until < now())
    ),
    newest as materialized (
      select e.lane, e.type, max(e.position) as position
      from kernel.events e
      where e.position > (select min(position) from lagging)
        and e.position <= (select position from head)
      group by e.lane, e.type
    )
    update kernel.event_consumers c
    set position = head.position
    from lagging l
    cross join head
    where c.consumer = l.consumer and c.lane = l.lane and c.position = l.position
      and (c.leased_until is null or c.leased_until < now())
      and not exists (
        select from interest i
        join newest n on i.types is null or n.type = any (i.types)
        where i.consumer = c.consumer and n.lane = c.lane and n.position > c.position
      )`)
}
