/**
 * Compares store and rows, in both directions. Stored bytes without a row are removed when they are
 * so old that no running request can still add a row for them. A file whose object is missing is
 * quarantined, unless a share of them is missing that looks like a store which is not complete, such
 * as during a restore. While other cells use the same bucket, nothing is removed that this cell does
 * not know.
 */
import { Type, type Static } from 'typebox'
import { cellId, hasOtherCells, Id, sql } from '#dodeca/kernel'
import { quarantineFile } from '../files/quarantine-file.ts'
import type { Kernel } from '../settings.ts'
import type { OwnStore } from './own-store.ts'

const portion = 500
/** More files than this, and than this share of all files, are not quarantined without an operator. */
const missing_believed = { files: 10, share: 0.05 }
/** The others follow at the next comparison. */
const quarantined_at_once = 1000

export type Reconciled = {
  objects: number
  uploads: number
  missing: number
  quarantined: number
  /** Other cells use the bucket, so what no row names here was not removed. */
  shared: boolean
}

export type Asked = {
  /** Without it, everything is only counted. */
  readonly remove: boolean
  /** What is missing is lost for good, however much it is, and this is the own store from now on. */
  readonly accept_loss?: boolean
  readonly signal: AbortSignal
}

export async function reconcile(
  kernel: Kernel,
  store: OwnStore,
  { remove, accept_loss = false, signal }: Asked,
): Promise<Reconciled> {
  if (remove && accept_loss) await store.adopt()
  await store.require()
  const cell_id = await cellId(kernel.db)
  const isShared = () => hasOtherCells(kernel.objects, cell_id)
  // Another cell may join at any time, so this is checked again for each portion.
  const mayRemove = async () => remove && !(await isShared())
  const objects = await orphanedObjects(kernel, mayRemove, signal)
  const uploads = await orphanedUploads(kernel, mayRemove, signal)
  const { files, missing, checked } = await missingObjects(kernel, signal)
  if (!signal.aborted) store.noteMissing(missing)
  const { files: few, share } = missing_believed
  const believed = accept_loss || missing <= Math.max(few, checked * share)
  if (!believed) kernel.log.error({ missing, checked }, too_many)
  const quarantined = remove && believed ? await quarantineLost(kernel, store, files, signal) : 0
  return { objects, uploads, missing, quarantined, shared: await isShared() }
}

const too_many =
  'so many files have no object that the store seems to be incomplete; none is quarantined. Restore ' +
  'the objects. If they are lost for good, run `npx dodeca uploads reconcile --remove --accept-loss`'

type MayRemove = () => Promise<boolean>

async function orphanedObjects(kernel: Kernel, mayRemove: MayRemove, signal: AbortSignal) {
  const { db, objects } = kernel
  const oldest_ms = kernel.clock.nowMs() - kernel.settings['uploads.orphan_seconds'] * 1000
  let count = 0
  for await (const keys of portionsOf(
    objects.list('o'),
    one => one.modified_ms < oldest_ms && one.key,
  )) {
    if (signal.aborted) break
    const known = await db.many(
      Type.Object({ storage_key: Type.String() }),
      sql`
        -- any tenant: a sweep
        select storage_key from uploads.uploads
        where storage_key = any(${keys}::text[]) and state in ('initiated', 'quarantined')
        union all
        select storage_key from uploads.files
        where storage_key = any(${keys}::text[]) and (state <> 'purged' or retention_until is not null)
        union all
        select d.storage_key from uploads.derivatives d
        join uploads.files f on f.tenant_id = d.tenant_id and f.id = d.file_id
        where d.storage_key = any(${keys}::text[]) and d.state <> 'deleted'
          and (f.state <> 'purged' or f.retention_until is not null)`,
    )
    const named = new Set(known.map(row => row.storage_key))
    const unnamed = keys.filter(one => !named.has(one))
    const remove = unnamed.length > 0 && (await mayRemove())
    for (const key of unnamed) {
      count++
      kernel.log.info({ key, remove }, 'an object that no row names')
      if (remove) await objects.delete(key)
    }
  }
  return count
}

async function orphanedUploads(kernel: Kernel, mayRemove: MayRemove, signal: AbortSignal) {
  const { db, objects } = kernel
  const oldest_ms = kernel.clock.nowMs() - kernel.settings['uploads.orphan_seconds'] * 1000
  let count = 0
  const old = portionsOf(objects.multipart.list(), one => one.begun_ms < oldest_ms && one)
  for await (const places of old) {
    if (signal.aborted) break
    const references = places.map(place => place.reference)
    const known = await db.many(
      Type.Object({ reference: Type.String() }),
      sql`
        -- any tenant: a sweep
        select multipart_upload_id as reference from uploads.uploads
        where multipart_upload_id = any(${references}::text[])`,
    )
    const named = new Set(known.map(row => row.reference))
    const unnamed = places.filter(one => !named.has(one.reference))
    const remove = unnamed.length > 0 && (await mayRemove())
    for (const place of unnamed) {
      count++
      kernel.log.info({ reference: place.reference, remove }, 'an upload that no row names')
      if (remove) await objects.multipart.abort(place)
    }
  }
  return count
}

const Stored = Type.Object({ tenant_id: Id, id: Id, storage_key: Type.String() })
type Stored = Static<typeof Stored>

/** `files` are some of the missing ones. */
export async function missingObjects(
  { db, objects }: Pick<Kernel, 'db' | 'objects'>,
  signal: AbortSignal,
) {
  const files: Stored[] = []
  let [missing, checked] = [0, 0]
  let after: string | null = null
  while (!signal.aborted) {
    const some: Stored[] = await db.many(
      Stored,
      sql`
        -- any tenant: a sweep
        select tenant_id, id, storage_key from uploads.files
        where state = 'available' and (${after}::uuid is null or id > ${after}::uuid)
        order by id limit ${portion}`,
    )
    for (const file of some) {
      checked++
      if (await objects.head(file.storage_key)) continue
      missing++
      if (files.length < quarantined_at_once) files.push(file)
    }
    after = some.at(-1)?.id ?? null
    if (some.length < portion) break
  }
  return { files, missing, checked }
}

async function quarantineLost(
  kernel: Kernel,
  store: OwnStore,
  files: readonly Stored[],
  signal: AbortSignal,
): Promise<number> {
  let count = 0
  for (const file of files) {
    if (signal.aborted) break
    if (!(await store.isLost(file.storage_key))) continue
    kernel.log.error({ file_id: file.id }, 'the object of a file is missing')
    if (await kernel.db.tx(tx => quarantineFile(tx, kernel, file, 'object_missing'))) count++
  }
  return count
}

async function* portionsOf<T, V>(
  items: AsyncIterable<T>,
  pick: (item: T) => V | false,
): AsyncGenerator<V[]> {
  let gathered = [] as V[]
  for await (const item of items) {
    const picked = pick(item)
    if (picked === false) continue
    gathered.push(picked)
    if (gathered.length < portion) continue
    yield gathered
    gathered = []
  }
  if (gathered.length > 0) yield gathered
}
