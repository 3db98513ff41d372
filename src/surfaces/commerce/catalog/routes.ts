/** Routes of the catalog. Everyone may read it; only the shop may write it. */
import { batch_members_max, lacks, reply, routesOf, searchIn } from '#dodeca/kernel'
import type { Headers } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { changeProduct } from './change-product.ts'
import { createProduct } from './create-product.ts'
import { findProducts } from './find-products.ts'
import { productsFound } from './products-found.ts'
import {
  ChangeProduct,
  CreateProduct,
  OneQuery,
  Product,
  ProductPage,
  ProductQuery,
} from './schemas.ts'
import { defaultCurrency, shopOf } from './shop-of.ts'
import { showProduct } from './show-product.ts'

const path = '/v1/products'
const one = `${path}/{product_id}` as const
const absent = 'product_not_found'
const writes = 'commerce.products.write'
const writing = [
  'handle_taken',
  'sku_taken',
  'image_not_available',
  'variant_file_not_available',
  'price_version_exists',
  'currency_unsupported',
]

/**
 * The reply depends on the caller and the host. A reply without a credential may be cached for a
 * moment.
 */
const public_page = {
  vary: 'Authorization, Cookie, Host',
  'cache-control': 'public, max-age=15',
} as const
const ofCaller = (caller: unknown): Headers => (caller ? { 'cache-control': 'no-store' } : {})

const { open, create, get, patch } = routesOf<Deps>({ write: writes, absent })

export const catalogRoutes = open({
  listProducts: get(
    path,
    'List the products on sale, newest first',
    (deps: Deps) => ({
      finds: searchIn(deps, caller => productsFound(caller, writes)),
      tool: 'read',
      description:
        'A category includes its subcategories. With `q` the best matches come first, unless you name a `sort`. Several `tags` are all required; of several values of one attribute or option one is enough. A sort by price leaves out products without a price in the currency. `include=facets` counts tags, categories, attributes and options of up to 5,000 products that fit. If a rare combination of filters is read in a sort, a page may be short with `has_more`. Holders of `commerce.products.write` may ask for drafts and archived products by `state`.',
      permission: 'public',
      takes: 'optional',
      rate_tenant: false,
      asks_grants: true,
      query: ProductQuery,
      headers: public_page,
      reply: ProductPage,
      fails: [absent, 'collection_not_found', 'permission_denied', 'validation_failed'],
    }),
    async ({ tx, principal, query, list, request, grants }, deps) => {
      const tenant_id = await shopOf(tx, deps, principal, request)
      const { state = 'active' } = query
      if (state !== 'active' && !(principal && (await grants()).has(writes))) {
        throw lacks(writes, `Products that are not on sale are seen with \`${writes}\`.`)
      }
      const currency = query.currency ?? (await defaultCurrency(tx, tenant_id))
      const scope = { ...list, tenant_id }
      const asked = { tenant_id, state, currency }
      const { body, headers } = await findProducts(tx, deps, { scope, query, asked })
      return reply(200, body, { ...headers, ...ofCaller(principal) })
    },
  ),

  getProduct: get(
    one,
    'A product with its variants, prices and stock',
    {
      tool: 'read',
      permission: 'public',
      takes: 'optional',
      rate_tenant: false,
      asks_grants: true,
      query: OneQuery,
      headers: public_page,
      reply: Product,
    },
    async ({ tx, principal, params, query, request, grants }, deps) => {
      const tenant_id = await shopOf(tx, deps, principal, request)
      const hidden = principal !== null && (await grants()).has(writes)
      const currency = query.currency ?? (await defaultCurrency(tx, tenant_id))
      const key = { tenant_id, id: params.product_id }
      const { product, etag } = await showProduct(tx, deps, key, {
        currency,
        hidden,
        locale: query.locale,
      })
      return reply(200, product, { etag, ...ofCaller(principal) })
    },
  ),

  createProduct: create(
    path,
    'Create a product with its variants and prices',
    {
      added: true,
      body: CreateProduct,
      body_limit_bytes: 1 << 20,
      body_members_max: batch_members_max,
      reply: Product,
      fails: writing,
    },
    async ({ tx, principal, body }, deps) => {
      const key = await createProduct(tx, deps, principal, body)
      tx.audit('commerce.product.create', `product:${key.id}`)
      const currency = await defaultCurrency(tx, key.tenant_id)
      const { product, etag } = await showProduct(tx, deps, key, { currency, hidden: true })
      return reply(201, product, { etag, location: `${path}/${key.id}` })
    },
  ),

  changeProduct: patch(
    one,
    'Change a product, add variants and prices',
    {
      description:
        'Properties that you leave out do not change. Existing orders keep their products and prices.',
      added: true,
      body: ChangeProduct,
      body_limit_bytes: 1 << 20,
      body_members_max: batch_members_max,
      reply: Product,
      fails: ['invalid_transition', 'precondition_failed', ...writing],
    },
    async ({ tx, principal, params, body, if_match }, deps) => {
      const key = { tenant_id: principal.tenant_id, id: params.product_id }
      await changeProduct(tx, deps, principal, key, body, if_match)
      tx.audit('commerce.product.change', `product:${key.id}`)
      const currency = await defaultCurrency(tx, key.tenant_id)
      const { product, etag } = await showProduct(tx, deps, key, { currency, hidden: true })
      return reply(200, product, { etag })
    },
  ),
})
