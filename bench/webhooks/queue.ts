/** Deliveries that wait as rows: how fast they go out, beside the same statements sent by pgbench alone. */
import { newId } from '../../src/kernel/ids.ts'
import type { Bench } from '../ground/comparison.ts'
import { ask } from '../ground/database.ts'
import { findPgbench, pgbench } from '../ground/pgbench.ts'
import { figure, type Section } from '../ground/report.ts'
import { median } from '../ground/rounds.ts'
import { claimAndFinish, deliveries_each } from './claim-script.ts'
import { fill } from './fill.ts'
import { drained, least, startOurs, startSink, subscribe, tell, type Sink } from './ground.ts'

const endpoints = 1000
const ports = 100
const groups = 40
const clients = 4
/** About what pgbench does in a second, so that a round lasts about as long as it was told. */
const guess_per_second = 6000

export async function queue(bench: Bench): Promise<Section> {
  const sink = await startSink(ports)
  const limits: number[] = []
  const rates: number[] = []
  for (let round = 1; round <= bench.options.rounds; round++) {
    limits.push(await statements(bench, `webhooks_queue_sql_${round}`))
    rates.push(await sending(bench, sink, `webhooks_queue_${round}`))
    tell(
      `round ${round}: pgbench ${figure(limits.at(-1) ?? 0)}/s, ours ${figure(rates.at(-1) ?? 0)}/s`,
    )
  }
  await sink.stop()
  const ratio = median(rates.map((rate, at) => rate / (limits[at] ?? Number.NaN)))
  return {
    title: 'Deliveries that wait, to the end of all',
    columns: ['', 'deliveries per second'],
    rows: [
      [`pgbench with the same statements, ${clients} clients`, figure(median(limits))],
      ['webhooks, with the requests', figure(median(rates))],
    ],
    verdicts: [least('webhooks / pgbench', ratio, 0.5)],
    notes: [],
  }
}

async function prepare({ database }: Bench, name: string): Promise<string> {
  const url = new URL(database.url)
  url.pathname = `/${name}`
  return url.toString()
}

async function statements(bench: Bench, name: string): Promise<number> {
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
  const transactions = Math.ceil(
    (guess_per_second * bench.options.seconds) / deliveries_each / clients,
  )
  // Twice what is taken, because groups are chosen at random.
  const events = Math.ceil((2 * transactions * clients * deliveries_each) / endpoints) + 20
  await fill(url, { tenant_id, events, portion: 50 })
  const told = {
    program: await findPgbench(),
    url,
    script: await claimAndFinish(owner, clients),
    clients,
    transactions,
    variables: { groups },
  }
  const { per_second } = await pgbench(told, bench.options)
  return per_second * deliveries_each
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
