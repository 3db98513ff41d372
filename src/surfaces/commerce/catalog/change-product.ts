/**
 * Changes the properties that the request contains. When a draft becomes active, it is published
 * once.
 */
import { Type } from 'typebox'
import { expectVersion, oneOf, sql, Version, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { Key } from '../schemas.ts'
import { announceProduct } from './create-product.ts'
import { requireImages } from './images.ts'
import { type ChangeProduct, product_states } from './schemas.ts'
import { writeVariants } from './write-variants.ts'

const Before = Type.Object({
  title: Type.String(),
  state: oneOf(...product_states),
  images: Type.Array(Type.String()),
  version: Version,
})

export async function changeProduct(
  tx: Tx,
  deps: Pick<Deps, 'files'>,
  principal: Principal,
  { tenant_id, id }: Key,
  given: ChangeProduct,
  if_match: string | string[] | undefined,
): Promise<void> {
  const before = await tx.maybe(
    Before,
    sql`
      select title, state, images::text[] as images, version from commerce.catalog_products
      where tenant_id = ${tenant_id} and id = ${id} for update`,
  )
  if (!before) throw problem('product_not_found')
  // The ETag of a product contains more than its version.
  expectVersion(String(if_match ?? '*').replaceAll(/\.[\w-]+"/g, '"'), before.version)
  const { title, description, category, tax_class, attributes, images, state } = given
  const { tags, translations, variants = [] } = given
  if (state === 'draft' && before.state !== 'draft') {
    throw problem('invalid_transition', {
      current_state: before.state,
      detail: 'A product that was published becomes archived, not a draft.',
    })
  }
  const added = (images ?? []).filter(one => !before.images.includes(one))
  await requireImages(tx, deps, principal, added)
  await tx.run(sql`
    update commerce.catalog_products
    set title = coalesce(${title ?? null}, title),
      description = coalesce(${description ?? null}, description),
      category = coalesce(${category ?? null}, category),
      tax_class = coalesce(${tax_class ?? null}, tax_class),
      attributes = coalesce(${attributes ? sql.json(attributes) : null}::jsonb, attributes),
      tags = coalesce(${tags ?? null}::text[], tags),
      translations = coalesce(
        ${translations ? sql.json(translations) : null}::jsonb, translations),
      images = coalesce(${images ?? null}::uuid[], images),
      state = coalesce(${state ?? null}, state),
      published_at = case when ${state ?? null} in ('active', 'archived')
        then coalesce(published_at, kernel.now()) else published_at end,
      version = version + 1, updated_at = kernel.now()
    where tenant_id = ${tenant_id} and id = ${id}`)
  announceProduct(tx, { tenant_id, id }, before.version + 1, state ?? before.state)
  const key = { tenant_id, id }
  await writeVariants(tx, deps, principal, { key, title: title ?? before.title, variants })
}
