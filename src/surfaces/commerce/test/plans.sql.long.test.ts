/** What shoppers and queues ask finds its rows by index in a shop of 20,000 products and 10,000 orders. */
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { newId, type Sql, type Tx } from '#dodeca/kernel'
import { directClient } from '../../../kernel/database/direct.ts'
import { compile } from '../../../kernel/database/sql.ts'
import { claimStatement } from '../../../kernel/work/run-queue.ts'
import { listStatement } from '../catalog/list-products.ts'
import { showProduct } from '../catalog/show-product.ts'
import { lapseQueue } from '../checkout/lapse-orders.ts'
import type { Deps } from '../deps.ts'
import { stockAfter } from '../inventory/routes.ts'
import { captureBeforeExpiry } from '../loops.ts'
import { findOrder } from '../orders/order-row.ts'
import { showOrder } from '../orders/order-view.ts'
import { findOperation } from '../payments/operations.ts'
import { operationsQueue } from '../payments/operations-queue.ts'
import { lookAgain } from '../payments/consume-payments.ts'
import { loadFacts } from '../pricing/load-facts.ts'

const tenant_id = '01900000-0000-7000-8000-0000000000bb'
const id = newId()
const numbered = (first: string) => `('${first}-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid`

let ground: Clone
let client: pg.Client
beforeAll(async () => {
  ground = await cloneDatabase('product_template')
  client = directClient(ground.url, 'test')
  await client.connect()
  await client.query('set statement_timeout = 0')
  await client.query(`
    insert into commerce.catalog_products (tenant_id, id, handle, title, category, state, published_at)
    select '${tenant_id}', ${numbered('10000000')}, 'thing-' || n, 'Thing ' || n,
      'things/' || n % 100, 'active', now() - n * interval '1 second'
    from generate_series(1, 20000) n;
    insert into commerce.product_variants (tenant_id, sku, product_id, place, title)
    select '${tenant_id}', 'S-' || n, ${numbered('10000000')}, 0, 'Thing ' || n
    from generate_series(1, 20000) n;
    insert into commerce.price_versions (tenant_id, id, sku, currency, amount_minor, effective_from)
    select '${tenant_id}', gen_random_uuid(), 'S-' || n, 'EUR', 1999, now() - d * interval '1 day'
    from generate_series(1, 20000) n, generate_series(1, 3) d;
    insert into commerce.inventory_items (tenant_id, sku, on_hand)
    select '${tenant_id}', 'S-' || n, 100 from generate_series(1, 20000) n;
    insert into commerce.carts (tenant_id, owner_id, id, currency)
    select '${tenant_id}', ${numbered('20000000')}, ${numbered('30000000')}, 'EUR'
    from generate_series(1, 20000) n;
    insert into commerce.cart_items (tenant_id, owner_id, cart_id, sku, quantity)
    select '${tenant_id}', ${numbered('20000000')}, ${numbered('30000000')}, 'S-' || n, 1
    from generate_series(1, 20000) n;
    insert into commerce.orders (tenant_id, id, buyer_id, cart_id, currency, subtotal_minor,
      discount_minor, shipping_minor, shipping_discount_minor, shipping_tax_minor, tax_minor,
      total_minor, prices_include_tax, needs_shipping, discounts, calculation,
      pricing_fingerprint, capture_policy, payment_state, idempotency_key, request_fingerprint,
      reservation_expires_at, due_at, state)
    select '${tenant_id}', ${numbered('40000000')}, ${numbered('20000000')},
      ${numbered('30000000')}, 'EUR', 1999, 0, 0, 0, 0, 0, 1999, false, true, '[]', '{}', 'x',
      'on_confirm', 'authorizing', 'key-' || n, '', now(),
      case when n % 500 = 0 then now() end, case when n % 500 = 0 then 'pending' else 'expired' end
    from generate_series(1, 10000) n;
    insert into commerce.order_lines (tenant_id, order_id, id, line_no, sku, product_id,
      product_description, quantity, accepted_unit_price_minor, subtotal_minor, discount_minor,
      tax_minor, total_minor, currency, price_version_id, tax_breakdown, requires_shipping,
      track_inventory)
    select '${tenant_id}', ${numbered('40000000')}, gen_random_uuid(), 1, 'S-' || n,
      ${numbered('10000000')}, 'Thing', 1, 1999, 1999, 0, 0, 1999, 'EUR', gen_random_uuid(), '[]',
      true, true
    from generate_series(1, 10000) n;
    insert into commerce.payment_operations (
      tenant_id, id, order_id, type, amount_minor, state, due_at)
    select '${tenant_id}', ${numbered('50000000')}, ${numbered('40000000')}, 'authorize', 1999,
      'succeeded', case when n % 500 = 0 then now() end
    from generate_series(1, 10000) n;
    analyze;`)
  // What a statement that is prepared once gets, whatever its values are.
  await client.query('set plan_cache_mode = force_generic_plan')
})
afterAll(async () => {
  await client.end()
  await ground.drop()
})

