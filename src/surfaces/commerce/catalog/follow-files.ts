/**
 * Removes an image from its products, and a file from its variants, when it is deleted or found
 * harmful, and increases the versions of the products. A file can be of several products, and events of two files run at once, so the products
 * are locked in one order.
 */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { Id, sql, type Consumer } from '#dodeca/kernel'
import { announceProduct } from './create-product.ts'

const Gone = Type.Object({ file_id: Id })
const Changed = Type.Object({
  id: Type.String(),
  state: Type.String(),
  version: Type.Integer(),
})

export const followFiles: Consumer = {
  name: 'commerce.images',
  events: ['file.quarantined', 'file.deleted'],
  run: async (tx, { tenant_id, payload }) => {
    if (!Value.Check(Gone, payload)) throw new Error('not an event of a file')
    const { file_id } = payload
    const products = await tx.many(
      Changed,
      sql`
        with sold as materialized (
          select v.sku, v.product_id from commerce.product_variants v
          where v.tenant_id = ${tenant_id} and v.file_ids <> '{}'
            and v.file_ids @> array[${file_id}::uuid]
        ), held as materialized (
          select id from commerce.catalog_products
          where tenant_id = ${tenant_id} and (images @> array[${file_id}::uuid]
            or id in (select product_id from sold))
          order by id for no key update
        ), freed as (
          update commerce.product_variants v
          set file_ids = array_remove(v.file_ids, ${file_id}::uuid)
          from sold where v.tenant_id = ${tenant_id} and v.sku = sold.sku
        )
        update commerce.catalog_products p
        set images = array_remove(p.images, ${file_id}::uuid), version = p.version + 1,
          updated_at = kernel.now()
        from held where p.tenant_id = ${tenant_id} and p.id = held.id
        returning p.id, p.state, p.version`,
    )
    for (const { id, state, version } of products) {
      announceProduct(tx, { tenant_id, id }, version, state)
    }
  },
}
