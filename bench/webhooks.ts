/**
 * Webhooks end to end, PostgreSQL on the same processors: many events to many endpoints against undici
 * alone over the same connections, single events at a steady pace, and one event for ten thousand.
 */
import { fileURLToPath } from 'node:url'
import { newId } from '../src/kernel/ids.ts'
import { comparison, type Bench } from './ground/comparison.ts'
import { ask } from './ground/database.ts'
import { nowMs } from './ground/answer-beats.ts'
import { productionEnvironment } from './ground/platform.ts'
import { figure, type Section } from './ground/report.ts'
import { median, percentile } from './ground/rounds.ts'
import { startTalking, type Talking } from './ground/talking.ts'

const endpoints = 100
const wide = 10_000

type Sink = Talking<{ readonly ports: readonly number[] }>
type Seen = {
  readonly count: number
  readonly last_ms: number
  readonly arrived: [string, number][]
}
type Committed = [string, number][]

const programs = {
  sink: fileURLToPath(new URL('./ground/sink-process.ts', import.meta.url)),
  undici: fileURLToPath(new URL('./ground/undici-process.ts', import.meta.url)),
  ours: fileURLToPath(new URL('./ground/webhooks-process.ts', import.meta.url)),
}

await comparison('webhooks', async bench => {
  const sink: Sink = await startTalking({
    side: 'client',
    program: process.execPath,
    args: [programs.sink, String(endpoints)],
  })
  const rounds = { undici: [] as number[], ours: [] as number[] }
  const ours = await startOurs(bench, 'webhooks_main')
  const tenants = Array.from({ length: 4 }, () => newId())
  const [fanned = '', ...others] = tenants
  await subscribe(ours, fanned, sink.ready.ports, '/fan', 8)
  await ours.ask({ ask: 'emit', tenant_ids: [fanned], count: 20, together: 20, gap_ms: 0 })
  await drained(sink, 20 * endpoints)
  for (let round = 1; round <= bench.options.rounds; round++) {
    rounds.undici.push(await undiciAlone(sink, 20_000))
    rounds.ours.push(await fanOut(ours, sink, fanned, 100))
    process.stderr.write(
      `  round ${round}: undici ${Math.round(rounds.undici.at(-1) ?? 0)}/s, ours ${Math.round(rounds.ours.at(-1) ?? 0)}/s\n`,
    )
  }
  for (const [index, tenant_id] of others.entries()) {
    await subscribe(ours, tenant_id, sink.ready.ports.slice(index, index + 1), '/one', 64)
  }
  const single = await steady(ours, sink, others, bench.options.seconds)
  const many = await widely(ours, sink, bench)
  await ours.stop()
  await sink.stop()
  return [fanOutSection(rounds), steadySection(single), wideSection(many)]
})

function startOurs(bench: Bench, name: string): Promise<Talking<object>> {
  const { profile } = bench.options
  return bench.database.create(name).then(database_url =>
    startTalking<object>({
      side: 'server',
      program: process.execPath,
      args: [...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []), programs.ours],
      env: {
        ...productionEnvironment(database_url),
        WEBHOOKS_ALLOW_HTTP: 'true',
        WEBHOOKS_ALLOWED_PORTS: '1-65535',
        WEBHOOKS_ALLOWED_PRIVATE_CIDRS: '127.0.0.0/8',
      },
    }),
  )
}

function subscribe(
  ours: Talking<object>,
  tenant_id: string,
  ports: readonly number[],
  path: string,
  max_in_flight: number,
) {
  const urls = ports.map(port => `http://127.0.0.1:${port}${path}`)
  return ours.ask({ ask: 'subscribe', tenant_id, endpoints: urls, max_in_flight })
}

