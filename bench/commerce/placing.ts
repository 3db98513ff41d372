/**
 * The first commit of a checkout in process, beside its own statements in pgbench: over 10,000 SKUs, and over
 * one, where its row is the limit.
 */
import { composition } from '../../src/platform.ts'
import { start } from '../../src/runtime/start.ts'
import { loadConfig } from '../../src/settings.ts'
import { newId, type Db, type Tx } from '#dodeca/kernel'
import { placeOrder } from '../../src/surfaces/commerce/checkout/place-order.ts'
import type { Deps } from '../../src/surfaces/commerce/deps.ts'
import type { Bench } from '../ground/comparison.ts'
import { findPgbench, pgbench } from '../ground/pgbench.ts'
import { ratioVerdict, standingsOf, type Section } from '../ground/report.ts'
import { compete, percentile, type Measure } from '../ground/rounds.ts'
import { fillCarts, numberedId, skus, tenant_id, type Ground } from './ground.ts'
import { scriptOf } from './script.ts'

const clients = 8
const per_second_max = 1200
const owner = `('40000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid`
const hot_sku = 'S-1'

export async function placing({ options }: Bench, ground: Ground): Promise<Section> {
  const program = await findPgbench()
  const running = await start(
    loadConfig({}, { ...ground.environment, ROLES: 'api', PORT: '0' }),
    () => {},
    composition,
  )
  const { kernel, opened } = running.platform
  const [payments, people] = ['payments', 'identity'].map(name => opened[name]?.face)
  const deps = { kernel, payments, people } as unknown as Deps
  let next = 1
  const carts = async (count: number, hot: boolean): Promise<number> => {
    const first = next
    next += count
    const sku = hot ? `'${hot_sku}'` : `'S-' || (n % ${skus} + 1)`
    await fillCarts(ground.database_url, { first, count, owner, sku })
    return first
  }
  const many = Math.ceil((options.seconds + options.warm_seconds + 1) * per_second_max)
  const ours = (hot: boolean) => async () => {
    let n = await carts(many, hot)
    const next = () => n++
    // A connection plans each statement six times before it keeps the plan.
    await placeAll(kernel.db, deps, next, options.warm_seconds)
    return await placeAll(kernel.db, deps, next, options.seconds)
  }
  const limit = (hot: boolean) => async () => {
    const first = await carts(many, hot)
    const script = await placingScript(kernel.db, deps, first, hot)
    // Each client takes carts of its own.
    const own = Math.floor((many - 1) / clients)
    const variables = { first: first + 1, own, turn: -1 }
    return await pgbench(
      { program, url: ground.database_url, script, clients, transactions: own, variables },
      options,
    )
  }
  try {
    const [spread, hot, mine, mine_hot] = await compete(
      [
        { name: 'pgbench, 10,000 SKUs', run: limit(false) },
        { name: 'pgbench, one SKU', run: limit(true) },
        { name: 'placed, 10,000 SKUs', run: ours(false) },
        { name: 'placed, one SKU', run: ours(true) },
      ],
      options.rounds,
    )
    if (!spread || !hot || !mine || !mine_hot) throw new Error('not everybody was measured')
    return standingsOf(
      'The first commit of a checkout, 8 clients',
      [spread, hot, mine, mine_hot],
      [ratioVerdict(mine, spread, 0.5), ratioVerdict(mine_hot, hot, 0.6)],
      ['pgbench runs the same statements; ours also prices, and writes the event of the order.'],
    )
  } finally {
    await running.stop()
  }
}

function placingOf(n: number) {
  const owner_id = numberedId('40000000', n)
  const operation_id = newId()
  return {
    principal: {
      id: owner_id,
      tenant_id,
      kind: 'account',
      session_id: null,
      aal: 'aal1',
      auth_time: 0,
    },
    given: {
      cart_id: numberedId('30000000', n),
      payment: { payment_method: 'pm_card_visa' },
    },
    key: { value: operation_id, fingerprint: Buffer.from(operation_id) },
    operation_id,
    guest: null,
  } as const
}

async function placeAll(db: Db, deps: Deps, next: () => number, seconds: number): Promise<Measure> {
  const until = performance.now() + seconds * 1000
  const latencies: number[] = []
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < until) {
        const placing = placingOf(next())
        const began = performance.now()
        await db.tx(tx => placeOrder(tx, deps, placing))
        latencies.push(performance.now() - began)
      }
    }),
  )
  return {
    per_second: latencies.length / seconds,
    p50_ms: percentile(latencies, 0.5),
    p99_ms: percentile(latencies, 0.99),
    cpu_us: null,
    unexpected: 0,
  }
}

/** The ids of the recorded order become those of the transaction's number. */
async function placingScript(db: Db, deps: Deps, n: number, hot: boolean): Promise<string> {
  const placing = placingOf(n)
  let order_id = ''
  const work = async (tx: Tx) => void (order_id = (await placeOrder(tx, deps, placing)).id)
  const numbered = (first: string) =>
    `(('${first}-0000-7000-8000-' || lpad(:n::text, 12, '0'))::uuid)`
  const begin = '\\set turn :turn + 1\n\\set n :first + :client_id * :own + :turn'
  const script = await scriptOf(db, work, begin, [
    [`'${placing.given.cart_id}'`, numbered('30000000')],
    [`'${placing.principal.id}'`, numbered('40000000')],
    [`'${placing.operation_id}'`, numbered('50000000')],
    ...(hot
      ? []
      : [[`array['S-${(n % skus) + 1}']`, `array['S-' || (:n % ${skus} + 1)]`] as const]),
  ])
  return script.replaceAll(`'${order_id}'`, numbered('60000000'))
}
