/**
 * Clicks after the redirect: storing them beside COPY of the same rows, adding them up, reading 400 days of
 * one link, and making the daily sums again from millions of events.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { openClock } from '../../src/kernel/clock.ts'
import { openDb, type Db } from '../../src/kernel/database/db.ts'
import { sql } from '../../src/kernel/database/sql.ts'
import { newId } from '../../src/kernel/ids.ts'
import type { Kernel } from '../../src/kernel/surface.ts'
import { addUp } from '../../src/surfaces/links/clicks/add-up.ts'
import { BatchBuilder, eventId, type Batch } from '../../src/surfaces/links/clicks/batch.ts'
import { readStats } from '../../src/surfaces/links/clicks/read-stats.ts'
import { statsProjection } from '../../src/surfaces/links/clicks/rebuild-job.ts'
import { storeBatches } from '../../src/surfaces/links/clicks/store-batches.ts'
import { platform_domain_id } from '../../src/surfaces/links/domains/platform.ts'
import { ask, type Database } from '../ground/database.ts'
import type { Options } from '../ground/options.ts'
import { productionEnvironment } from '../ground/platform.ts'
import { startProgram } from '../ground/program.ts'
import { ratioVerdict, standingsOf, type Section } from '../ground/report.ts'
import { compete, percentile, type Measure } from '../ground/rounds.ts'

const batch_clicks = 2000
const days = 400

export async function statistics(options: Options, database: Database): Promise<Section[]> {
  const url = await migrated(database)
  const db = openDb({
    url,
    pool: 4,
    wait_ms: 5000,
    check_rows: false,
    application_name: 'bench',
    outbox: () => [],
    committed: () => {},
    waited: () => {},
    lost: () => {},
  })
  // What the way of a click uses of the kernel.
  const kernel = {
    db,
    clock: openClock(),
    fault: () => undefined,
    settings: { 'links.click_retention_days': 90 },
  } as unknown as Kernel
  try {
    return [
      await ingest(options, url, kernel),
      await reading(db),
      await rebuilding(options, url, kernel),
    ]
  } finally {
    await db.close()
  }
}

/** A database with the platform's tables, by the platform itself. */
async function migrated(database: Database): Promise<string> {
  const url = await database.create('statistics')
  const data_dir = await mkdtemp(join(tmpdir(), 'dodeca-bench-statistics-'))
  const program = await startProgram({
    ...productionEnvironment(url),
    DATA_DIR: data_dir,
    PUBLIC_URL: 'http://dodeca.test',
  })
  await program.stop()
  await rm(data_dir, { recursive: true, force: true })
  return url
}

const countries = ['AT', 'CH', 'DE', 'FR', 'GB', 'IT', 'PL', 'US']

function newBatch(): Batch {
  const builder = new BatchBuilder()
  const now = Date.now()
  for (let click = 0; click < batch_clicks; click++) {
    const code = `c${String((click * 7919 + now) % 100_000)}`
    const country = countries[click % countries.length] ?? ''
    const context = {
      country,
      device: 'mobile',
      browser: 'Safari',
      os: 'iOS',
      language: 'de',
      bot: false,
    }
    builder.add(
      { domain_id: platform_domain_id, code },
      JSON.stringify(context),
      now + (click % 50),
    )
  }
  return builder.build(newId())
}

async function ingest(options: Options, url: string, kernel: Kernel): Promise<Section> {
  await ask(url, 'create table links.copied (like links.click_events including all)')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const copy = async (batch: Batch) => {
    const rows = batch.at_ms.map((at, place) => {
      const [domain_id = '', code = ''] = batch.links[batch.link[place] ?? 0] ?? []
      const context = batch.contexts[batch.context[place] ?? 0] ?? ''
      const time = new Date(at).toISOString()
      return `${eventId(batch.id, at, place)}\t${domain_id}\t${code}\t${time}\t${context}\t${batch.id}\n`
    })
    const stream = client.query(copyFrom('copy links.copied from stdin'))
    stream.end(rows.join(''))
    await finished(stream)
  }
  const [limit, ours] = await compete(
    [
      { name: 'COPY', run: () => repeat(options, copy) },
      { name: 'dodeca', run: () => repeat(options, batch => storeBatches(kernel, [batch])) },
    ],
    options.rounds,
  )
  await client.end()
  if (!limit || !ours) throw new Error('nobody competed')
  const [waiting] = await ask(url, 'select count(*)::int as n from links.click_batches')
  const began = performance.now()
  const batches = await addUp(kernel)
  const added_per_second = (batches * batch_clicks * 1000) / (performance.now() - began)
  return standingsOf(
    `Storing clicks, ${batch_clicks} at a time, one connection`,
    [limit, ours],
    [
      ratioVerdict(ours, limit, 0.6),
      {
        says: 'Clicks stored',
        reached: ours.per_second,
        target: 20_000,
        unit: '/s',
        wanted: 'at least',
      },
    ],
    [
      `Adding the ${Number(waiting?.['n'])} batches up, on 100,000 links: ${Math.round(added_per_second).toLocaleString('en')} clicks a second.`,
    ],
  )
}