async function drained(sink: Sink, count: number): Promise<Seen> {
  for (;;) {
    const seen = await sink.ask<{ count: number }>('counts')
    if (seen.count >= count) return sink.ask<Seen>('take')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

async function undiciAlone(sink: Sink, count: number): Promise<number> {
  const side = {
    side: 'server',
    program: process.execPath,
    args: [programs.undici],
  } as const
  const bare = await startTalking<object>(side)
  const { ports } = sink.ready
  await bare.ask({ ports, connections: 256, count: 2000 })
  await sink.ask('take')
  const from = nowMs()
  await bare.ask({ ports, connections: 256, count })
  const { last_ms } = await sink.ask<Seen>('take')
  await bare.stop()
  return (count / (last_ms - from)) * 1000
}

async function fanOut(ours: Talking<object>, sink: Sink, tenant_id: string, events: number) {
  const from = nowMs()
  const order = { ask: 'emit', tenant_ids: [tenant_id], count: events, together: events, gap_ms: 0 }
  await ours.ask<Committed>(order)
  const { last_ms } = await drained(sink, events * endpoints)
  return ((events * endpoints) / (last_ms - from)) * 1000
}

type Steady = { readonly per_second: number; readonly p50_ms: number; readonly p99_ms: number }

/** First as much as there is, then half of it for the latency. */
async function steady(
  ours: Talking<object>,
  sink: Sink,
  tenant_ids: readonly string[],
  seconds: number,
): Promise<Steady> {
  const count = Math.ceil(1500 * seconds)
  const from = nowMs()
  const all = ours.ask<Committed>({ ask: 'emit', tenant_ids, count, together: 50, gap_ms: 0 })
  const { last_ms } = await drained(sink, count)
  await all
  const per_second = (count / (last_ms - from)) * 1000
  // Half of the goal's 1,500 a second, in transactions of five events.
  const half = { ask: 'emit', tenant_ids, count: 750 * seconds, together: 5, gap_ms: 5000 / 750 }
  const committed = await ours.ask<Committed>(half)
  const { arrived } = await drained(sink, committed.length)
  const came = new Map(arrived)
  const waits = committed.map(([id, at]) => (came.get(id) ?? Number.NaN) - at)
  return { per_second, p50_ms: percentile(waits, 0.5), p99_ms: percentile(waits, 0.99) }
}

type Wide = {
  readonly rows_ms: number
  readonly first_ms: number
  readonly all_ms: number
  readonly megabytes: number
}

async function widely(ours: Talking<object>, sink: Sink, { database }: Bench): Promise<Wide> {
  const tenant_id = newId()
  const ports = Array.from({ length: wide }, (_, index) => sink.ready.ports[index % endpoints] ?? 0)
  await subscribe(ours, tenant_id, ports, '/wide', 8)
  const before = await ours.ask<number>({ ask: 'memory' })
  const url = new URL(database.url)
  url.pathname = '/webhooks_main'
  const emitted = ours.ask<Committed>({
    ask: 'emit',
    tenant_ids: [tenant_id],
    count: 1,
    together: 1,
    gap_ms: 0,
  })
  const [[event_id, committed_ms] = ['', 0]] = await emitted
  let rows_ms = 0
  while (rows_ms === 0) {
    const text = 'select count(*)::int as made from webhooks.deliveries where event_id = $1'
    const [row] = await ask(url.toString(), text, [event_id])
    if (Number(row?.['made']) === wide) rows_ms = nowMs() - committed_ms
    else await new Promise(resolve => setTimeout(resolve, 20))
  }
  const { last_ms, arrived } = await drained(sink, wide)
  const megabytes = ((await ours.ask<number>({ ask: 'memory' })) - before) / 2 ** 20
  const first_ms = (new Map(arrived).get(event_id) ?? Number.NaN) - committed_ms
  return { rows_ms, first_ms, all_ms: last_ms - committed_ms, megabytes }
}

function fanOutSection({ undici, ours }: { undici: number[]; ours: number[] }): Section {
  const ratio = median(ours.map((rate, index) => rate / (undici[index] ?? Number.NaN)))
  return {
    title: 'Webhooks: a hundred events for a hundred endpoints',
    columns: ['', 'deliveries per second'],
    rows: [
      ['undici alone, 256 connections', figure(median(undici))],
      ['webhooks, from the commit of the events to the last answer', figure(median(ours))],
    ],
    verdicts: [
      { says: 'deliveries', reached: median(ours), target: 3000, unit: '/s', wanted: 'at least' },
      { says: 'webhooks / undici', reached: ratio, target: 0.35, unit: '', wanted: 'at least' },
    ],
    notes: [],
  }
}

function steadySection({ per_second, p50_ms, p99_ms }: Steady): Section {
  return {
    title: 'Webhooks: one event, one endpoint',
    columns: ['', 'per second', 'p50 ms', 'p99 ms'],
    rows: [['webhooks, commit to arrival', figure(per_second), figure(p50_ms), figure(p99_ms)]],
    verdicts: [
      { says: 'sustained', reached: per_second, target: 1500, unit: '/s', wanted: 'at least' },
      { says: 'p99 at 750/s', reached: p99_ms, target: 250, unit: 'ms', wanted: 'at most' },
    ],
    notes: [],
  }
}

function wideSection({ rows_ms, first_ms, all_ms, megabytes }: Wide): Section {
  const most = (says: string, reached: number, target: number, unit: string) => ({
    says,
    reached,
    target,
    unit,
    wanted: 'at most' as const,
  })
  return {
    title: 'Webhooks: one event for ten thousand endpoints',
    columns: ['', 'ms after the commit'],
    rows: [
      ['first arrival', figure(first_ms)],
      ['all deliveries are rows', figure(rows_ms)],
      ['last arrival', figure(all_ms)],
    ],
    verdicts: [
      most('rows', rows_ms, 1500, 'ms'),
      most('first arrival', first_ms, 200, 'ms'),
      most('memory', megabytes, 64, 'MB'),
    ],
    notes: [],
  }
}
