/**
 * Publishes events of types that were declared over HTTP: all of them in the caller's commit, or
 * none. They are ordinary events from then on. The publisher may choose the aggregate. Then the
 * versions of that aggregate only rise, under the lock of its row.
 */
import { type Static, Type } from 'typebox'
import {
  allowsType,
  boundedCache,
  compileSchema,
  lacks,
  newId,
  nounOf,
  nullable,
  sql,
  type FieldError,
  type Fit,
  type Kernel,
  type Reader,
  type Tx,
} from '#dodeca/kernel'
import { problem } from './errors.ts'
import { nextVersions, type Aggregate } from './next-versions.ts'
import type { PublishedEvent } from './schemas.ts'

export type Publisher = {
  readonly tenant_id: string
  grants(): Promise<ReadonlySet<string>>
}

/** Of the surface that owns the accounts. */
export type Rights = {
  /** Whether the tenant is active. */
  isOpen(reader: Reader, tenant_id: string): Promise<boolean>
  /** The grants that each holder has now, within the scope of its narrow session. */
  grantsOf(
    reader: Reader,
    holders: readonly {
      readonly tenant_id: string
      readonly principal_id: string
      readonly session_id: string | null
    }[],
  ): Promise<readonly ReadonlySet<string>[]>
}

export type PublishDeps = Pick<Rights, 'isOpen'> & {
  readonly kernel: Pick<Kernel, 'settings' | 'clock'>
}

export type Publish = (
  tx: Tx,
  events: readonly PublishedEvent[],
  by: Publisher,
) => Promise<readonly string[]>

/** By type. A slow reader may put an older version back: the next request reads again. */
type Fits = ReturnType<typeof boundedCache<Current>>
const fits_kept = 1000

export function openPublish(deps: PublishDeps): Publish {
  const fits: Fits = boundedCache<Current>(fits_kept)
  return async (tx, events, by) => {
    // Asked together, so that they take one round trip.
    const [grants, rows] = await Promise.all([by.grants(), readTypes(tx, fits, events)])
    requireRights(events, by.tenant_id, grants)
    requireSizes(deps, events)
    const types = await currentTypes(rows, fits, events)
    for (const [at, { type, data }] of events.entries()) {
      const errors = (await types.get(type)?.fit(data, `/events/${at}/data`)) ?? []
      if (errors.length > 0) throw problem('event_data_invalid', { errors })
    }
    await requireTenants(tx, deps, events, by)
    const chosen = events.flatMap((event, at): Aggregate[] => {
      const { aggregate_id: id, aggregate_version: version = null } = event
      return id === undefined ? [] : [{ at, ...aggregateOf(event, by), id, version }]
    })
    const versions = await nextVersions(tx, chosen, deps.kernel.clock.nowMs())
    return events.map((event, at) => {
      const { tenant_id, type: aggregate_type } = aggregateOf(event, by)
      const id = newId()
      return tx.emit({
        id,
        type: event.type,
        tenant_id,
        aggregate_type,
        aggregate_id: event.aggregate_id ?? id,
        aggregate_version: versions.get(at) ?? event.aggregate_version ?? 1,
        data: event.data,
        schema_version: types.get(event.type)?.schema_version ?? 1,
      })
    })
  }
}

function aggregateOf({ type, aggregate_type, tenant_id }: PublishedEvent, by: Publisher) {
  return { tenant_id: tenant_id ?? by.tenant_id, type: aggregate_type ?? nounOf(type) }
}

function requireRights(
  events: readonly PublishedEvent[],
  own: string,
  grants: ReadonlySet<string>,
): void {
  for (const { type, tenant_id = own } of events) {
    const needed = `kernel.events.publish${tenant_id === own ? '' : '_any'}`
    if (!allowsType(grants, needed, type)) throw lacks(`${needed}:${type}`)
  }
}

function requireSizes({ kernel }: PublishDeps, events: readonly PublishedEvent[]): void {
  const most = kernel.settings['kernel.event_data_bytes']
  for (const [at, { data }] of events.entries()) {
    if (Buffer.byteLength(JSON.stringify(data)) <= most) continue
    const detail = `The data of an event have at most ${most} bytes as JSON; those of event ${at} have more.`
    throw problem('content_too_large', { detail })
  }
}

type Current = { readonly schema_version: number; readonly fit: Fit }

const Row = Type.Object({
  type: Type.String(),
  schema_version: Type.Integer(),
  schema: nullable(Type.Unsafe<object>(Type.Any())),
})

/** The version of each type, and its schema if that is not the one that is kept. */
async function readTypes(tx: Tx, fits: Fits, events: readonly PublishedEvent[]) {
  const names = [...new Set(events.map(one => one.type))]
  const kept = names.map(name => fits.get(name)?.schema_version ?? 0)
  return await tx.many(
    Row,
    sql`
      select t.type, t.schema_version,
        case when t.schema_version <> known.version then t.schema end as schema
      from unnest(${names}::text[], ${kept}::int[]) as known (type, version)
      join kernel.event_types t on t.type = known.type
      where t.archived_at is null`,
  )
}

/**
 * The check of each type. Types of the code are not published over HTTP. Each version is compiled
 * once, in bounded time, and checks with a limited number of steps.
 */
async function currentTypes(
  rows: readonly Static<typeof Row>[],
  fits: Fits,
  events: readonly PublishedEvent[],
): Promise<ReadonlyMap<string, Current>> {
  const found = new Map<string, Current>()
  for (const { type, schema_version, schema } of rows) {
    const known = schema ? { schema_version, fit: await compileSchema(schema) } : fits.get(type)
    if (!known) continue
    fits.set(type, known)
    found.set(type, known)
  }
  const unknown = events.flatMap(({ type }, at) => (found.has(type) ? [] : [fault(at, 'type')]))
  if (unknown.length > 0) throw problem('event_type_unknown', { errors: unknown.slice(0, 20) })
  return found
}

const Elsewhere = Type.Object({ tenant_id: Type.String() })

async function requireTenants(
  tx: Tx,
  { isOpen }: PublishDeps,
  events: readonly PublishedEvent[],
  by: Publisher,
): Promise<void> {
  const others = new Set(events.flatMap(({ tenant_id = by.tenant_id }) => tenant_id))
  others.delete(by.tenant_id)
  if (others.size === 0) return
  const elsewhere = await tx.many(
    Elsewhere,
    sql`
      select tenant_id from kernel.tenant_states
      where tenant_id = any (${[...others]}::uuid[]) and state in ('moved', 'deleted')`,
  )
  const closed = new Set(elsewhere.map(row => row.tenant_id))
  for (const one of others) if (!(await isOpen(tx, one))) closed.add(one)
  const refused = events.flatMap(({ tenant_id = '' }, at) =>
    closed.has(tenant_id) ? [fault(at, 'tenant_id')] : [],
  )
  if (refused.length > 0) throw problem('event_tenant_unknown', { errors: refused.slice(0, 20) })
}

function fault(at: number, member: 'type' | 'tenant_id'): FieldError {
  const constraint = member === 'type' ? 'event_type' : 'exists'
  return { location: 'body', pointer: `/events/${at}/${member}`, constraint }
}
