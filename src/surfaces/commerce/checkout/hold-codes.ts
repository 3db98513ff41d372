/**
 * Counts the uses of discount codes. The last use is claimed in the same way as the last unit of
 * stock.
 */
import { sql, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import type { Quote } from '../pricing/quote.ts'
import type { ShopRules } from '../pricing/load-facts.ts'
import type { Key } from '../schemas.ts'

export async function holdCodes(
  tx: Tx,
  { tenant_id, id }: Key,
  { totals }: Pick<Quote, 'totals'>,
  { discounts }: Pick<ShopRules, 'discounts'>,
): Promise<void> {
  const holding = totals.discounts.toSorted(byCode).map(async ({ code, amount_minor }) => {
    const known = discounts.find(one => one.code === code)
    const limit = known?.usage_limit ?? null
    const held = await tx.run(sql`
      with claimed as (
        insert into commerce.discount_uses as u (tenant_id, code, used)
        values (${tenant_id}, ${code}, 1)
        on conflict (tenant_id, code) do update set used = u.used + 1
        where ${limit}::bigint is null or u.used < ${limit}
        returning 1)
      insert into commerce.discount_redemptions (tenant_id, order_id, code, amount_minor)
      select ${tenant_id}, ${id}, ${code}, ${Number(amount_minor)}::bigint from claimed`)
    if (held === 0 && known?.automatic) {
      throw problem('pricing_changed', {
        detail: `The discount ${code} was used for the last time. Read the cart, and show the new totals.`,
      })
    }
    if (held === 0) {
      throw problem('discount_not_applicable', {
        detail: `The code ${code} does not apply. Remove it.`,
        more: { codes: [{ code, reason: 'unknown' }] },
      })
    }
  })
  await Promise.all(holding)
}

export async function releaseCodes(tx: Tx, { tenant_id, id }: Key): Promise<void> {
  await tx.run(sql`
    with released as (
      update commerce.discount_redemptions set state = 'released'
      where tenant_id = ${tenant_id} and order_id = ${id} and state <> 'released'
      returning code), held as (
      -- in the order in which checkouts take them
      select u.code from commerce.discount_uses u
      where u.tenant_id = ${tenant_id} and u.code in (select code from released)
      order by u.code collate "C" for update)
    update commerce.discount_uses u set used = u.used - 1
    from held where u.tenant_id = ${tenant_id} and u.code = held.code`)
}

function byCode(a: { readonly code: string }, b: { readonly code: string }): number {
  if (a.code === b.code) return 0
  return a.code < b.code ? -1 : 1
}
