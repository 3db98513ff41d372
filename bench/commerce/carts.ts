/** Setting an item of a cart and getting its totals, beside one upsert and one reading in pgbench. */
import { newId } from '#dodeca/kernel'
import type { Bench } from '../ground/comparison.ts'
import { load, requestText } from '../ground/load.ts'
import { findPgbench, pgbench } from '../ground/pgbench.ts'
import { ratioVerdict, standingsOf, type Section } from '../ground/report.ts'
import { compete } from '../ground/rounds.ts'
import { fillCarts, numberedId, tenant_id, type Ground } from './ground.ts'

const connections = 32
const first = 9_000_000
const owner = `('40000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid`

export async function carts({ options }: Bench, ground: Ground): Promise<Section> {
  const program = await findPgbench()
  const { port, pid } = ground.program
  const how = { first, count: connections, owner, sku: `'S-1'` }
  await fillCarts(ground.database_url, how)
  const people = ground.people.map(one => ({ ...one, cart: newId() }))
  // Different carts one after the other, because a buyer changes a cart from one device.
  const requests = Array.from({ length: 10 }, (_, n) =>
    people.map(({ access_token, cart }) =>
      requestText({
        method: 'PUT',
        path: `/v1/carts/${cart}/items/S-${n + 1}`,
        token: access_token,
        body: { quantity: n + 1 },
      }),
    ),
  ).flat()
  // Each cart is created and filled before, so that every reply is 200.
  for (const [at, text] of requests.entries()) await people[at % people.length]?.wire.ask(text)
  const key = `tenant_id = '${tenant_id}' and owner_id = :owner and`
  const script = `\\set sku random(1, 10)
\\set n random(${first}, ${first + connections - 1})
begin;
insert into commerce.cart_items (tenant_id, owner_id, cart_id, sku, quantity)
values ('${tenant_id}', ${owner}, ${owner.replace('40000000', '30000000')}, 'S-' || :sku, 3)
on conflict (tenant_id, owner_id, cart_id, sku) do update set quantity = excluded.quantity;
select i.sku, i.quantity, v.title, p.title, w.amount_minor, s.on_hand - s.reserved
from commerce.cart_items i
join commerce.product_variants v on v.tenant_id = i.tenant_id and v.sku = i.sku
join commerce.catalog_products p on p.tenant_id = v.tenant_id and p.id = v.product_id
left join commerce.inventory_items s on s.tenant_id = i.tenant_id and s.sku = i.sku
left join lateral (select amount_minor from commerce.price_versions w
  where w.tenant_id = i.tenant_id and w.sku = i.sku and w.currency = 'EUR'
    and w.effective_from <= now() order by w.effective_from desc limit 1) w on true
where i.${key} i.cart_id = ${owner.replace('40000000', '30000000')};
commit;
`
    .replaceAll(':owner', owner)
    .replaceAll('lpad(n::', 'lpad(:n::')
  const [alone, ours] = await compete(
    [
      {
        name: 'upsert and reading (pgbench)',
        run: () =>
          pgbench({ program, url: ground.database_url, script, clients: connections }, options),
      },
      { name: 'set a cart item', run: () => load({ port, pid, connections, requests }, options) },
    ],
    options.rounds,
  )
  if (!alone || !ours) throw new Error('not everybody was measured')
  return standingsOf(
    'Set an item of a cart of ten and get all its totals, 32 connections',
    [alone, ours],
    [ratioVerdict(ours, alone, 0.35)],
    [`Carts like ${numberedId('30000000', 1)}; ours prices, taxes and fingerprints each answer.`],
  )
}
