/**
 * Only one process at a time writes to an index table. It holds the lease in the row of the index
 * version, and the engine refuses a write after the lease has ended. Writers of one process wait
 * for each other in memory.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Type, type Static } from 'typebox'
import { JobFailure, newId, sql, type Db } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { IndexFailed, leaseFor, type Lease } from '../engines/index.ts'
import { tableOf, type IndexVersion } from './index-versions.ts'

export type Writing = {
  readonly table: string
  readonly table_id: string
  readonly lease: Lease
  readonly token: string
}

type Needed = Pick<Deps, 'index' | 'profiles'> & { readonly kernel: { readonly db: Db } }
type Place = Pick<IndexVersion, 'tenant_id' | 'collection_id' | 'version'>

const lease_seconds_usual = 30
const poll_ms = 100
/** A process that waits and does not ask again within this time has ended. */
const next_seconds = 2
const wait_ms_max = 60_000
/** Tables that this process has used. A purge moves the live rows to a table with a new name. */
const created = new Set<string>()
const created_max = 10_000
const queues = new Map<string, Promise<unknown>>()

const Taken = Type.Object({
  table_id: Type.String(),
  embedding_profile: Type.String(),
  language: Type.String(),
})

/** Undefined if the version is dropped or failed, so there is no table to write to. */
export async function withWriter<T>(
  deps: Needed,
  place: Place,
  write: (writing: Writing) => Promise<T>,
  lease_seconds = lease_seconds_usual,
): Promise<T | undefined> {
  const key = `${place.collection_id} ${place.version}`
  const before = queues.get(key) ?? Promise.resolve()
  const mine = before
    .catch(() => {})
    .then(async () => await writeAlone(deps, place, write, lease_seconds))
  queues.set(key, mine)
  try {
    return await mine
  } finally {
    if (queues.get(key) === mine) queues.delete(key)
  }
}

async function writeAlone<T>(
  deps: Needed,
  place: Place,
  write: (writing: Writing) => Promise<T>,
  lease_seconds: number,
): Promise<T | undefined> {
  const { db } = deps.kernel
  const token = newId()
  const taken = await takeLease(deps, place, token, lease_seconds)
  if (!taken) return undefined
  const { table_id, lease, embedding_profile, language } = taken
  try {
    const profile = deps.profiles.find(embedding_profile)
    if (!profile) throw new JobFailure('embedding_provider_unavailable', { retryable: true })
    const table = tableOf(table_id)
    if (!created.has(table)) {
      await deps.index.create(table, { dimensions: profile.dimensions, language })
      created.add(table)
      const [oldest] = created
      if (created.size > created_max && oldest !== undefined) created.delete(oldest)
    }
    return await write({ table, table_id, lease, token })
  } catch (error) {
    // The table is created again at the next attempt.
    if (error instanceof IndexFailed && error.code === 'table_missing')
      created.delete(tableOf(table_id))
    throw error
  } finally {
    await db
      .run(
        sql`
          update retrieval.index_versions set writer_token = null, writer_until = null
          where tenant_id = ${place.tenant_id} and collection_id = ${place.collection_id}
            and version = ${place.version} and writer_token = ${token}`,
      )
      .catch(() => {})
  }
}

/** Keeps the lease of a write for as long as the work takes, such as a copy of a million rows. */
export async function extendLease<T>(
  { kernel: { db } }: Pick<Needed, 'kernel'>,
  { tenant_id, collection_id, version }: Place,
  { token, lease }: Writing,
  lease_seconds: number,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const kept = { until_ms: lease.until_ms }
  const extend = async () => {
    const { until_ms } = leaseFor(lease_seconds)
    const held = await db.run(sql`
      update retrieval.index_versions
      set writer_until = now() + make_interval(secs => ${lease_seconds})
      where tenant_id = ${tenant_id} and collection_id = ${collection_id} and version = ${version}
        and writer_token = ${token} and writer_until > now()`)
    if (held === 1) kept.until_ms = until_ms
  }
  const extending = setInterval(
    () => {
      // If the database does not answer, the next one may still be in time.
      extend().catch(() => {})
    },
    (lease_seconds * 1000) / 3,
  )
  try {
    return await work(kept)
  } finally {
    clearInterval(extending)
  }
}

/** Waits for the lease. Undefined if there is no table to write to. */
async function takeLease(
  { kernel: { db } }: Pick<Needed, 'kernel'>,
  place: Place,
  token: string,
  lease_seconds: number,
) {
  const deadline = performance.now() + wait_ms_max
  for (;;) {
    const taken = await tryLease(db, place, token, lease_seconds)
    if (taken === 'gone') return undefined
    if (taken !== 'busy') return taken
    if (performance.now() > deadline) {
      throw new JobFailure('index_write_failed', { retryable: true })
    }
    await wait(poll_ms)
  }
}

const Live = Type.Object({ live: Type.Boolean() })
const live = sql`i.state in ('building', 'ready', 'active', 'retired')`

/**
 * Takes the lease if the table is free, or asks to be the next. Without the order, a process with
 * much to write would take the lease again before another one looks: with three nodes a document
 * waited for up to 30 s.
 */
export async function tryLease(
  db: Db,
  { tenant_id, collection_id, version }: Place,
  token: string,
  lease_seconds: number,
): Promise<(Static<typeof Taken> & { lease: Lease }) | 'busy' | 'gone'> {
  const at = sql`i.tenant_id = ${tenant_id} and i.collection_id = ${collection_id}
    and i.version = ${version}`
  const lease = leaseFor(lease_seconds)
  const taken = await db.maybe(
    Taken,
    sql`
      update retrieval.index_versions i set writer_token = ${token},
        writer_until = now() + make_interval(secs => ${lease_seconds}),
        next_writer = null, next_writer_until = null
      from retrieval.collections c
      where ${at} and ${live} and (i.writer_until is null or i.writer_until < now())
        and (i.next_writer is null or i.next_writer = ${token} or i.next_writer_until < now())
        and c.tenant_id = i.tenant_id and c.id = i.collection_id
      returning i.table_id, i.embedding_profile, c.language`,
  )
  if (taken) return { ...taken, lease }
  const found = await db.one(
    Live,
    sql`
      with asked as (
        update retrieval.index_versions i set next_writer = ${token},
          next_writer_until = now() + make_interval(secs => ${next_seconds})
        where ${at} and (i.next_writer is null or i.next_writer_until < now()
          or (i.next_writer = ${token}
            and i.next_writer_until < now() + make_interval(secs => ${next_seconds / 2})))
      )
      select exists (select from retrieval.index_versions i where ${at} and ${live}) as live`,
  )
  return found.live ? 'busy' : 'gone'
}
