/** Postings: ours through the platform's database layer, and the same function called by pgbench. */
import { newId } from '#dodeca/kernel'
import { post, transfer } from '../../src/surfaces/payments/ledger/post-transaction.ts'
import type { Bench } from '../ground/comparison.ts'
import { findPgbench, pgbench } from '../ground/pgbench.ts'
import { ratioVerdict, standingsOf, type Section } from '../ground/report.ts'
import { compete, percentile, type Measure } from '../ground/rounds.ts'
import type { Ground } from './ground.ts'

const clients = 16
const tenants = 1000
const nil = '00000000-0000-0000-0000-000000000000'

/**
 * Spread: both accounts belong to one of a thousand tenants. Hot: all postings use the clearing
 * account.
 */
function scriptOf(hot: boolean): string {
  const tenant = `('00000000-0000-7000-8000-' || lpad(:tenant::text, 12, '0'))::uuid`
  const owners = hot ? `array['${nil}'::uuid, ${tenant}]` : `array[${tenant}, ${tenant}]`
  const types = hot
    ? `'provider_clearing','merchant_balance'`
    : `'merchant_balance','refunds_in_transit'`
  return `\\set tenant random(1, ${tenants})
select payments.post_ledger(gen_random_uuid(), ${tenant}, gen_random_uuid(), null, 'bench', null,
  null, null, 'bench', 'EUR', ${owners}, array[${types}], array['debit','credit'],
  array[100,100]::bigint[]);
`
}

export async function posting({ options }: Bench, ground: Ground): Promise<Section> {
  const program = await findPgbench()
  const limit = (hot: boolean) => () =>
    pgbench({ program, url: ground.database_url, script: scriptOf(hot), clients }, options)
  const [spread, hot, mine, mine_hot] = await compete(
    [
      { name: 'pgbench, spread', run: limit(false) },
      { name: 'pgbench, hot', run: limit(true) },
      { name: 'ledger, spread', run: () => ours(ground, options.seconds, false) },
      { name: 'ledger, hot', run: () => ours(ground, options.seconds, true) },
    ],
    options.rounds,
  )
  if (!spread || !hot || !mine || !mine_hot) throw new Error('not everybody was measured')
  return standingsOf(
    'Postings of two entries, 16 clients',
    [spread, hot, mine, mine_hot],
    [
      ratioVerdict(mine, spread, 0.6),
      ratioVerdict(mine_hot, hot, 0.6),
      ratioVerdict(hot, spread, 0.8),
      ratioVerdict(mine_hot, mine, 0.8),
    ],
    ['Hot: every transaction touches the clearing account, whose sums are 16 rows.'],
  )
}

async function ours({ db }: Ground, seconds: number, hot: boolean): Promise<Measure> {
  const until = performance.now() + seconds * 1000
  const latencies: number[] = []
  let turn = 0
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < until) {
        const tenant_id = `00000000-0000-7000-8000-${String((turn++ % tenants) + 1).padStart(12, '0')}`
        const started = performance.now()
        await db.tx(tx =>
          post(tx, {
            tenant_id,
            payment_account_id: null,
            operation_id: newId(),
            purpose: 'bench',
            currency: 'EUR',
            description: 'bench',
            legs: hot
              ? transfer('provider_clearing', 'merchant_balance', 100)
              : transfer('merchant_balance', 'refunds_in_transit', 100),
          }),
        )
        latencies.push(performance.now() - started)
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
