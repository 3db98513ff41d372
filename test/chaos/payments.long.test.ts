/**
 * The platform, and sometimes the provider with it, is killed again and again while merchants authorize,
 * capture, cancel and refund, and the provider loses answers. Afterwards no operation had two effects, every
 * doubt has ended, and the ledger is the provider's balance.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { sql } from '../../src/kernel/database/sql.ts'
import { inherited, startProcess, type PlatformProcess } from '../process.ts'
import { openProductWorld, type Member, type ProductWorld } from '../product-world.ts'
import { call, eventually, newKey } from '../world.ts'

const full = inject('chaos') === 'full'
const kills = full ? 200 : 3
const permissions = ['create', 'read', 'authorize', 'capture', 'cancel'].map(
  action => `payments.intents.${action}`,
)

let folder: string
let provider: ChildProcess
let addresses: Record<string, string>
let world: ProductWorld
let platform: PlatformProcess
let shop: Member

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dodeca-payments-chaos-'))
  provider = await startProvider()
  // This process only looks on: the work is done by the one that is killed.
  world = await openProductWorld({
    ROLES: 'api',
    IDENTITY_ACCESS_TTL_SECONDS: '3600',
    PAYMENTS_STRIPE_SECRET_KEY: addresses['key'] ?? '',
    PAYMENTS_STRIPE_BASE_URL: addresses['api'] ?? '',
    PAYMENTS_STRIPE_WEBHOOK_SECRETS: addresses['webhook_secret'] ?? '',
    PAYMENTS_PROVIDER_TIMEOUT_MS: '300',
    PAYMENTS_RESOLVE_FIRST_SECONDS: '0.1',
    PAYMENTS_PROVIDER_READS_PER_SECOND: '100000',
    PAYMENTS_PROVIDER_WRITES_PER_SECOND: '100000',
    PAYMENTS_DECLINES_PER_HOUR: '100000',
    PAYMENTS_EVENT_CATCHUP_SECONDS: '2',
    PAYMENTS_BREAKER_OPEN_MS: '100',
  })
  shop = await world.member()
  await world.allow(shop, ...permissions, 'payments.reconciliations.run')
  await world.allow(shop, 'payments.reconciliations.read', 'payments.refunds.read')
  await world.give(shop, 'refund_operator')
  platform = await startPlatform()
})
afterAll(async () => {
  await platform.kill()
  await world.close()
  provider.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

async function startProvider(): Promise<ChildProcess> {
  const main = fileURLToPath(new URL('../../src/sandbox/main.ts', import.meta.url))
  const child = spawn(process.execPath, [main, folder], {
    env: { ...inherited },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise<void>(resolve => child.stdout.once('data', () => resolve()))
  const text = await readFile(join(folder, 'sandbox', 'addresses.json'), 'utf8')
  addresses = (JSON.parse(text) as Record<string, Record<string, string>>)['stripe'] ?? {}
  return child
}

async function startPlatform(): Promise<PlatformProcess> {
  const started = await startProcess({ ...world.environment, ROLES: 'api,worker' }, 'product')
  const webhook_url = `${started.url}/v1/providers/stripe/webhooks`
  await control('config', { webhook_url }).catch(() => {})
  return started
}

async function control(path: string, body?: object) {
  const answer = await fetch(new URL(path, addresses['control']), {
    method: body ? 'POST' : 'GET',
    ...(body
      ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      : {}),
  })
  return JSON.parse(await answer.text())
}

const ask = (method: string, path: string, body?: object) =>
  call(platform.url, method, path, {
    token: shop.token,
    ...(method === 'POST' ? { key: newKey() } : {}),
    ...(body ? { body } : {}),
  })

/** One payment's life, as far as it gets before something dies. */
async function pay(round: number): Promise<void> {
  const amount_minor = 1000 + round
  const made = await ask('POST', '/v1/payment-intents', { amount_minor, currency: 'EUR' })
  const id = made.body?.id
  if (!id) return
  const path = `/v1/payment-intents/${id}`
  const payment_method = round % 9 === 0 ? 'pm_card_visa_chargeDeclined' : 'pm_card_visa'
  await ask('POST', `${path}/authorize`, { payment_method })
  if (round % 5 === 0) return void (await ask('POST', `${path}/cancel`, {}))
  await ask('POST', `${path}/capture`, {})
  const refund = { intent_id: id, amount_minor: 100 }
  await Promise.all([ask('POST', '/v1/refunds', refund), ask('POST', '/v1/refunds', refund)])
}

