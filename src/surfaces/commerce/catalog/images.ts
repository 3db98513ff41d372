/** Images of products: files of uploads, shown through short-lived URLs. */
import { Problem, sql, type Principal, type Tx } from '#dodeca/kernel'
import { Type } from 'typebox'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'

const url_seconds = 3600

export function imageOf({ files }: Pick<Deps, 'files'>, file_id: string) {
  const { url } = files.signDownload(file_id, 'sanitized', 'inline', url_seconds)
  return { file_id, url }
}

/** Changes twice within the life of a URL. */
export function urlPeriod(now_seconds: number): number {
  return Math.floor(now_seconds / (url_seconds / 2))
}

type Purpose = 'product_media' | 'generic'
type Asking = (
  tx: Tx,
  deps: Pick<Deps, 'files'>,
  principal: Principal,
  file_ids: readonly string[],
) => Promise<void>

/** New images must be the caller's own uploads for products. Existing images stay. */
export const requireImages: Asking = (tx, deps, principal, file_ids) =>
  requireOwn(tx, deps, principal, { file_ids, purpose: 'product_media' })

/** The same for the files that a variant is: a book, a program. */
export const requireFiles: Asking = (tx, deps, principal, file_ids) =>
  requireOwn(tx, deps, principal, { file_ids, purpose: 'generic' })

async function requireOwn(
  tx: Tx,
  { files }: Pick<Deps, 'files'>,
  principal: Principal,
  { file_ids, purpose }: { readonly file_ids: readonly string[]; readonly purpose: Purpose },
): Promise<void> {
  for (const file_id of file_ids.toSorted()) {
    try {
      await files.requireAvailable(tx, principal, file_id, [purpose])
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 404) throw error
      throw problem(purpose === 'generic' ? 'variant_file_not_available' : 'image_not_available', {
        detail: `Upload ${file_id} for ${purpose} first, and wait until it is available.`,
      })
    }
  }
}

/** Every member of the tenant may read the images of products that are on sale. */
export function plugImages({ files }: Pick<Deps, 'files'>): void {
  files.plugReaders('product_media', async (reader, { tenant_id }, file_ids) => {
    const rows = await reader.many(
      Type.Object({ file_id: Type.String() }),
      sql`
        select distinct i.file_id::text as file_id
        from commerce.catalog_products p, unnest(p.images) as i (file_id)
        where p.tenant_id = ${tenant_id} and p.state = 'active'
          and p.images && ${[...file_ids]}::uuid[] and i.file_id = any(${[...file_ids]}::uuid[])`,
    )
    return new Set(rows.map(row => row.file_id))
  })
}
