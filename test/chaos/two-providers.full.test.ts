/**
 * Checkouts of two shops, one with an own account at Stripe and one at PayPal, while two platforms are
 * killed again and again. Afterwards orders, books and providers agree, and nothing crossed accounts.
 * `CHAOS_CHECKOUTS` and `CHAOS_KILLS` say how many.
 */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import {
  openShopWorld,
  type Buyer,
  type Shop,
  type ShopWorld,
} from '../../src/surfaces/commerce/test/shop-world.ts'
import { startProcess, type PlatformProcess } from '../process.ts'
import { call, eventually, newKey, type Answer } from '../world.ts'
import { expectProof } from './proof-of-books.ts'

const checkouts = Number(process.env['CHAOS_CHECKOUTS'] ?? 1000)
const kills = Number(process.env['CHAOS_KILLS'] ?? 20)
const patience_ms = 300_000

type Vendor = 'stripe' | 'paypal'
type Effect = { kind: string; object: string; account?: string; order?: string; key?: string }
type Seller = {
  readonly vendor: Vendor
  readonly shop: Shop
  readonly buyers: readonly Buyer[]
  readonly sku: string
  /** The column `provider` of what is paid there. */
  readonly provider: string
  effects(): Promise<Effect[]>
}

let world: ShopWorld
let sellers: Seller[]
let platforms: PlatformProcess[]
const start = () => startProcess({ ...world.environment, ROLES: 'api,worker' }, 'product')

beforeAll(async () => {
  // This process only looks on, and receives the messages: the work is done by those that are killed.
  world = await openShopWorld({
    ROLES: 'api',
    PAYMENTS_PROVIDERS: 'stripe,paypal',
    IDENTITY_ACCESS_TTL_SECONDS: '3600',
    COMMERCE_RESERVATION_TTL_SECONDS: '60',
    COMMERCE_PAYMENT_WAIT_MS: '2000',
    COMMERCE_OPEN_CARTS: '10000',
    COMMERCE_PENDING_ORDERS: '10000',
    PAYMENTS_PROVIDER_TIMEOUT_MS: '1000',
    PAYMENTS_RESOLVE_FIRST_SECONDS: '0.1',
    PAYMENTS_PROVIDER_READS_PER_SECOND: '100000',
    PAYMENTS_PROVIDER_WRITES_PER_SECOND: '100000',
    PAYMENTS_DECLINES_PER_HOUR: '100000',
    PAYMENTS_EVENT_CATCHUP_SECONDS: '2',
    PAYMENTS_BREAKER_OPEN_MS: '100',
  })
  sellers = [await sellerAt('stripe'), await sellerAt('paypal')]
  platforms = await Promise.all([start(), start()])
}, patience_ms)
afterAll(async () => {
  await Promise.all(platforms.map(one => one.kill()))
  await world.close()
})

