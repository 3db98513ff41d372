/**
 * The check before an effect. For a batch, one statement separates three cases: events that were
 * handled before (their inbox row exists), events that wait behind a parked event of the same
 * aggregate of their tenant, and events to handle now. The statement also records the result, in the transaction of
 * the effect.
 */
import { Type } from 'typebox'
import type { Tx } from '../../database/db.ts'
import { sql } from '../../database/sql.ts'
import type { LanedEvent } from '../log/read.ts'

const Fresh = Type.Object({ event_id: Type.String() })

/** Returns the ids of the events that have to be handled in this transaction. */
export async function admit(
  tx: Tx,
  consumer: string,
  events: readonly LanedEvent[],
): Promise<ReadonlySet<string>> {
  if (events.length === 0) return new Set()
  const rows = await tx.many(
    Fresh,
    sql`
      with given as materialized (
        select *
        from unnest(
          ${events.map(event => event.id)}::uuid[],
          ${events.map(event => event.tenant_id)}::uuid[],
          ${events.map(event => event.aggregate_id)}::uuid[],
          ${events.map(event => event.position)}::bigint[]
        ) as g (event_id, tenant_id, aggregate_id, position)
      ),
      parked as materialized (
        select g.event_id, g.position, p.id as park_id, p.event_id as failed_id
        from given g
        join kernel.event_parks p
          on p.consumer = ${consumer} and p.tenant_id = g.tenant_id
            and p.aggregate_id = g.aggregate_id and p.blocking
      ),
      waits as (
        insert into kernel.event_park_waits (park_id, position)
        select park_id, position
        from parked
        where event_id <> failed_id
        on conflict do nothing
      )
      insert into kernel.inbox_events (consumer, event_id)
      select ${consumer}, g.event_id
      from given g
      where not exists (select from parked where parked.event_id = g.event_id)
      on conflict do nothing
      returning event_id`,
  )
  return new Set(rows.map(row => row.event_id))
}

const Parked = Type.Object({ position: Type.Integer() })

/**
 * Returns the events that are not behind a park. It is for a sink, because the effect of a sink has
 * no transaction.
 */
export async function admitUnparked(
  tx: Tx,
  consumer: string,
  events: readonly LanedEvent[],
): Promise<LanedEvent[]> {
  const held = await tx.many(
    Parked,
    sql`
      with parked as materialized (
        select p.id as park_id, g.position, p.first_position
        from unnest(
          ${events.map(event => event.tenant_id)}::uuid[],
          ${events.map(event => event.aggregate_id)}::uuid[],
          ${events.map(event => event.position)}::bigint[]
        ) as g (tenant_id, aggregate_id, position)
        join kernel.event_parks p
          on p.consumer = ${consumer} and p.tenant_id = g.tenant_id
            and p.aggregate_id = g.aggregate_id and p.blocking
      ),
      waits as (
        insert into kernel.event_park_waits (park_id, position)
        select park_id, position
        from parked
        where position <> first_position
        on conflict do nothing
      )
      select position from parked`,
  )
  const positions = new Set(held.map(row => row.position))
  return events.filter(event => !positions.has(event.position))
}

/**
 * Checks one event that is handled outside the order of its lane. Returns true if the event was not
 * handled before.
 */
export async function claim(tx: Tx, consumer: string, event_id: string): Promise<boolean> {
  const inserted = await tx.run(sql`
    insert into kernel.inbox_events (consumer, event_id)
    values (${consumer}, ${event_id})
    on conflict do nothing`)
  return inserted > 0
}
