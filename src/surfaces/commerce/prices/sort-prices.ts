/**
 * The lowest price of each product in each currency, by which lists are sorted and filtered. What a
 * buyer pays is always read from the versions. A price that begins later makes its row due, and the
 * queue then takes it over.
 */
import { Type } from 'typebox'
import { again, done, dueAt, dueQueue, Id, nullable, sql } from '#dodeca/kernel'
import type { DueQueue, Sql, Tx } from '#dodeca/kernel'
import type { Key } from '../schemas.ts'

const sorted_prices = 'commerce.product_prices'

/**
 * For each of the currencies: the lowest price now, and when the next one begins. Now is not the
 * begin of the transaction: a price that was added while it waited for its lock is in force.
 */
function pricesOf({ tenant_id, id }: Key, currencies: Sql): Sql {
  const versions = sql`
    commerce.price_versions w
    where w.tenant_id = v.tenant_id and w.sku = v.sku and w.currency = c.currency`
  return sql`
    select c.currency, min(price.amount_minor) filter (where v.state = 'active') as amount_minor,
      min(later.effective_from) as next_at
    from (${currencies}) c (currency)
    cross join (select kernel.now() + (clock_timestamp() - now()) as now) m
    cross join commerce.product_variants v
    left join lateral (
      select w.amount_minor from ${versions} and w.effective_from <= m.now
      order by w.effective_from desc limit 1) price on true
    left join lateral (
      select w.effective_from from ${versions} and w.effective_from > m.now
      order by w.effective_from limit 1) later on true
    where v.tenant_id = ${tenant_id} and v.product_id = ${id}
    group by c.currency`
}

/** In this currency, or in all that the product has prices in. The caller has locked the product. */
export async function sortPrices(tx: Tx, product: Key, currency: string | null = null) {
  const { tenant_id, id } = product
  const currencies = currency
    ? sql`select ${currency}::text`
    : sql`
        select distinct w.currency from commerce.price_versions w
        join commerce.product_variants s on s.tenant_id = w.tenant_id and s.sku = w.sku
        where s.tenant_id = ${tenant_id} and s.product_id = ${id}`
  await tx.run(sql`
    insert into commerce.product_prices as p (
      tenant_id, product_id, currency, amount_minor, due_at)
    select ${tenant_id}, ${id}, n.currency, n.amount_minor, n.next_at
    from (${pricesOf(product, currencies)}) n
    on conflict (tenant_id, product_id, currency) do update
    set amount_minor = excluded.amount_minor, ${dueAt(sql`excluded.due_at`)}`)
  tx.wake(sorted_prices)
}

const Row = Type.Object({ tenant_id: Id, product_id: Id, currency: Type.String() })
const Next = Type.Object({ after_seconds: nullable(Type.Number()) })

export function pricesQueue(): DueQueue {
  return dueQueue<typeof Row>({
    name: sorted_prices,
    table: 'commerce.product_prices',
    key: ['tenant_id', 'product_id', 'currency'],
    row: Row,
    batch: 200,
    concurrency: 4,
    lease_seconds: 30,
    retry: { first: 1, factor: 2, cap: 60 },
    run: () => Promise.resolve(done()),
    // The queue has locked the row. A price that is added meanwhile waits for it and comes after.
    finish: async (tx, { tenant_id, product_id, currency }) => {
      const product = { tenant_id, id: product_id }
      const next = await tx.maybe(
        Next,
        sql`
          with now_at as materialized (${pricesOf(product, sql`select ${currency}::text`)})
          update commerce.product_prices p set amount_minor = n.amount_minor
          from now_at n
          where p.tenant_id = ${tenant_id} and p.product_id = ${product_id}
            and p.currency = n.currency
          returning extract(epoch from n.next_at - kernel.now())::float8 as after_seconds`,
      )
      return next?.after_seconds == null ? undefined : again(next.after_seconds)
    },
  })
}
