/** Routes of collections. Everyone may read them, like products; only the shop writes them. */
import { etag, page, pageOf, pageQuery, reply, routesOf, sql } from '#dodeca/kernel'
import { shopOf } from '../catalog/shop-of.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { conditionsOf, findRecord, putRecord, RecordRow, recordColumns } from '../rules/records.ts'
import { Word } from '../schemas.ts'
import { collectionOf, storedOf } from './collection-record.ts'
import { Collection, PutCollection } from './schemas.ts'

const path = '/v1/product-collections'
const one = `${path}/{key}` as const
const absent = 'collection_not_found'
const kind = 'collection'

const { open, get, put, del } = routesOf<Deps>({
  permission: 'commerce.products.write',
  params: { key: Word },
  absent,
})
const for_all = {
  tool: 'read',
  permission: 'public',
  takes: 'optional',
  rate_tenant: false,
  added: true,
  headers: {
    vary: 'Authorization, Cookie, Host',
    'cache-control': 'public, max-age=15',
  },
} as const
const ofCaller = (caller: unknown) => (caller ? { 'cache-control': 'no-store' } : {})

export const collectionRoutes = open({
  listProductCollections: get(
    path,
    'List the collections of the shop, by key',
    {
      ...for_all,
      query: pageQuery({}),
      reply: pageOf(Collection),
      fails: ['product_not_found'],
    },
    async ({ tx, principal, list, request }, deps) => {
      const tenant_id = await shopOf(tx, deps, principal, request)
      const { body, headers } = await page(tx, {
        scope: { ...list, tenant_id },
        row: RecordRow,
        place: ['key'],
        view: collectionOf,
        fetch: (after, n) => sql`
          select ${recordColumns} from commerce.shop_records r
          where r.tenant_id = ${tenant_id} and r.kind = ${kind}
            and (${after.key}::text is null or r.key > ${after.key})
          order by r.key limit ${n}`,
      })
      return reply(200, body, { ...headers, ...ofCaller(principal) })
    },
  ),

  getProductCollection: get(
    one,
    'A collection',
    { ...for_all, reply: Collection, fails: ['product_not_found'] },
    async ({ tx, principal, params: { key }, request }, deps) => {
      const tenant_id = await shopOf(tx, deps, principal, request)
      const row = await findRecord(tx, { tenant_id, kind, key })
      if (!row) throw problem(absent)
      return reply(200, collectionOf(row), { etag: etag(row.version), ...ofCaller(principal) })
    },
  ),

  putProductCollection: put(
    one,
    'Create or replace a collection',
    {
      description:
        'With `all`, it has the products that have all of these facets, now and later. With `product_ids`, it has these products. `GET /v1/products?collection=` lists them, and discounts can be for them.',
      added: true,
      absent: 'validation_failed',
      body: PutCollection,
      replies: { 200: Collection, 201: Collection },
      location: one,
      fails: ['precondition_failed', 'quota_exceeded'],
    },
    async ({ tx, principal: { id, tenant_id }, params: { key }, body, request }, deps) => {
      const name = { tenant_id, kind, key } as const
      const { row, made } = await putRecord(tx, name, storedOf(body), id, conditionsOf(request))
      const { counted, settings } = deps.kernel
      if (made) {
        const rows = sql`
          select 1 from commerce.shop_records where tenant_id = ${tenant_id} and kind = ${kind}`
        await counted(tx, `${kind}s:${tenant_id}`, settings['commerce.collections'], rows, 0)
      }
      return reply(made ? 201 : 200, collectionOf(row))
    },
  ),

  deleteProductCollection: del(
    one,
    'Delete a collection; its products stay',
    { added: true, absent: 'validation_failed' },
    async ({ tx, principal: { id, tenant_id }, params: { key } }) => {
      const gone = await tx.run(sql`
        delete from commerce.shop_records
        where tenant_id = ${tenant_id} and kind = ${kind} and key = ${key}`)
      if (gone > 0) {
        tx.audit('commerce.collection.delete', `${kind}:${key}`, { by: { tenant_id, id } })
      }
    },
  ),
})
