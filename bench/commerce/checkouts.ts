/**
 * Whole checkouts over HTTP, paid through the sandbox on this machine: at a steady rate, and at the
 * maximum rate.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '#dodeca/kernel'
import type { Bench } from '../ground/comparison.ts'
import { analyzeFilled } from '../ground/database.ts'
import { requestText } from '../ground/load.ts'
import { figure, type Section } from '../ground/report.ts'
import { percentile } from '../ground/rounds.ts'
import type { LoggedIn } from '../ground/product.ts'
import { openWire } from '../ground/wire.ts'
import { accountOf, fillCarts, numberedId, skus, type Ground } from './ground.ts'

const offered_per_second = 40
const first = 5_000_000
const most_per_second = 300

export async function checkouts({ options }: Bench, ground: Ground): Promise<Section> {
  const { people, program } = ground
  const seconds = options.seconds * 2
  const count = Math.ceil(seconds * (offered_per_second + most_per_second) + 400)
  const owners = people.map(({ access_token }) => accountOf(access_token))
  const list = owners.map(id => `'${id}'::uuid`).join(', ')
  await fillCarts(ground.database_url, {
    first,
    count,
    owner: `(array[${list}])[n % ${owners.length} + 1]`,
    sku: `'S-' || (n % ${skus} + 1)`,
  })
  let next = first
  let refused = 0
  const order = async (latencies: number[], who?: LoggedIn) => {
    const n = next++
    const buyer = people[n % people.length]
    if (!buyer) throw new Error('no buyer')
    const wire = who?.wire ?? (await openWire(program.port))
    const began = performance.now()
    const { status } = await wire.ask(
      requestText({
        method: 'POST',
        path: '/v1/checkouts',
        token: buyer.access_token,
        key: newId(),
        body: {
          cart_id: numberedId('30000000', n),
          payment: { payment_method: 'pm_card_visa' },
        },
      }),
    )
    latencies.push(performance.now() - began)
    if (status !== 201) refused++
    if (!who) wire.close()
  }
  await steady(order, options.warm_seconds)
  // Autovacuum does this within a minute of the first orders; the measurement does not wait for it.
  await analyzeFilled(ground.database_url)
  const offered = await steady(order, seconds)
  const flat: number[] = []
  const until = performance.now() + seconds * 1000
  await Promise.all(
    people.map(async who => {
      while (performance.now() < until) await order(flat, who)
    }),
  )
  const p99 = percentile(offered, 0.99)
  return {
    title: 'Checkouts with their payment',
    columns: ['', 'per second', 'p50 ms', 'p99 ms'],
    rows: [
      ['40 a second offered', ...row(offered, offered_per_second)],
      ['32 buyers without a pause', ...row(flat, flat.length / seconds)],
    ],
    verdicts: [
      { says: 'p99 at 40 a second', reached: p99, target: 150, unit: 'ms', wanted: 'at most' },
      {
        says: 'most orders',
        reached: flat.length / seconds,
        target: 100,
        unit: '/s',
        wanted: 'at least',
      },
    ],
    notes: [
      `The platform, the sandbox, PostgreSQL and the buyers share the machine. ${refused} answers were not 201.`,
    ],
  }
}

const row = (latencies: number[], per_second: number) => [
  figure(per_second),
  figure(percentile(latencies, 0.5)),
  figure(percentile(latencies, 0.99)),
]

async function steady(order: (into: number[]) => Promise<void>, seconds: number) {
  const latencies: number[] = []
  const under_way: Promise<void>[] = []
  for (let sent = 0; sent < seconds * offered_per_second; sent++) {
    under_way.push(order(latencies))
    await pause(1000 / offered_per_second)
  }
  await Promise.all(under_way)
  return latencies
}
