/** What waits for the provider: our own part of an authorization, and how soon doubts are resolved. */
import { setTimeout as pause } from 'node:timers/promises'
import { Stripe } from 'stripe'
import { Type } from 'typebox'
import { newId, sql } from '#dodeca/kernel'
import type { Bench } from '../ground/comparison.ts'
import { figure, type Section } from '../ground/report.ts'
import { percentile } from '../ground/rounds.ts'
import type { Ground } from './ground.ts'

const offered_per_second = 30
const doubts = 1000
const tenant_id = '00000000-0000-7000-8000-000000000001'

/** The same two calls at the same rate without our product. The difference is our own time. */
export async function authorizing({ options }: Bench, ground: Ground): Promise<Section> {
  const { hostname, port } = new URL(ground.stripe['api'] ?? '')
  const stripe = new Stripe(ground.stripe['key'] ?? '', {
    protocol: 'http',
    host: hostname,
    port,
    telemetry: false,
  })
  const direct = async () => {
    const { id } = await stripe.paymentIntents.create(
      { amount: 5000, currency: 'eur', capture_method: 'manual', metadata: { intent_id: newId() } },
      { idempotencyKey: newId() },
    )
    const expand = ['latest_charge.balance_transaction']
    await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa', expand })
  }
  const whole = async () => void (await ground.face.authorize(order()))
  await offered(direct, options.warm_seconds)
  await offered(whole, options.warm_seconds)
  const alone = await offered(direct, options.seconds * 2)
  const ours = await offered(whole, options.seconds * 2)
  const own = (share: number) => Math.max(0, percentile(ours, share) - percentile(alone, share))
  return {
    title: 'An authorization, 30 a second offered',
    columns: ['', 'p50 ms', 'p99 ms'],
    rows: [
      ['the provider alone', ...both(alone)],
      ['authorize', ...both(ours)],
    ],
    verdicts: [
      { says: 'our own p50', reached: own(0.5), target: 10, unit: 'ms', wanted: 'at most' },
      { says: 'our own p99', reached: own(0.99), target: 40, unit: 'ms', wanted: 'at most' },
    ],
    notes: ['Ours is what the whole takes more than the same two calls of the SDK alone.'],
  }
}

const both = (latencies: number[]) => [0.5, 0.99].map(share => figure(percentile(latencies, share)))

/** Sends this many a second regardless of their duration: a slow one delays no other. */
async function offered(work: () => Promise<void>, seconds: number): Promise<number[]> {
  const latencies: number[] = []
  const under_way: Promise<void>[] = []
  for (let sent = 0; sent < seconds * offered_per_second; sent++) {
    const started = performance.now()
    under_way.push(work().then(() => void latencies.push(performance.now() - started)))
    await pause(1000 / offered_per_second)
  }
  await Promise.all(under_way)
  return latencies
}

function order() {
  return {
    operation_id: newId(),
    tenant_id,
    order_ref: newId(),
    amount_minor: 5000,
    currency: 'EUR',
    payment_method: 'pm_card_visa',
    buyer_id: null,
  }
}

const Count = Type.Object({ n: Type.Integer() })

/** A thousand authorizations whose answers were lost, with the default 80 reads a second. */
export async function resolving(ground: Ground): Promise<Section> {
  const lost = { action: 'http', status: 500, after_effect: true, match: { path: '/confirm' } }
  await ground.control('faults', { ...lost, times: 1_000_000 })
  while ((await open(ground)) < doubts) {
    await Promise.all(Array.from({ length: 20 }, () => begun(ground)))
  }
  await ground.control('faults', {}, 'DELETE')
  await pause(1000)
  const waiting = await open(ground)
  await ground.db.run(sql`
    -- any tenant: the resolver is measured from one moment on
    update payments.payment_operations set due_at = kernel.now()
    where state in ('created', 'pending_provider')`)
  const started = performance.now()
  while ((await open(ground)) > 0) await pause(100)
  const seconds = (performance.now() - started) / 1000
  return {
    title: 'A thousand operations in doubt',
    columns: ['', 'operations', 'seconds'],
    rows: [['resolver', String(waiting), figure(seconds)]],
    verdicts: [
      { says: 'all resolved after', reached: seconds, target: 60, unit: 's', wanted: 'at most' },
    ],
    notes: ['One read each, at most 80 a second in one process.'],
  }
}

/** The breaker opens now and then, because every answer is lost. */
async function begun({ face, db }: Ground): Promise<void> {
  while (!face.accepting(await face.choose(db, tenant_id, {}, ''))) await pause(10)
  await face.authorize(order()).catch(() => {})
}

async function open({ db }: Ground): Promise<number> {
  const { n } = await db.one(
    Count,
    sql`
      -- any tenant: all of this comparison
      select count(*)::int as n from payments.payment_operations
      where state in ('created', 'pending_provider')`,
  )
  return n
}
