/**
 * Checks that stock and money are consistent after every commit. They run in doctor, in the chaos
 * tests and in the audit of a shop.
 */
import { Type } from 'typebox'
import { sql, type Check, type Reader, type Sql } from '#dodeca/kernel'
import type { Deps } from './deps.ts'

const Fault = Type.Object({ says: Type.String() })

export type Rule = {
  readonly name: string
  readonly says: string
  /** `of` returns a condition on the tenant of a table, by its alias. */
  statement(of: (alias: Sql) => Sql): Sql
}

/** The same checks for one shop. */
export async function violationsOf(reader: Reader, rule: Rule, tenant_id: string) {
  const rows = await reader.many(
    Fault,
    rule.statement(alias => sql`${alias}.tenant_id = ${tenant_id}`),
  )
  return rows.map(row => row.says)
}

export function checks({ kernel: { db } }: Pick<Deps, 'kernel'>): readonly Check[] {
  return rules.map(rule => ({
    name: `commerce.${rule.name}`,
    says: rule.says,
    run: async () => {
      const rows = await db.many(
        Fault,
        rule.statement(() => sql`true`),
      )
      return rows.map(row => row.says)
    },
  }))
}

export const rules: readonly Rule[] = [
  {
    name: 'movements',
    says: 'Stock on hand is the sum of its movements',
    statement: of => sql`
      -- any tenant: or the one that is asked for
      select 'sku ' || i.sku || ' has ' || i.on_hand || ' but moved ' || coalesce(m.moved, 0)
        as says
      from commerce.inventory_items i
      left join lateral (
        select sum(m.delta_on_hand) as moved, sum(m.delta_reserved) as reserved
        from commerce.inventory_movements m
        where m.tenant_id = i.tenant_id and m.sku = i.sku) m on true
      where ${of(sql`i`)} and (i.on_hand <> coalesce(m.moved, 0)
        or i.reserved <> coalesce(m.reserved, 0))
      limit 100`,
  },
  {
    name: 'reservations',
    says: 'Reserved stock is the sum of what live orders hold',
    statement: of => sql`
      -- any tenant: or the one that is asked for
      select 'sku ' || i.sku || ' reserves ' || i.reserved || ' for ' || coalesce(r.held, 0)
        as says
      from commerce.inventory_items i
      left join lateral (
        select sum(r.quantity - r.fulfilled_quantity) as held
        from commerce.inventory_reservations r
        where r.tenant_id = i.tenant_id and r.sku = i.sku
          and r.state in ('active', 'committed')) r on true
      where ${of(sql`i`)} and i.reserved <> coalesce(r.held, 0)
      limit 100`,
  },
  {
    name: 'held_goods',
    says: 'Pending orders hold active goods, confirmed ones committed goods, others none',
    statement: of => sql`
      -- any tenant: or the one that is asked for
      select 'order ' || o.id || ' is ' || o.state || ' with goods ' || r.state as says
      from commerce.orders o
      join commerce.inventory_reservations r
        on r.tenant_id = o.tenant_id and r.order_id = o.id
      where ${of(sql`o`)} and not case o.state
        when 'pending' then r.state = 'active'
        when 'confirmed' then r.state in ('committed', 'fulfilled')
        when 'fulfilled' then r.state = 'fulfilled'
        else r.state in ('expired', 'released') end
      limit 100`,
  },
  {
    name: 'order_sums',
    says: 'The lines of each order add up to it',
    statement: of => sql`
      -- any tenant: or the one that is asked for
      select 'order ' || o.id || ' is not the sum of its lines' as says
      from commerce.orders o
      left join lateral (
        select sum(l.subtotal_minor) as subtotal, sum(l.discount_minor) as discount,
          sum(l.tax_minor) as tax
        from commerce.order_lines l
        where l.tenant_id = o.tenant_id and l.order_id = o.id) s on true
      where ${of(sql`o`)} and (s.subtotal is distinct from o.subtotal_minor
        or s.discount is distinct from o.discount_minor
        or s.tax + o.shipping_tax_minor is distinct from o.tax_minor)
      limit 100`,
  },
  {
    name: 'redemptions',
    says: 'A code is used as often as orders hold or have used it',
    statement: of => sql`
      -- any tenant: or the one that is asked for
      select 'code ' || u.code || ' counts ' || u.used || ' uses of ' || coalesce(r.held, 0)
        as says
      from commerce.discount_uses u
      left join lateral (
        select count(*) as held from commerce.discount_redemptions r
        where r.tenant_id = u.tenant_id and r.code = u.code and r.state <> 'released') r on true
      where ${of(sql`u`)} and u.used <> coalesce(r.held, 0)
      limit 100`,
  },
  {
    name: 'sort_prices',
    says: 'Products are sorted by their lowest price, unless a later one is due',
    statement: of => sql`
      -- any tenant: or the one that is asked for
      select 'product ' || s.product_id || ' is sorted by ' || coalesce(s.amount_minor, 0)
        || ' and costs ' || coalesce(n.amount_minor, 0) || ' ' || s.currency as says
      from commerce.product_prices s
      left join lateral (
        select min(price.amount_minor) as amount_minor from commerce.product_variants v
        cross join lateral (
          select w.amount_minor from commerce.price_versions w
          where w.tenant_id = v.tenant_id and w.sku = v.sku and w.currency = s.currency
            and w.effective_from <= kernel.now()
          order by w.effective_from desc limit 1) price
        where v.tenant_id = s.tenant_id and v.product_id = s.product_id and v.state = 'active'
      ) n on true
      where ${of(sql`s`)} and s.amount_minor is distinct from n.amount_minor
        and (s.due_at is null or s.due_at > kernel.now())
      limit 100`,
  },
  {
    name: 'numbers',
    says: 'Confirmed orders are numbered without gaps',
    statement: of => sql`
      -- any tenant: or the one that is asked for
      select 'shop ' || c.tenant_id || ' counts ' || c.last || ' orders of ' || n.numbered as says
      from commerce.order_counters c
      left join lateral (
        select count(o.number) as numbered,
          count(*) filter (where o.confirmed_at is not null) as confirmed
        from commerce.orders o where o.tenant_id = c.tenant_id) n on true
      where ${of(sql`c`)} and (c.last <> n.numbered or n.confirmed <> n.numbered)
      limit 100`,
  },
  {
    name: 'money',
    says: 'Confirmed orders hold their money, and nothing is held for lost ones without a release',
    statement: of => sql`
      -- any tenant: or the one that is asked for
      select 'order ' || o.id || ' is ' || o.state || ' with its payment ' || o.payment_state
        as says
      from commerce.orders o
      where ${of(sql`o`)} and case
        when o.state = 'confirmed' then o.total_minor > 0 and o.confirmed_at is not null
          and o.amount_authorized_minor <> o.total_minor
        when o.state in ('expired', 'cancelled') then o.authorize_operation_id is not null
          and o.payment_state in ('authorized', 'captured', 'pending_provider', 'authorizing')
        else false end
      limit 100`,
  },
]
