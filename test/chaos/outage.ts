/** A merchant, two or more platforms that can be killed, and a provider in a process of its own. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Type } from 'typebox'
import { expect } from 'vitest'
import { sql } from '#dodeca/kernel'
import { inherited, startProcess, type PlatformProcess } from '../process.ts'
import { openProductWorld, type ProductWorld } from '../product-world.ts'
import { call, eventually, newKey, type Answer } from '../world.ts'
import { endsWithFile } from '../children.ts'

export type Ask = (method: string, path: string, body?: object, key?: string) => Promise<Answer>
export type Effect = {
  readonly idempotency_key: string
  readonly kind: string
  readonly object: string
  readonly metadata: { readonly intent_id?: string }
}

export type Outage = {
  readonly world: ProductWorld
  /** As a merchant who may do everything with payments. */
  askAt(url: string): Ask
  startPlatform(): Promise<PlatformProcess>
  /** Kills the provider and starts it again. */
  restartProvider(): Promise<void>
  control(path: string, body?: object): Promise<unknown>
  effects(): Promise<readonly Effect[]>
  count(statement: ReturnType<typeof sql>): Promise<number>
  /** The holders of all leases are dead: the test need not wait until they expire. */
  endLeases(): Promise<void>
  /** Waits until every doubt has ended and every webhook was worked on. */
  settled(): Promise<void>
  expectOneEffectEach(): Promise<void>
  expectSameBooks(): Promise<void>
  close(): Promise<void>
}

const permissions = ['create', 'read', 'authorize', 'capture', 'cancel'].map(
  action => `payments.intents.${action}`,
)
const patience_ms = 60_000

