/**
 * Compares store and rows, in both directions. Stored bytes without a row are removed when they are
 * so old that no running request can still add a row for them. A file whose object is missing is
 * quarantined. While other cells use the same bucket, nothing is removed that this cell does not know.
 */
import { Type } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { Id } from '../../../kernel/http/shapes.ts'
import { cellId } from '../../../kernel/objects/cell-id.ts'
import { hasOtherCells, joinBucket } from '../../../kernel/objects/shared-bucket.ts'
import { quarantineFile } from '../files/quarantine-file.ts'
import type { Kernel } from '../settings.ts'

const portion = 500

export type Reconciled = {
  objects: number
  uploads: number
  missing: number
  /** Other cells use the bucket, so what no row names here was not removed. */
  shared: boolean
}

/** With `remove` false it only counts. */
export async function reconcile(
  kernel: Kernel,
  { remove, signal }: { readonly remove: boolean; readonly signal: AbortSignal },
): Promise<Reconciled> {
  const cell_id = await cellId(kernel.db)
  if (remove) await joinBucket(kernel.objects, cell_id)
  const isShared = () => hasOtherCells(kernel.objects, cell_id)
  // Another cell may join at any time, so this is checked again for each portion.
  const mayRemove = async () => remove && !(await isShared())
  const [objects, uploads, missing] = [
    await orphanedObjects(kernel, mayRemove, signal),
    await orphanedUploads(kernel, mayRemove, signal),
    await missingObjects(kernel, remove, signal),
  ]
  return { objects, uploads, missing, shared: await isShared() }
}

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

export async function missingObjects(kernel: Kernel, remove: boolean, signal: AbortSignal) {
  const { db, objects } = kernel
  let count = 0
  let after: string | null = null
  while (!signal.aborted) {
    const files: { tenant_id: string; id: string; storage_key: string }[] = await db.many(
      Stored,
      sql`
        -- any tenant: a sweep
        select tenant_id, id, storage_key from uploads.files
        where state = 'available' and (${after}::uuid is null or id > ${after}::uuid)
        order by id limit ${portion}`,
    )
    for (const file of files) {
      if (await objects.head(file.storage_key)) continue
      count++
      kernel.log.error({ file_id: file.id }, 'the object of a file is missing')
      if (remove) await db.tx(tx => quarantineFile(tx, kernel, file, 'object_missing'))
    }
    after = files.at(-1)?.id ?? null
    if (files.length < portion) break
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
