/** Deliveries that wait as rows: how fast they go out, beside the same statements sent by pgbench alone. */
import { loadConfig } from '../../src/settings.ts'
import { newId } from '#dodeca/kernel'
import { composition } from '../../src/platform.ts'
import { start } from '../../src/runtime/start.ts'
import { finishAndClaim, type Result } from '../../src/surfaces/webhooks/sending/finish.ts'
import { planLookUps } from '../../src/surfaces/webhooks/sending/look-ups.ts'
import type { Bench } from '../ground/comparison.ts'
import { ask } from '../ground/database.ts'
import { productionEnvironment } from '../ground/platform.ts'
import { findPgbench, pgbench } from '../ground/pgbench.ts'
import { figure, type Section } from '../ground/report.ts'
import { median } from '../ground/rounds.ts'
import { claimAndFinish, delivered, deliveries_each, of_each } from './claim-script.ts'
import { fill } from './fill.ts'
import { drained, least, startOurs, startSink, subscribe, tell, type Sink } from './ground.ts'

const endpoints = 1000
const ports = 100
const groups = 40
const clients = 4
/** About what pgbench does in a second, so that a round has about the requested duration. */
const guess_per_second = 6000

export async function queue(bench: Bench): Promise<Section> {
  const sink = await startSink(ports)
  const limits: number[] = []
  const alone: number[] = []
  const rates: number[] = []
  for (let round = 1; round <= bench.options.rounds; round++) {
    limits.push(await statements(bench, `webhooks_queue_sql_${round}`))
    alone.push(await recording(bench, `webhooks_queue_alone_${round}`))
    rates.push(await sending(bench, sink, `webhooks_queue_${round}`))
    tell(
      `round ${round}: pgbench ${figure(limits.at(-1) ?? 0)}/s, ours ${figure(alone.at(-1) ?? 0)}/s alone, ${figure(rates.at(-1) ?? 0)}/s with the requests`,
    )
  }
  await sink.stop()
  const ratio = median(alone.map((rate, at) => rate / (limits[at] ?? Number.NaN)))
  return {
    title: 'Deliveries that wait, to the end of all',
    columns: ['', 'deliveries per second'],
    rows: [
      [`pgbench with the same statements, ${clients} clients`, figure(median(limits))],
      [`webhooks, claims and results alone, ${clients} at a time`, figure(median(alone))],
      ['webhooks, with the requests', figure(median(rates))],
    ],
    verdicts: [least('claims and results / pgbench', ratio, 0.5)],
    notes: [
      'A hundred deliveries at a time. Alone is what a sender asks of the database, with its commits, and nothing sent; the requests of the last row share the cores with all else.',
    ],
  }
}

async function prepare({ database }: Bench, name: string): Promise<string> {
  const url = new URL(database.url)
  url.pathname = `/${name}`
  return url.toString()
}

type Waiting = { readonly url: string; readonly owner: string }

/** Deliveries that wait for `transactions` of each client, of endpoints that all are one sender's. */
async function waiting(bench: Bench, name: string, transactions: number): Promise<Waiting> {
  const ours = await startOurs(bench, name, { ROLES: 'api' })
  const tenant_id = newId()
  await subscribe(
    ours,
    tenant_id,
    Array.from({ length: endpoints }, () => 1),
  )
  await ours.stop()
  const url = await prepare(bench, name)
  const owner = newId()
  const own = `update webhooks.sender_shards set owner = '${owner}', leased_until = now() + interval '1 hour'`
  await ask(url, own)
  await ask(
    url,
    `create table lane as select row_number() over (order by id) as n, id from webhooks.subscriptions`,
  )
  // Twice the number that is taken, because groups are chosen at random.
  const events = Math.ceil((2 * transactions * clients * deliveries_each) / endpoints) + 20
  await fill(url, { tenant_id, events, portion: 50 })
  return { url, owner }
}

const transactionsOf = ({ options }: Bench) =>
  Math.ceil((guess_per_second * options.seconds) / deliveries_each / clients)

async function statements(bench: Bench, name: string): Promise<number> {
  const transactions = transactionsOf(bench)
  const { url, owner } = await waiting(bench, name, transactions)
  const run = {
    program: await findPgbench(),
    url,
    script: await claimAndFinish(owner, clients),
    clients,
    transactions,
    variables: { groups },
  }
  const { per_second } = await pgbench(run, bench.options)
  return per_second * deliveries_each
}

/** Like a sender: one transaction records the results and claims the next deliveries. */
async function recording(bench: Bench, name: string): Promise<number> {
  const transactions = transactionsOf(bench)
  const { url, owner } = await waiting(bench, name, transactions)
  const ids = (await ask(url, 'select id from lane order by n')).map(row => String(row['id']))
  const config = loadConfig({}, { ...productionEnvironment(url), ROLES: 'api' })
  const running = await start(config, () => {}, composition)
  const { db } = running.platform.kernel
  const cycles = async (client: number) => {
    let results: Result[] = []
    let recorded = 0
    for (let n = 0; n <= transactions; n++) {
      const group = client + clients * (n % (groups / clients))
      const wanted = ids
        .filter((_, at) => at % groups === group)
        .map(subscription_id => ({ subscription_id, many: of_each }))
      const asked = { owner, token: newId(), lease_seconds: 30, wanted }
      const came = results
      const claimed = await db.tx(async tx => {
        const [, rows] = await Promise.all([planLookUps(tx), finishAndClaim(tx, came, asked)])
        return rows
      })
      recorded += came.length
      results = claimed.map(one => delivered(one, asked.token))
    }
    return recorded
  }
  const began = performance.now()
  const recorded = await Promise.all(Array.from({ length: clients }, (_, client) => cycles(client)))
  const seconds = (performance.now() - began) / 1000
  await running.stop()
  return recorded.reduce((sum, one) => sum + one, 0) / seconds
}

async function sending(bench: Bench, sink: Sink, name: string): Promise<number> {
  const ours = await startOurs(bench, name)
  const tenant_id = newId()
  const all = Array.from({ length: endpoints }, (_, at) => sink.ready.ports[at % ports] ?? 0)
  await subscribe(ours, tenant_id, all)
  const events = Math.ceil((2000 * bench.options.seconds) / endpoints)
  await fill(await prepare(bench, name), { tenant_id, events, portion: events })
  const count = events * endpoints
  const { last_ms, arrived } = await drained(sink, count)
  await ours.stop()
  const [, first_ms = Number.NaN] = arrived[0] ?? []
  return (count / (last_ms - first_ms)) * 1000
}
