/** Creates a product with its variants. It is a draft unless the request makes it active. */
import { newId, sql, violates, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { Key } from '../schemas.ts'
import { requireImages } from './images.ts'
import type { CreateProduct } from './schemas.ts'
import { writeVariants } from './write-variants.ts'

export async function createProduct(
  tx: Tx,
  deps: Pick<Deps, 'files'>,
  principal: Principal,
  given: CreateProduct,
): Promise<Key> {
  const key = { tenant_id: principal.tenant_id, id: newId() }
  const { handle, title, description = '', category = '', tax_class = 'standard' } = given
  const { attributes = {}, tags = [], translations = {}, state = 'draft', variants } = given
  const images = given.images ?? []
  await requireImages(tx, deps, principal, images)
  try {
    await tx.run(sql`
      insert into commerce.catalog_products (
        tenant_id, id, handle, title, description, category, tax_class, attributes, tags,
        translations, images, state, published_at)
      values (
        ${key.tenant_id}, ${key.id}, ${handle}, ${title}, ${description}, ${category},
        ${tax_class}, ${sql.json(attributes)}::jsonb, ${tags}::text[],
        ${sql.json(translations)}::jsonb, ${images}::uuid[], ${state},
        case when ${state} = 'draft' then null else kernel.now() end)`)
  } catch (error) {
    if (!violates(error, 'catalog_products_handle')) throw error
    throw problem('handle_taken', { detail: `Choose another handle than ${handle}.` })
  }
  announceProduct(tx, key, 1, state)
  await writeVariants(tx, deps, principal, { key, title, variants })
  return key
}

export function announceProduct(tx: Tx, { tenant_id, id }: Key, version: number, state: string) {
  tx.emit({
    type: 'product.changed',
    tenant_id,
    aggregate_type: 'product',
    aggregate_id: id,
    aggregate_version: version,
    data: { product_id: id, state },
  })
}
