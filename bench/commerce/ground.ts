/** The program as it is started, the sandbox's Stripe beside it, and a shop of 10,000 SKUs. */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Bench } from '../ground/comparison.ts'
import { analyzeFilled, ask } from '../ground/database.ts'
import { productionEnvironment } from '../ground/platform.ts'
import { makePeople, type LoggedIn } from '../ground/product.ts'
import { startProgram, type Program } from '../ground/program.ts'
import { providerEnvironment } from '../payments/ground.ts'

export const tenant_id = '01900000-0000-7000-8000-000000000001'
export const skus = 10_000
const buyers = 32

export type Ground = {
  readonly database_url: string
  readonly environment: Readonly<Record<string, string>>
  readonly program: Program
  readonly people: readonly LoggedIn[]
  close(): Promise<void>
}

/** Configured as an operator would, but without the limits on buyers and on the provider. */
export async function openGround({ database, options }: Bench): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-bench-commerce-'))
  const main = fileURLToPath(new URL('../../src/sandbox/main.ts', import.meta.url))
  const sandbox = spawn(process.execPath, [main, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise<void>(resolve => sandbox.stdout.once('data', () => resolve()))
  const text = await readFile(join(folder, 'sandbox', 'addresses.json'), 'utf8')
  const { stripe = {} } = JSON.parse(text) as Record<string, Record<string, string>>
  const database_url = await database.create('commerce')
  const environment = {
    ...productionEnvironment(database_url),
    ...providerEnvironment(stripe),
    DATA_DIR: folder,
    PUBLIC_URL: 'http://dodeca.test',
    KERNEL_SANDBOX: 'false',
    KERNEL_OVERLOAD_DELAY_MS: '60000',
    IDENTITY_REQUIRE_VERIFIED_EMAIL: 'false',
    IDENTITY_HASH_QUEUE: '1000',
    IDENTITY_HASH_WAIT_MS: '30000',
    PAYMENTS_PROVIDER_READS_PER_SECOND: '100000',
    PAYMENTS_PROVIDER_WRITES_PER_SECOND: '100000',
    COMMERCE_PENDING_ORDERS: '10000',
  }
  const program = await startProgram(environment, { side: 'server', profile: options.profile })
  const people = await makePeople(program.port, buyers)
  await fillShop(database_url)
  return {
    database_url,
    environment,
    program,
    people,
    close: async () => {
      for (const { wire } of people) wire.close()
      await program.stop()
      sandbox.kill('SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const numbered = (first: string, n: string) =>
  `('${first}-0000-7000-8000-' || lpad((${n})::text, 12, '0'))::uuid`

async function fillShop(url: string): Promise<void> {
  const all = `from generate_series(1, ${skus}) n`
  await ask(
    url,
    `
    insert into commerce.catalog_products (tenant_id, id, handle, title, category, state, published_at)
    select '${tenant_id}', ${numbered('10000000', 'n')}, 'thing-' || n, 'Thing ' || n,
      'things/' || n % 50, 'active', now() - n * interval '1 second' ${all};
    insert into commerce.product_variants (tenant_id, sku, product_id, place, title)
    select '${tenant_id}', 'S-' || n, ${numbered('10000000', 'n')}, 0, 'Thing ' || n ${all};
    insert into commerce.price_versions (tenant_id, id, sku, currency, amount_minor, effective_from)
    select '${tenant_id}', ${numbered('20000000', 'n')}, 'S-' || n, 'EUR', 1999,
      now() - interval '1 day' ${all};
    insert into commerce.inventory_items (tenant_id, sku, on_hand)
    select '${tenant_id}', 'S-' || n, 1000000 ${all};
    insert into commerce.shop_records (tenant_id, kind, key, record) values
      ('${tenant_id}', 'tax_rule', 'de',
        '{"name": "USt", "tax_class": "standard", "country": "DE", "rate_ppm": 100000}'),
      ('${tenant_id}', 'shipping_method', 'parcel', '{"name": "Parcel", "bands":
        [{"currency": "EUR", "min_subtotal_minor": 0, "amount_minor": 500}]}');`,
  )
  await analyzeFilled(url)
}

const address = JSON.stringify({
  name: 'Mara Lindqvist',
  line1: 'Lindenstraße 12',
  city: 'Berlin',
  postal_code: '10969',
  country: 'DE',
})

/** Open carts with one item each. Their ids and owners are numbered from `first`. */
export async function fillCarts(
  url: string,
  how: { first: number; count: number; owner: string; sku: string },
): Promise<void> {
  const rows = `from generate_series(${how.first}, ${how.first + how.count - 1}) n`
  await ask(
    url,
    `
    insert into commerce.carts (
      tenant_id, owner_id, id, currency, shipping_address, shipping_method_id)
    select '${tenant_id}', ${how.owner}, ${numbered('30000000', 'n')}, 'EUR', '${address}', 'parcel'
    ${rows};
    insert into commerce.cart_items (tenant_id, owner_id, cart_id, sku, quantity)
    select '${tenant_id}', ${how.owner}, ${numbered('30000000', 'n')}, ${how.sku}, 1 ${rows};`,
  )
}

export function numberedId(first: string, n: number): string {
  return `${first}-0000-7000-8000-${String(n).padStart(12, '0')}`
}

/** The account of the token. */
export function accountOf(token: string): string {
  const text = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
  return (JSON.parse(text) as { sub: string }).sub
}
