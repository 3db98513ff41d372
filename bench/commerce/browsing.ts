/**
 * Filters, sorts and facets of the product list in a shop of 100,000 products, at a steady rate. The
 * tables are filled by SQL, each product with its facets as `commerce.facets_of` makes them.
 */
import type { Bench } from '../ground/comparison.ts'
import { analyzeFilled, ask } from '../ground/database.ts'
import { load, requestText } from '../ground/load.ts'
import { standingsOf, type Section } from '../ground/report.ts'
import { compete } from '../ground/rounds.ts'
import { tenant_id, type Ground } from './ground.ts'

const products = 100_000
const p99_ms_max = 40
const connections = 4
const rate = 10

/** Each is asked for with fifty different values, where `N` stands. */
const asked = {
  'a collection of 1,000': '/v1/products?collection=c-N',
  'a tag of 2,000': '/v1/products?tags=t-N',
  'an attribute and an option, 300': '/v1/products?attribute=maker:m-N&option=size:M',
  'a tag of 50,000 and a range of prices': '/v1/products?tags=all-0&price_from=N000&price_to=N400',
  'a range of prices, cheapest first': '/v1/products?price_from=N000&price_to=N999&sort=price',
  'all, cheapest first': '/v1/products?sort=price&limit=N',
  'a tag of 50,000, dearest first': '/v1/products?tags=all-1&sort=-price&limit=N',
  'facets of 5,000': '/v1/products?tags=f-N&include=facets',
  'facets of all': '/v1/products?include=facets&limit=N',
}

export async function browsing({ options }: Bench, ground: Ground): Promise<Section> {
  await fill(ground.database_url)
  const { port, pid } = ground.program
  const measured = await compete(
    Object.entries(asked).map(([name, path]) => ({
      name,
      run: () => {
        const requests = Array.from({ length: 50 }, (_, n) =>
          requestText({ path: path.replaceAll('N', String((n % 20) + 1)) }),
        )
        return load({ port, pid, connections, requests, rate }, options)
      },
    })),
    options.rounds,
  )
  return standingsOf(
    `Filters, sorts and facets among 100,000 products, ${rate} a second`,
    measured,
    measured.map(({ name, p99_ms }) => ({
      says: `p99 of ${name}`,
      reached: p99_ms,
      target: p99_ms_max,
      unit: 'ms',
      wanted: 'at most' as const,
    })),
    ['A page of 20 with prices and stock, without a credential.'],
  )
}

const id = `('60000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid`

const tags = ['all-', 't-', 'f-', 'c-']
const ofTag = ['n % 2', 'n % 50', '(n / 7) % 20', '(n / 3) % 100']
const tag = (name: string, at: number) => `'${name}' || ${ofTag[at]}`
const facets = [
  ...tags.map((name, at) => `e'tag\\x1f\\x1f' || ${tag(name, at)}`),
  `e'category\\x1f\\x1fwide'`,
  `e'category\\x1f\\x1fwide/' || n % 40`,
  `e'attribute\\x1fmaker\\x1fm-' || n % 110`,
  `e'attribute\\x1fmaterial\\x1fk-' || n % 17`,
  `e'option\\x1fsize\\x1f' || (array['S', 'M', 'L'])[n % 3 + 1]`,
]

async function fill(url: string): Promise<void> {
  const all = `from generate_series(1, ${products}) n`
  await ask(
    url,
    `
    set statement_timeout = 0;
    insert into commerce.catalog_products (
      tenant_id, id, handle, title, category, state, published_at, tags, attributes, facets)
    select '${tenant_id}', ${id}, 'wide-' || n, 'Wide ' || n, 'wide/' || n % 40, 'active',
      now() - n * interval '1 second', array[${tags.map(tag).join(', ')}],
      jsonb_build_object('maker', 'm-' || n % 110, 'material', 'k-' || n % 17),
      array[${facets.join(', ')}] ${all};
    insert into commerce.product_variants (tenant_id, sku, product_id, place, title, options)
    select '${tenant_id}', 'W-' || n, ${id}, 0, 'Wide ' || n,
      jsonb_build_object('size', (array['S', 'M', 'L'])[n % 3 + 1]) ${all};
    insert into commerce.price_versions (tenant_id, id, sku, currency, amount_minor, effective_from)
    select '${tenant_id}', ${id}, 'W-' || n, 'EUR', 100 + n::bigint * 7919 % 99900,
      now() - interval '1 day' ${all};
    insert into commerce.inventory_items (tenant_id, sku, on_hand)
    select '${tenant_id}', 'W-' || n, 100 ${all};
    insert into commerce.product_prices (tenant_id, product_id, currency, amount_minor)
    select '${tenant_id}', ${id}, 'EUR', 100 + n::bigint * 7919 % 99900 ${all};
    insert into commerce.shop_records (tenant_id, kind, key, record)
    select '${tenant_id}', 'collection', 'c-' || n, jsonb_build_object('title', 'C',
      'all', '[]'::jsonb, 'facets', jsonb_build_array(e'tag\\x1f\\x1fc-' || n))
    from generate_series(1, 50) n;`,
  )
  await analyzeFilled(url)
}