async function repeat(
  { seconds }: Options,
  store: (batch: Batch) => Promise<void>,
): Promise<Measure> {
  const latencies_ms: number[] = []
  let spent_ms = 0
  while (spent_ms < seconds * 1000) {
    const batch = newBatch()
    const began = performance.now()
    await store(batch)
    const took = performance.now() - began
    latencies_ms.push(took)
    spent_ms += took
  }
  return {
    per_second: (latencies_ms.length * batch_clicks * 1000) / spent_ms,
    p50_ms: percentile(latencies_ms, 0.5),
    p99_ms: percentile(latencies_ms, 0.99),
    cpu_us: null,
    unexpected: 0,
  }
}

async function reading(db: Db): Promise<Section> {
  const code = 'longlived'
  await db.run(sql`
    insert into links.daily_link_stats (domain_id, code, day, clicks, bots, bounded_dimensions)
    select ${platform_domain_id}, ${code}, current_date - n, 100, 10, jsonb_build_object(
      'country', (select jsonb_object_agg('C' || k, 10) from generate_series(1, 10) k),
      'referrer', (select jsonb_object_agg('site' || k || '.test', 2) from generate_series(1, 50) k))
    from generate_series(0, ${days - 1}) n`)
  const today = Math.floor(Date.now() / 86_400_000)
  const times_ms: number[] = []
  for (let time = 0; time < 200; time++) {
    const began = performance.now()
    const range = { from: today - days + 1, to: today }
    await readStats(db, { domain_id: platform_domain_id, code }, range, ['country', 'referrer'])
    times_ms.push(performance.now() - began)
  }
  const p50 = percentile(times_ms, 0.5)
  return {
    title: 'Statistics of one link over 400 days, two dimensions',
    columns: ['', 'p50 ms', 'p99 ms'],
    rows: [['dodeca', p50.toFixed(1), percentile(times_ms, 0.99).toFixed(1)]],
    verdicts: [{ says: 'p50', reached: p50, target: 10, unit: 'ms', wanted: 'at most' }],
    notes: [],
  }
}

async function rebuilding({ seconds }: Options, url: string, kernel: Kernel): Promise<Section> {
  // Short rounds are for a look: a tenth has to do.
  const events = seconds >= 6 ? 10_000_000 : 1_000_000
  await ask(url, 'truncate links.click_events, links.click_batches, links.daily_link_stats')
  await ask(url, `select links.prepare_click_days(current_date - 9, current_date)`)
  await ask(
    url,
    `set statement_timeout = 0;
     insert into links.click_events (event_id, domain_id, code, occurred_at, coarse_context, batch_id)
     select gen_random_uuid(), '${platform_domain_id}', 'c' || (n * 7919 % 100000),
       current_date - (n % 10) + interval '12 hours',
       jsonb_build_object('country', (array['AT','CH','DE','FR'])[n / 10 % 4 + 1],
         'device', (array['mobile','desktop'])[n / 40 % 2 + 1], 'language', 'de', 'bot', n % 20 = 0),
       '${newId()}'
     from generate_series(1, ${events}) n`,
  )
  await ask(url, 'analyze links.click_events')
  const began = performance.now()
  await statsProjection(kernel).rebuild(() => {}, new AbortController().signal)
  const took = (performance.now() - began) / 1000
  const scaled = (took * 10_000_000) / events
  return {
    title: 'Rebuilding the daily sums',
    columns: ['', 'events', 'seconds'],
    rows: [['dodeca rebuild links.daily_link_stats', events.toLocaleString('en'), took.toFixed(1)]],
    verdicts: [
      { says: 'Ten million events', reached: scaled, target: 180, unit: 's', wanted: 'at most' },
    ],
    notes: events < 10_000_000 ? ['Measured with a tenth and scaled: the rounds are short.'] : [],
  }
}