async function control(address: string, path: string, body?: object) {
  const answer = await fetch(new URL(path, address), {
    method: body ? 'POST' : 'GET',
    ...(body && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  expect(answer.status).toBeLessThan(300)
  return (await answer.json()) as Readonly<Record<string, string>>
}

async function sellerAt(vendor: Vendor): Promise<Seller> {
  const shop = await world.shop()
  await world.allow(shop.manager, 'payments.accounts.write')
  const platform = world.vendors[vendor]?.['control'] ?? ''
  const made = await control(platform, 'accounts', {})
  const auth =
    vendor === 'stripe'
      ? { secret_key: made['key'], publishable_key: made['publishable_key'] }
      : { client_id: made['client_id'], client_secret: made['client_secret'] }
  const webhook_secret = vendor === 'stripe' ? made['webhook_secret'] : made['webhook_id']
  const put = { provider: vendor, auth, webhook_secret }
  const account = await shop.manager.ask('PUT', '/v1/payment-accounts/own', put)
  expect(account.status, account.text).toBe(200)
  const own = (vendor === 'stripe' ? made['control'] : platform) ?? ''
  const at = vendor === 'stripe' ? {} : { account: made['account_id'], report_late_seconds: 0 }
  const webhook_url = `${world.url}/v1/providers/${account.body.id}/webhooks`
  await control(own, 'config', { ...at, webhook_url })
  const buyers: Buyer[] = []
  for (let n = 0; n < 20; n++) buyers.push(await shop.buyer())
  return {
    vendor,
    shop,
    buyers,
    sku: await shop.product({ stock: checkouts * 2 }),
    provider: `${vendor}:${account.body.id}`,
    effects: async () => {
      const { data } = (await control(own, 'effects')) as unknown as { data: Effect[] }
      return data.filter(one => vendor === 'stripe' || one.account === made['account_id'])
    },
  }
}

/** As a browser that tries again: the same key, at another process. */
async function insist(who: Buyer, method: string, path: string, body?: object): Promise<Answer> {
  const key = newKey()
  for (let tries = 0; ; tries++) {
    const url = platforms[tries % platforms.length]?.url ?? ''
    const more = { ...(method === 'POST' && { key }), ...(body && { body }) }
    const answer = await call(url, method, path, { token: who.token, ...more }).catch(() => null)
    if (answer && answer.status < 500) return answer
    if (tries === 40) throw new Error(`${method} ${path}: ${answer?.text}`)
  }
}

async function shopping(round: number): Promise<void> {
  const { vendor, shop, buyers, sku } = sellers[round % 2] as Seller
  const buyer = buyers[round % buyers.length] as Buyer
  const { id: cart_id } = (await insist(buyer, 'POST', '/v1/carts', { currency: 'EUR' })).body
  await insist(buyer, 'PUT', `/v1/carts/${cart_id}/items/${sku}`, { quantity: 1 })
  const asked = await insist(buyer, 'POST', '/v1/checkouts', {
    cart_id,
    shipping_address,
    shipping_method_id: 'parcel',
    payment:
      vendor === 'paypal'
        ? { payment_method: 'paypal', return_url: 'https://shop.test/back' }
        : { payment_method: round % 14 === 0 ? 'pm_card_visa_chargeDeclined' : 'pm_card_visa' },
  })
  if (![201, 202].includes(asked.status)) return
  const { id, lines } = asked.body
  // Some payers never come back from PayPal.
  if (vendor === 'paypal' && round % 9 > 0) await approve(id)
  if (round % 4 > 1 || round % 9 === 0) return
  await eventually('it is confirmed', async () => {
    const { state } = (await insist(buyer, 'GET', `/v1/orders/${id}`)).body
    return state !== 'pending'
  })
  const sent = (lines as { id: string }[]).map(line => ({ order_line_id: line.id, quantity: 1 }))
  await insist(shop.manager, 'POST', `/v1/orders/${id}/shipments`, { lines: sent })
}

const shipping_address = {
  name: 'Mara Lindqvist',
  line1: 'Lindenstraße 12',
  city: 'Berlin',
  postal_code: '10969',
  country: 'DE',
}

const Handle = Type.Object({ handle: Type.String() })

async function approve(order_id: string): Promise<void> {
  const { handle } = await eventually('PayPal has its order', () =>
    world.platform.kernel.db.maybe(
      Handle,
      sql`
        -- any tenant: by the id of an order of this test
        select provider_handle as handle from payments.payment_intents
        where order_ref = ${order_id} and provider_handle is not null`,
    ),
  )
  // An order that was given up meanwhile is not approved any more.
  await control(world.vendors['paypal']?.['control'] ?? '', 'approve', { order: handle }).catch(
    () => {},
  )
}

const Row = Type.Object({ id: Type.String(), state: Type.String(), handle: Type.String() })

test(
  `${checkouts} checkouts beside ${kills} kills: orders, books and providers agree`,
  { timeout: 3_600_000 },
  async () => {
    let begun = 0
    const hasBegun = (many: number) =>
      eventually('checkouts go on', () => begun >= many, patience_ms)
    const load = Array.from({ length: 8 }, async () => {
      while (begun < checkouts) await shopping(begun++)
    })
    for (let done = 0; done < kills; done++) {
      await hasBegun((checkouts * (done + 1)) / (kills + 1))
      await platforms[done % 2]?.kill()
      platforms[done % 2] = await start()
    }
    await Promise.all(load)
    await eventually('every order has ended', quiet, patience_ms)
    for (const seller of sellers) {
      await seller.shop.sound()
      await expectEffects(seller)
      await expectProof(world, seller.provider, patience_ms)
    }
    for (const check of world.platform.opened['payments']?.checks ?? []) {
      expect(await check.run(), check.name).toEqual([])
    }
  },
)

async function quiet(): Promise<boolean> {
  const { n } = await world.platform.kernel.db.one(
    Type.Object({ n: Type.Integer() }),
    sql`
      -- any tenant: all of this test
      select (select count(*) from commerce.orders where state = 'pending')::int
        + (select count(*) from commerce.payment_operations
          where state in ('requested', 'pending'))::int
        + (select count(*) from payments.payment_operations
          where state in ('created', 'pending_provider'))::int as n`,
  )
  return n === 0
}

/** One hold for each order that was won, at its own account, and none that is left for a lost one. */
async function expectEffects({ vendor, shop, provider, effects }: Seller): Promise<void> {
  const { db } = world.platform.kernel
  const found = new Map<string, string[]>()
  for (const { kind, object, order } of await effects()) {
    const handle = order ?? object
    found.set(handle, [...(found.get(handle) ?? []), kind])
  }
  const orders = await db.many(
    Row,
    sql`
      select o.id, o.state, p.provider_handle as handle
      from commerce.orders o join payments.payment_intents p on p.tenant_id = o.tenant_id
        and p.order_ref = o.id::text and p.provider_handle is not null
      where o.tenant_id = ${shop.manager.tenant.id} and p.provider = ${provider}`,
  )
  expect(orders.length).toBeGreaterThan(checkouts / 4)
  const won = orders.filter(({ state }) => ['confirmed', 'fulfilled'].includes(state))
  expect(won.length).toBeGreaterThan(checkouts / 5)
  for (const { id, state, handle } of orders) {
    const money = found.get(handle) ?? []
    const times = (...kinds: string[]) => money.filter(kind => kinds.includes(kind)).length
    const says = `${vendor} ${id} ${state} ${money.join()}`
    const lost = !['confirmed', 'fulfilled'].includes(state)
    expect(times('authorize', 'authorization'), says).toBeLessThanOrEqual(1)
    expect(times('capture'), says).toBeLessThanOrEqual(1)
    const held = times('authorize', 'authorization') - times('cancel', 'void', 'refund')
    expect(lost ? held <= 0 : times('authorize', 'authorization') === 1, says).toBe(true)
    found.delete(handle)
  }
  // Nothing at the account belongs to another shop, or to no order.
  expect([...found]).toEqual([])
}
