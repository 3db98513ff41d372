/**
 * Stores the result of an attempt, if the caller holds its lease. The row is written first and
 * names the object, so there are never bytes without a row. The worker gets the row's id only when
 * all bytes are stored.
 */
import { hash } from 'node:crypto'
import { newId, sql, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import type { Kernel } from '../settings.ts'

export type StoredResult = {
  readonly result_ref: string
  readonly size: number
  readonly checksum_sha256: string
}

/** The lock of the attempt, or nothing if its lease is lost. */
type Hold = (
  tx: Tx,
) => Promise<
  { readonly job_id: string; readonly tenant_id: string; readonly attempt_id: string } | undefined
>

export async function storeResult(
  { db, objects, fault }: Pick<Kernel, 'db' | 'objects' | 'fault'>,
  hold: Hold,
  media_type: string,
  bytes: Uint8Array,
): Promise<StoredResult> {
  const id = newId()
  const key = keyOf(id)
  const checksum = hash('sha256', bytes, 'buffer')
  await db.tx(async tx => {
    const held = await hold(tx)
    if (!held) throw problem('lease_lost')
    await tx.run(sql`
      insert into jobs.job_results (id, job_id, tenant_id, attempt_id, media_type, size,
        checksum_sha256, blob_key)
      values (${id}, ${held.job_id}, ${held.tenant_id}, ${held.attempt_id}, ${media_type},
        ${bytes.length}, ${checksum}, ${key})`)
  })
  await fault('jobs.after_result_row')
  await objects.put(key, bytes)
  await fault('jobs.after_result_bytes')
  return { result_ref: id, size: bytes.length, checksum_sha256: checksum.toString('hex') }
}

/** The end of an id is random, so folders fill evenly. */
function keyOf(id: string): string {
  return `jobs/${id.slice(-2)}/${id}`
}
