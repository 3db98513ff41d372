/**
 * Whether the store is the one that the files of this database are in. A volume that is not mounted,
 * and another bucket, have none of the objects, and answer like a store that has lost them. So a
 * missing object counts as lost only while the store has the mark of this cell. The mark is left where
 * nothing speaks against it: the database has no files, or the store has one of them.
 */
import { Gauge } from 'prom-client'
import { Type } from 'typebox'
import { cellId, hasJoined, joinBucket, sql, StoreUnavailable } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'

export type OwnStore = {
  /** Throws `ForeignStore` if the store is not, or not yet, known to be the own one. */
  require(): Promise<void>
  /** The same for many callers: the answer is up to five seconds old. */
  requireLately(): Promise<void>
  /** False from the start until this process has found its store; true while the store is down. */
  isReady(): Promise<boolean>
  /** Whether an object is gone for good, as far as the store can say. */
  isLost(key: string): Promise<boolean>
  /** By an operator: from now on this store is the own one. */
  adopt(): Promise<void>
  /** The number of files without an object, at the last comparison. */
  noteMissing(count: number): void
}

/** The store answers, but as another one. */
export class ForeignStore extends StoreUnavailable {
  override readonly name = 'ForeignStore'
}

const sample = 20
const lately_ms = 5000

type Needed = Pick<Kernel, 'db' | 'objects' | 'metrics' | 'settings' | 'data_dir'>

export function openOwnStore(kernel: Needed): OwnStore {
  const { objects } = kernel
  const { unknown, missing } = gauges(kernel)
  let cell: Promise<string> | undefined
  let found = false
  let last: { readonly at_ms: number; readonly answer: Promise<void> } | undefined
  const ownId = () =>
    (cell ??= cellId(kernel.db).catch((error: unknown) => {
      cell = undefined
      throw error
    }))
  const require = async () => {
    const own = await isOwn(kernel, await ownId())
    unknown.set(own ? 0 : 1)
    if (!own) throw new ForeignStore(adviceFor(kernel))
    found = true
  }
  const requireLately = () => {
    if (last && performance.now() - last.at_ms < lately_ms) return last.answer
    last = { at_ms: performance.now(), answer: require() }
    return last.answer
  }
  return {
    require,
    requireLately,
    isReady: async () =>
      found ||
      (await requireLately().then(
        () => true,
        (error: unknown) => !(error instanceof ForeignStore),
      )),
    isLost: async key => {
      if (await objects.head(key)) return false
      await require()
      // Between the two answers a volume may have been mounted.
      return !(await objects.head(key))
    },
    adopt: async () => await joinBucket(objects, await ownId()),
    noteMissing: count => missing.set(count),
  }
}

/**
 * Of the files the oldest are looked for: newer ones may have been written while a store of the wrong
 * place was in use.
 */
async function isOwn({ db, objects }: Needed, cell_id: string): Promise<boolean> {
  if (await hasJoined(objects, cell_id)) return true
  const files = await db.many(
    Type.Object({ storage_key: Type.String() }),
    sql`
      -- any tenant: the store has the files of all of them
      select storage_key from uploads.files where state = 'available' order by id limit ${sample}`,
  )
  const there = await Promise.all(files.map(({ storage_key }) => objects.head(storage_key)))
  if (files.length > 0 && !there.some(Boolean)) return false
  await joinBucket(objects, cell_id)
  return true
}

function adviceFor({ objects, settings, data_dir }: Needed): string {
  const [place, cure] =
    objects.engine === 'local'
      ? [`folder ${data_dir}/objects`, 'Mount the volume that has them, or correct DATA_DIR.']
      : [`bucket ${settings['kernel.objects_s3_bucket']}`, 'Correct KERNEL_OBJECTS_S3_BUCKET.']
  return (
    `The ${place} has none of the files of this database, so no file counts as lost, and no upload ` +
    `can begin. ${cure} If the files are lost for good, run ` +
    '`npx dodeca uploads reconcile --remove --accept-loss`.'
  )
}

function gauges({ metrics }: Needed) {
  const registers = [metrics.registry]
  return {
    unknown: new Gauge({
      name: 'uploads_store_unknown',
      help: '1 while the object store is not the one that has the files of this database',
      registers,
    }),
    missing: new Gauge({
      name: 'uploads_files_missing',
      help: 'Available files whose object the last comparison did not find',
      registers,
    }),
  }
}