const Count = Type.Object({ n: Type.Integer() })
const count = async (statement: ReturnType<typeof sql>) =>
  (await world.platform.kernel.db.one(Count, statement)).n

test(`${kills} SIGKILLs under load: one effect an operation, and the books agree`, async () => {
  await control('chaos', {
    seed: 7,
    ms: 500,
    rates: { delay_after: 0.03, reset_after: 0.02, http: 0.03, late_effect: 0.02, drop: 0.1 },
  })
  let stopping = false
  let rounds = 0
  const goOn = (to: number) => eventually('payments go on', () => rounds > to, 60_000)
  const load = Array.from({ length: 6 }, async () => {
    while (!stopping) await pay(rounds++).catch(() => {})
  })
  for (let kill = 0; kill < kills; kill++) {
    await goOn(rounds + 4)
    const dead = [platform.kill()]
    if (kill % 4 === 2) {
      provider.kill('SIGKILL')
      await Promise.all(dead)
      provider = await startProvider()
    }
    await Promise.all(dead)
    platform = await startPlatform()
  }
  stopping = true
  await Promise.all(load)
  await control('chaos', { seed: 0, rates: {} })
  await eventually('every doubt has ended', () => quiet(), 300_000)
  await expectOneEffectEach()
  await expectSameBooks()
}, 3_600_000)

async function quiet(): Promise<boolean> {
  const open = await count(sql`
    -- any tenant: all of this test
    select count(*)::int as n from payments.payment_operations
    where state in ('created', 'pending_provider')`)
  const events = await count(sql`
    select count(*)::int as n from payments.provider_events where due_at is not null`)
  return open === 0 && events === 0
}

async function expectOneEffectEach(): Promise<void> {
  type Effect = { idempotency_key: string; kind: string; object: string }
  const { data } = (await control('effects')) as { data: Effect[] }
  const seen = new Map<string, number>()
  for (const { idempotency_key, kind } of data) {
    const name = `${kind} ${idempotency_key}`
    seen.set(name, (seen.get(name) ?? 0) + 1)
  }
  expect([...seen].filter(([, times]) => times > 1)).toEqual([])
  const captures = data.filter(one => one.kind === 'capture').map(one => one.object)
  expect(new Set(captures).size).toBe(captures.length)
  expect(captures.length).toBeGreaterThan(0)
  const captured = await count(sql`
    -- any tenant: all of this test
    select count(*)::int as n from payments.payment_intents where state = 'captured'`)
  expect(captured).toBe(captures.length)
  const refunded = await count(sql`
    -- any tenant: all of this test
    select count(*)::int as n from payments.refunds where state = 'succeeded'`)
  expect(refunded).toBe(data.filter(one => one.kind === 'refund').length)
}

async function expectSameBooks(): Promise<void> {
  const asked = await ask('POST', '/v1/reconciliation-runs', {
    from: '2020-01-01T00:00:00.000Z',
    to: '2100-01-01T00:00:00.000Z',
  })
  const { proof } = await eventually(
    'the books are compared',
    async () => {
      const { body } = await ask('GET', asked.headers.get('location') ?? '')
      return body.status === 'succeeded' && body
    },
    60_000,
  )
  expect(proof.EUR.clearing_minor).toBe(proof.EUR.provider_minor)
  for (const check of world.platform.opened['payments']?.checks ?? []) {
    expect(await check.run(), check.name).toEqual([])
  }
}
