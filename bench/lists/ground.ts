/** The program as it is started, and a tenant with a million orders, accounts, payments and products. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench } from '../ground/comparison.ts'
import { analyzeFilled, ask } from '../ground/database.ts'
import { productionEnvironment } from '../ground/platform.ts'
import { makePeople } from '../ground/product.ts'
import { startProgram, type Program } from '../ground/program.ts'

export const rows = Number(process.env['BENCH_ROWS'] ?? 1_000_000)
/** The rows are spread over the year before now. */
const step_ms = (365 * 86_400_000) / rows
const begun_ms = Date.now() - 366 * 86_400_000

/** The time of a row. */
export function timeOf(n: number): string {
  return new Date(begun_ms + Math.round(n * step_ms)).toISOString()
}

export type Ground = {
  readonly database_url: string
  readonly program: Program
  readonly token: string
  readonly tenant_id: string
  close(): Promise<void>
}

export async function openGround({ database, options }: Bench): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-bench-lists-'))
  const database_url = await database.create('lists')
  const program = await startProgram(
    {
      ...productionEnvironment(database_url),
      DATA_DIR: folder,
      PUBLIC_URL: 'http://dodeca.test',
      KERNEL_SANDBOX: 'false',
      KERNEL_OVERLOAD_DELAY_MS: '60000',
      IDENTITY_REQUIRE_VERIFIED_EMAIL: 'false',
      IDENTITY_ADMIN_REQUIRES_MFA: 'false',
    },
    { side: 'server', profile: options.profile },
  )
  const [person] = await makePeople(program.port, 1)
  if (!person) throw new Error('nobody has logged in')
  person.wire.close()
  const [found] = await ask(
    database_url,
    `select id, tenant_id from identity.accounts where email = '${person.email}'`,
  )
  const tenant_id = String(found?.['tenant_id'])
  await ask(
    database_url,
    `insert into identity.role_assignments (account_id, tenant_id, role_id, assigned_by)
     select '${String(found?.['id'])}', '${tenant_id}', role, 'system'
     from unnest(array['shop_manager', 'support_viewer', 'tenant_admin']) role`,
  )
  // These orders have no lines, and nothing follows what changes in these tables.
  const triggers = (what: string) =>
    ask(
      database_url,
      filled_tables.map(table => `alter table ${table} ${what} trigger user`).join('; '),
    )
  await triggers('disable')
  for (const statement of fillings(tenant_id)) {
    await ask(database_url, `set statement_timeout = 0; ${statement}`)
  }
  await triggers('enable')
  await analyzeFilled(database_url)
  return {
    database_url,
    program,
    token: person.access_token,
    tenant_id,
    close: async () => {
      await program.stop()
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

const filled_tables = [
  'commerce.orders',
  'identity.accounts',
  'payments.payment_intents',
  'commerce.catalog_products',
  'commerce.product_variants',
]

const at = `(timestamptz 'epoch' + ${begun_ms} * interval '1 ms' + n::float8 * ${step_ms} * interval '1 ms')`
const hex = `lpad(to_hex((${begun_ms} + round(n::float8 * ${step_ms}))::bigint), 12, '0')`
const id = `(substr(${hex}, 1, 8) || '-' || substr(${hex}, 9, 4) || '-7000-8000-'
  || lpad(n::text, 12, '0'))::uuid`
const name = `(array['Ada', 'Grace', 'Mara', 'Noor', 'Olga'])[n % 5 + 1] || ' Person' || n`
const total = `(1000 + n::bigint * 7919 % 90000)`

function fillings(tenant: string): string[] {
  const all = `from generate_series(1, ${rows}) n`
  return [
    `insert into commerce.orders (tenant_id, id, number, buyer_id, cart_id, state, currency, email,
       subtotal_minor, discount_minor, shipping_minor, shipping_discount_minor, shipping_tax_minor,
       tax_minor, total_minor, prices_include_tax, needs_shipping, discounts, shipping_address,
       calculation, pricing_fingerprint, capture_policy, payment_state, request_fingerprint,
       created_at, confirmed_at, reservation_expires_at)
     select '${tenant}', ${id}, n, ${id}, ${id},
       case when n % 1000 = 0 then 'cancelled' when n % 3 = 0 then 'fulfilled' else 'confirmed' end,
       case when n % 10 = 0 then 'USD' else 'EUR' end, 'person' || n || '@example.org',
       ${total}, 0, 0, 0, 0, 0, ${total}, true, true, '[]',
       jsonb_build_object('name', ${name}, 'line1', 'Street ' || n, 'city', 'Berlin',
         'postal_code', '10969', 'country', 'DE'),
       '{}', 'none', 'on_confirm', 'captured', 'x', ${at}, ${at}, ${at} ${all}`,
    `insert into identity.accounts (
       tenant_id, id, email, email_normalized, email_scope, status, display_name, created_at)
     select '${tenant}', ${id}, 'person' || n || '@example.org', 'person' || n || '@example.org',
       '${tenant}', 'active', ${name}, ${at} ${all}`,
    `insert into payments.payment_intents (
       tenant_id, id, order_ref, amount_minor, currency, provider, provider_handle, created_at)
     select '${tenant}', ${id}, 'ref-' || n, ${total}, 'EUR', 'stripe', 'pi_' || n, ${at} ${all}`,
    `insert into commerce.catalog_products (
       tenant_id, id, handle, title, category, state, published_at, created_at)
     select '${tenant}', ${id}, 'thing-' || n, (array['Blue', 'Olive', 'Sand'])[n % 3 + 1]
       || ' lamp model' || n, 'things/' || n % 50, 'active', ${at}, ${at} ${all}`,
    `insert into commerce.product_variants (tenant_id, sku, product_id, place, title)
     select '${tenant}', 'S-' || n, ${id}, 0, 'One' ${all}`,
  ]
}
