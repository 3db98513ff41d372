/**
 * Draining a backlog: how fast the sequencer gives committed events their positions, against pgbench
 * moving rows in batches of 500, and how fast one consumer works off the log, in batches and one by one.
 */
import pg from 'pg'
import { ask } from './ground/database.ts'
import { comparison, type Bench } from './ground/comparison.ts'
import { findPgbench, pgbench } from './ground/pgbench.ts'
import { startPlatform } from './ground/platform.ts'
import type { Consumption } from './ground/pulse.ts'
import { figure, type Section } from './ground/report.ts'
import { median } from './ground/rounds.ts'
import { drain_batch } from './ground/statements.ts'

const batch = 500
const worker = { roles: 'worker', surfaces: 'pulse' } as const
const tenant_id = '018f0000-0000-7000-8000-000000000000'

await comparison('backlog', async bench => {
  const program = await findPgbench()
  const scale = bench.options.seconds / 6
  const sequenced = Math.ceil((100_000 * scale) / batch) * batch
  const rates: Record<'limit' | 'sequencer' | 'batched' | 'single', number[]> = {
    limit: [],
    sequencer: [],
    batched: [],
    single: [],
  }
  for (let round = 1; round <= bench.options.rounds; round++) {
    rates.limit.push(await drainByPgbench(bench, program, round, sequenced))
    rates.sequencer.push(await drainBySequencer(bench, round, sequenced))
    rates.batched.push(await consume(bench, round, 'batched', Math.ceil(60_000 * scale)))
    rates.single.push(await consume(bench, round, 'single', Math.ceil(15_000 * scale)))
    const last = Object.entries(rates).map(
      ([name, all]) => `${name} ${Math.round(all.at(-1) ?? 0)}/s`,
    )
    process.stderr.write(`  round ${round}: ${last.join(', ')}\n`)
  }
  return [sectionOf(rates)]
})

function sectionOf(rates: Record<'limit' | 'sequencer' | 'batched' | 'single', number[]>): Section {
  const ratio = median(
    rates.sequencer.map((rate, index) => rate / (rates.limit[index] ?? Number.NaN)),
  )
  const least = (says: string, values: readonly number[], target: number) => ({
    says,
    reached: median(values),
    target,
    unit: 'events/s',
    wanted: 'at least' as const,
  })
  return {
    title: 'Draining a backlog',
    columns: ['', 'events per second'],
    rows: [
      [`pgbench, ${batch} rows a batch`, figure(median(rates.limit))],
      ['sequencer', figure(median(rates.sequencer))],
      ['one consumer, in batches', figure(median(rates.batched))],
      ['one consumer, one by one', figure(median(rates.single))],
    ],
    verdicts: [
      { says: 'sequencer / pgbench', reached: ratio, target: 0.6, unit: '', wanted: 'at least' },
      least('sequencer', rates.sequencer, 10_000),
      least('one consumer, in batches', rates.batched, 5000),
      least('one consumer, one by one', rates.single, 1500),
    ],
    notes: [
      'The consumer writes one row for each event, beside its inbox row; one by one, each batch is first tried together and fails.',
    ],
  }
}

/**
 * Events of as many aggregates, committed together; then the platform gets the wake-up that another
 * process would send.
 */
async function fill(url: string, count: number): Promise<void> {
  await ask(
    url,
    `insert into kernel.outbox_events (id, tenant_id, type, schema_version, aggregate_type,
       aggregate_id, aggregate_version, payload)
     select uuidv7(), $1, 'pulse.beaten', 1, 'beat', one.id, 1, jsonb_build_object('beat_id', one.id)
     from (select gen_random_uuid() as id from generate_series(1, ${count})) one`,
    [tenant_id],
  )
}

async function emptyPlatform({ database }: Bench, name: string): Promise<string> {
  const database_url = await database.create(name)
  await (await startPlatform({ database_url, roles: 'api', surfaces: 'pulse' })).stop()
  return database_url
}

async function drainByPgbench(bench: Bench, program: string, round: number, count: number) {
  const url = await emptyPlatform(bench, `backlog_limit_${round}`)
  await fill(url, count)
  const transactions = count / batch
  const run = { program, url, script: drain_batch, clients: 1, transactions }
  const { per_second } = await pgbench(run, bench.options)
  return per_second * batch
}

async function drainBySequencer(bench: Bench, round: number, count: number): Promise<number> {
  const database_url = await bench.database.create(`backlog_sequencer_${round}`)
  const { profile } = bench.options
  const platform = await startPlatform({ database_url, ...worker, profile })
  await fill(database_url, count)
  const began = performance.now()
  await ask(database_url, `select pg_notify('kernel_wake', '')`)
  const position = 'select position::int as done from kernel.event_counter'
  const { done, at_ms } = await until(database_url, position, count, 20)
  await platform.stop()
  return (done / (at_ms - began)) * 1000
}

async function consume(bench: Bench, round: number, consuming: Consumption, count: number) {
  const name = `backlog_${consuming}_${round}`
  const database_url = await bench.database.create(name)
  const sequencer = await startPlatform({ database_url, ...worker })
  await fill(database_url, count)
  await until(database_url, 'select position::int as done from kernel.event_counter', count, 50)
  await sequencer.stop()
  const { profile } = bench.options
  const platform = await startPlatform({ database_url, ...worker, consuming, profile })
  const handled = 'select count(*)::int as done from pulse.heard'
  const from = await until(database_url, handled, 1, 20)
  const to = await until(database_url, handled, count, 100)
  await platform.stop()
  return ((to.done - from.done) / (to.at_ms - from.at_ms)) * 1000
}

/** Polls until this much is done. Returns how much was done, and when. */
async function until(url: string, statement: string, count: number, every_ms: number) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (;;) {
      const { rows } = await client.query<{ done: number }>(statement)
      const done = rows[0]?.done ?? 0
      if (done >= count) return { done, at_ms: performance.now() }
      await new Promise(resolve => setTimeout(resolve, every_ms))
    }
  } finally {
    await client.end()
  }
}
