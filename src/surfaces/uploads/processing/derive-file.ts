/**
 * Makes the derivatives that the purpose requires. The row that names an object is written before
 * the object. An existing derivative is made again under the same key, so a repeated stage leaves
 * no orphan.
 */
import { createReadStream } from 'node:fs'
import { Type } from 'typebox'
import { newId, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { FileRow } from '../files/file-row.ts'
import { DerivativeKind } from '../schemas.ts'
import { newStorageKey } from '../uploads/create-upload.ts'
import { withLocalCopy, withSpool } from './local-copy.ts'
import type { Found } from './stages.ts'

const Pending = Type.Object({ kind: DerivativeKind, storage_key: Type.String() })

export async function deriveFile(deps: Deps, file: FileRow, signal: AbortSignal): Promise<Found> {
  const { kernel, inspectors, purposes } = deps
  const { objects, db } = kernel
  const kinds = purposes.get(file.purpose)?.derivatives ?? []
  const { tenant_id, id } = file
  const pending = await db.many(
    Pending,
    sql`
      insert into uploads.derivatives as d (tenant_id, id, file_id, kind, storage_key)
      select ${tenant_id}, g.id, ${id}, g.kind, g.storage_key
      from unnest(${kinds.map(() => newId())}::uuid[], ${kinds}::text[],
        ${kinds.map(() => newStorageKey(kernel))}::text[]) g (id, kind, storage_key)
      on conflict (tenant_id, file_id, kind) do update set state = 'pending'
      returning d.kind, d.storage_key`,
  )
  await withSpool(kernel, pending.length, async paths => {
    const outputs = pending.map(({ kind }, index) => ({ kind, path: paths[index] ?? '' }))
    const derived = await withLocalCopy(deps, file, signal, path =>
      inspectors.derive({ path, outputs }, { tenant_id, signal }),
    )
    for (const { kind, storage_key } of pending) {
      const made = derived.find(one => one.kind === kind)
      const path = outputs.find(one => one.kind === kind)?.path
      if (!made || path === undefined) throw new Error(`no ${kind} was made`)
      const stored = await objects.put(storage_key, createReadStream(path))
      await kernel.fault('uploads.after_derivative')
      const kept = await db.run(sql`
        update uploads.derivatives d
        set state = 'ready', storage_version = ${stored.version}, size = ${stored.size},
          sha256 = ${stored.sha256}, media_type = 'image/webp', width = ${made.width},
          height = ${made.height}
        from uploads.files f
        where d.tenant_id = ${tenant_id} and d.file_id = ${id} and d.kind = ${kind}
          and d.state <> 'deleted' and f.tenant_id = d.tenant_id and f.id = d.file_id
          and f.state <> 'purged'`)
      if (kept > 0) continue
      // The file was purged, maybe before this object was written.
      await objects.delete(storage_key)
      return
    }
  })
  await countDerivatives(deps, file)
  return {}
}

/**
 * Derivatives count against the tenant's quota. A repeated stage sets the same sum again. A file
 * that was purged meanwhile counts nothing.
 */
async function countDerivatives({ kernel: { db } }: Deps, { tenant_id, id, size }: FileRow) {
  await db.run(sql`
    with held as (
      select reserved_bytes from uploads.files
      where tenant_id = ${tenant_id} and id = ${id} and state <> 'purged' for update
    ), wanted as (
      select ${size}::bigint + coalesce(sum(d.size), 0)::bigint as bytes from uploads.derivatives d
      where d.tenant_id = ${tenant_id} and d.file_id = ${id}
    ), counted as (
      update uploads.files set reserved_bytes = wanted.bytes from wanted, held
      where tenant_id = ${tenant_id} and id = ${id}
    )
    update uploads.tenant_usage t
    set reserved_bytes = t.reserved_bytes + wanted.bytes - held.reserved_bytes
    from wanted, held where t.tenant_id = ${tenant_id}`)
}
