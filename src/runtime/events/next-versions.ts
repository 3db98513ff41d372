/**
 * The versions of events whose publisher chose the aggregate. They rise within an aggregate: from
 * the last one, and at least to the time, so that they still rise after the row is gone. A version
 * of the publisher's own must be above the last one.
 */
import { Type } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'
import { problem } from './errors.ts'

export type Aggregate = {
  /** The place of the event in the request. */
  readonly at: number
  readonly tenant_id: string
  readonly type: string
  readonly id: string
  /** Null if the platform gives it. */
  readonly version: number | null
}

const Stored = Type.Object({
  tenant_id: Type.String(),
  type: Type.String(),
  id: Type.String(),
  version: Type.Integer(),
})

const nameOf = ({ tenant_id, type, id }: Pick<Aggregate, 'tenant_id' | 'type' | 'id'>) =>
  `${tenant_id} ${type} ${id}`

/** By the place of the event. */
export async function nextVersions(
  tx: Tx,
  events: readonly Aggregate[],
  now_ms: number,
): Promise<ReadonlyMap<number, number>> {
  const versions = new Map<number, number>()
  if (events.length === 0) return versions
  const last = await lock(tx, events)
  for (const { at, version, ...aggregate } of events) {
    const name = nameOf(aggregate)
    const before = last.get(name) ?? 0
    const next = version ?? Math.max(before + 1, now_ms)
    if (next <= before || !Number.isSafeInteger(next)) {
      const pointer = `/events/${at}/aggregate_version`
      throw problem('aggregate_version_stale', {
        errors: [{ location: 'body', pointer, constraint: 'above_last' }],
      })
    }
    last.set(name, next)
    versions.set(at, next)
  }
  await store(tx, events, last)
  return versions
}

/** In the order of the keys, so that two requests never wait for each other. */
async function lock(tx: Tx, events: readonly Aggregate[]): Promise<Map<string, number>> {
  const rows = await tx.many(
    Stored,
    sql`
      insert into kernel.published_aggregates as a (tenant_id, type, id)
      select distinct tenant_id, type, id
      from unnest(${events.map(one => one.tenant_id)}::uuid[],
        ${events.map(one => one.type)}::text[],
        ${events.map(one => one.id)}::uuid[]) as given (tenant_id, type, id)
      order by tenant_id, type, id
      on conflict (tenant_id, type, id) do update set published_at = kernel.now()
      returning tenant_id, type, id, version`,
  )
  return new Map(rows.map(row => [nameOf(row), row.version]))
}

async function store(
  tx: Tx,
  events: readonly Aggregate[],
  last: ReadonlyMap<string, number>,
): Promise<void> {
  const rows = new Map(events.map(one => [nameOf(one), one]))
  const all = [...rows].map(([name, one]) => ({ ...one, version: last.get(name) ?? 0 }))
  await tx.run(sql`
    update kernel.published_aggregates a
    set version = given.version
    from unnest(${all.map(one => one.tenant_id)}::uuid[], ${all.map(one => one.type)}::text[],
      ${all.map(one => one.id)}::uuid[], ${all.map(one => one.version)}::bigint[])
      as given (tenant_id, type, id, version)
    where a.tenant_id = given.tenant_id and a.type = given.type and a.id = given.id`)
}