type Node = { 'Node Type': string; 'Index Name'?: string; 'Relation Name'?: string; Plans?: Node[] }

function* nodes(plan: Node): Generator<Node> {
  yield plan
  for (const one of plan.Plans ?? []) yield* nodes(one)
}

/** The statements with which a function begins. */
async function begunBy(run: (tx: Tx) => Promise<unknown>): Promise<readonly Sql[]> {
  const statements: Sql[] = []
  const listen = async (...asked: unknown[]) => {
    statements.push(asked.at(-1) as Sql)
    throw new Error('nothing is read')
  }
  await run({ one: listen, maybe: listen, many: listen, run: listen } as unknown as Tx).catch(
    () => {},
  )
  return statements
}

const page = { tenant_id, state: 'active', currency: 'EUR', category: undefined, q: undefined }
const begin = { rank: null, published_us: null, sort_minor: null, id: null }
const after = { rank: '', published_us: 1_700_000_000_000_000, sort_minor: null, id }
const shop = {
  files: { signDownload: () => ({ url: '', expires_at: '' }) },
  kernel: { clock: { nowSeconds: () => 0 } },
} as never
const cart = { tenant_id, owner_id: id, id }
const small = new Set([
  'tenant_states',
  'shop_records',
  'discount_uses',
  'shipments',
  'returns',
  'order_state_history',
])

test.each<[string, () => Promise<readonly Sql[]> | Sql]>([
  ['the first page of products', () => listStatement(page, begin, 21)],
  ['a later page', () => listStatement(page, after, 21)],
  ['a category', () => listStatement({ ...page, category: 'things/7' }, begin, 21)],
  [
    'a product',
    () =>
      begunBy(db => showProduct(db, shop, { tenant_id, id }, { currency: 'EUR', hidden: false })),
  ],
  ['a cart with prices, stock and rules', () => begunBy(db => loadFacts(db, cart))],
  ['an order', () => begunBy(db => findOrder(db, { tenant_id, id }))],
  ['an order as it is shown', () => begunBy(db => showOrder(db, { tenant_id, id }))],
  ['an operation', () => begunBy(db => findOperation(db, id))],
  ['the stock', () => stockAfter(tenant_id, null, 21)],
  ['what lapses', () => claimStatement(lapseQueue({} as Deps), id, 200)],
  [
    'what an event of payments makes due',
    () => begunBy(db => lookAgain(db, [{ tenant_id, order_id: id, operation_id: id }])),
  ],
  [
    'whose authorization ends soon',
    () => begunBy(db => captureBeforeExpiry(db as never, new AbortController().signal)),
  ],
  ['what is to be asked', () => claimStatement(operationsQueue({} as never), id, 50)],
])('%s', async (_name, statementOf) => {
  const given = await statementOf()
  const statements = 'length' in given ? given : [given]
  expect(statements).not.toHaveLength(0)
  for (const statement of statements) {
    const scans = (await planOf(statement))
      .filter(node => node['Node Type'] === 'Seq Scan')
      .map(node => node['Relation Name'] ?? '')
    expect(scans.filter(table => !small.has(table))).toEqual([])
  }
})

test('a search finds its words by the index that has the shop among them', async () => {
  const nodesOf = await planOf(listStatement({ ...page, q: 'thing 7' }, begin, 21))
  expect(nodesOf.map(node => node['Index Name'])).toContain('catalog_products_words')
})

async function planOf(statement: Sql): Promise<Node[]> {
  const { text, values } = compile(statement)
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>({
    text: `explain (format json) ${text}`,
    values,
  })
  return [...(rows[0] ? nodes(rows[0]['QUERY PLAN'][0].Plan) : [])]
}