export async function openOutage(): Promise<Outage> {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-payments-chaos-'))
  let provider = await startProvider(folder)
  const addresses = await addressesIn(folder)
  // This process only looks on: the work is done by those that are killed.
  const world = await openProductWorld({
    ROLES: 'api',
    IDENTITY_ACCESS_TTL_SECONDS: '3600',
    PAYMENTS_STRIPE_SECRET_KEY: addresses['key'] ?? '',
    PAYMENTS_STRIPE_BASE_URL: addresses['api'] ?? '',
    PAYMENTS_STRIPE_WEBHOOK_SECRETS: addresses['webhook_secret'] ?? '',
    PAYMENTS_PROVIDER_TIMEOUT_MS: '1000',
    PAYMENTS_RESOLVE_FIRST_SECONDS: '0.1',
    PAYMENTS_PROVIDER_READS_PER_SECOND: '100000',
    PAYMENTS_PROVIDER_WRITES_PER_SECOND: '100000',
    PAYMENTS_DECLINES_PER_HOUR: '100000',
    PAYMENTS_EVENT_CATCHUP_SECONDS: '2',
    PAYMENTS_BREAKER_OPEN_MS: '100',
  })
  const platforms: Promise<PlatformProcess>[] = []
  const shop = await world.member()
  await world.allow(shop, ...permissions, 'payments.accounts.write')
  await world.allow(shop, 'payments.reconciliations.run')
  await world.allow(shop, 'payments.reconciliations.read', 'payments.refunds.read')
  await world.give(shop, 'refund_operator')
  const control = controlAt(addresses['control'] ?? '')
  const effects = async () => ((await control('effects')) as { data: Effect[] }).data
  const count: Outage['count'] = async statement =>
    (await world.platform.kernel.db.one(Count, statement)).n
  const askAt: Outage['askAt'] =
    url =>
    (method, path, body, key = newKey()) =>
      call(url, method, path, {
        token: shop.token,
        ...(method === 'POST' ? { key } : {}),
        ...(body ? { body } : {}),
      })
  return {
    world,
    askAt,
    control,
    effects,
    count,
    startPlatform: async () => {
      const environment = { ...world.environment, ROLES: 'api,worker' }
      const starting = startProcess(environment, 'product')
      platforms.push(starting)
      const started = await starting
      const webhook_url = `${started.url}/v1/providers/stripe/webhooks`
      await control('config', { webhook_url }).catch(() => {})
      return started
    },
    restartProvider: async () => {
      provider.kill('SIGKILL')
      provider = await startProvider(folder)
    },
    endLeases: () => endLeases(world),
    settled: () => settled(world),
    expectOneEffectEach: async () => expectOneEffectEach(await effects(), count),
    expectSameBooks: () => expectSameBooks(world, askAt(world.url)),
    close: async () => {
      // Also those that are still starting, after a test that failed.
      await Promise.all(platforms.map(one => one.then(it => it.kill()).catch(() => null)))
      await world.close()
      provider.kill('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function startProvider(folder: string): Promise<ChildProcess> {
  const main = fileURLToPath(new URL('../../src/sandbox/main.ts', import.meta.url))
  const child = endsWithFile(
    spawn(process.execPath, [main, folder], {
      env: { ...inherited },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  await new Promise<void>(resolve => child.stdout.once('data', () => resolve()))
  return child
}

/** They stay the same when it is started again. */
async function addressesIn(folder: string): Promise<Record<string, string>> {
  const text = await readFile(join(folder, 'sandbox', 'addresses.json'), 'utf8')
  return (JSON.parse(text) as Record<string, Record<string, string>>)['stripe'] ?? {}
}

function controlAt(address: string): Outage['control'] {
  return async (path, body) => {
    const answer = await fetch(new URL(path, address), {
      method: body ? 'POST' : 'GET',
      ...(body
        ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
        : {}),
    })
    return JSON.parse(await answer.text()) as unknown
  }
}

const Count = Type.Object({ n: Type.Integer() })

/** What a process holds at this moment is left to it, so that the two do not lock each other out. */
async function endLeases({ platform }: ProductWorld): Promise<void> {
  const { db } = platform.kernel
  await db.run(sql`
    -- any tenant: all of this test
    update payments.payment_operations
    set due_at = kernel.now(), leased_until = null, attempts = 0
    where ctid in (
      select ctid from payments.payment_operations
      where state in ('created', 'pending_provider') for update skip locked)`)
  await db.run(sql`
    update payments.provider_events
    set due_at = kernel.now(), leased_until = null, attempts = 0
    where ctid in (
      select ctid from payments.provider_events
      where due_at is not null for update skip locked)`)
  await db.run(sql`
    update kernel.idempotency_records set leased_until = now()
    where ctid in (
      select ctid from kernel.idempotency_records
      where leased_until is not null for update skip locked)`)
}

const Open = Type.Object({ what: Type.String() })

async function settled({ platform }: ProductWorld): Promise<void> {
  const open = () =>
    platform.kernel.db.many(
      Open,
      sql`
        -- any tenant: all of this test
        select concat_ws(' ', type, id, state, error_code, last_error_code, attempts, due_at,
          leased_until) as what
        from payments.payment_operations where state in ('created', 'pending_provider')
        union all
        select concat_ws(' ', type, object_ref, last_error_code, attempts, due_at, leased_until)
        from payments.provider_events where due_at is not null`,
    )
  const quiet = async () => (await open()).length === 0
  await eventually('every doubt has ended', quiet, patience_ms).catch(() => {})
  expect(await open()).toEqual([])
}

async function expectOneEffectEach(data: readonly Effect[], count: Outage['count']): Promise<void> {
  const seen = new Map<string, number>()
  for (const { idempotency_key, kind } of data) {
    const name = `${kind} ${idempotency_key}`
    seen.set(name, (seen.get(name) ?? 0) + 1)
  }
  expect([...seen].filter(([, times]) => times > 1)).toEqual([])
  const captures = data.filter(one => one.kind === 'capture').map(one => one.object)
  expect(new Set(captures).size).toBe(captures.length)
  expect(captures.length).toBeGreaterThan(0)
  const taken = await count(sql`
    -- any tenant: all of this test
    select count(*)::int as n from payments.payment_intents where state = 'captured'`)
  expect(taken).toBe(captures.length)
  const refunded = await count(sql`
    -- any tenant: all of this test
    select count(*)::int as n from payments.refunds where state = 'succeeded'`)
  expect(refunded).toBe(data.filter(one => one.kind === 'refund').length)
}

async function expectSameBooks({ platform }: ProductWorld, ask: Ask): Promise<void> {
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
    patience_ms,
  )
  expect(proof.EUR.clearing_minor).toBe(proof.EUR.provider_minor)
  for (const check of platform.opened['payments']?.checks ?? []) {
    expect(await check.run(), check.name).toEqual([])
  }
}
