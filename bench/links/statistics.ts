/** Reading 400 days of one link, and making the daily sums again from millions of events. */
import { newId, sql } from '#dodeca/kernel'
import { readStats } from '../../src/surfaces/links/statistics/read-stats.ts'
import { statsProjection } from '../../src/surfaces/links/statistics/rebuild-job.ts'
import { platform_domain_id } from '../../src/surfaces/links/domains/platform.ts'
import type { Bench } from '../ground/comparison.ts'
import { ask } from '../ground/database.ts'
import type { Options } from '../ground/options.ts'
import type { Section } from '../ground/report.ts'
import { percentile } from '../ground/rounds.ts'
import { withTables, type Tables } from './tables.ts'

const days = 400

export function reading({ database }: Bench): Promise<Section[]> {
  return withTables(database, async tables => [await readLong(tables)])
}

export function rebuilding({ options, database }: Bench): Promise<Section[]> {
  return withTables(database, async tables => [await rebuild(options, tables)])
}

async function readLong({ kernel: { db } }: Tables): Promise<Section> {
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

async function rebuild({ seconds }: Options, { url, kernel }: Tables): Promise<Section> {
  // In short rounds, for a trial, a tenth of the data is enough.
  const events = seconds >= 6 ? 10_000_000 : 1_000_000
  await ask(url, `select links.prepare_click_days(current_date - 9, current_date)`)
  await ask(
    url,
    `set statement_timeout = 0;
     insert into links.click_events (event_id, domain_id, code, occurred_at, coarse_context, batch_id)
     select gen_random_uuid(), '${platform_domain_id}', 'c' || (n * 7919 % 100000),
       current_date - (n % 10)::int + interval '12 hours',
       jsonb_build_object('country', (array['AT','CH','DE','FR'])[n / 10 % 4 + 1],
         'device', (array['mobile','desktop'])[n / 40 % 2 + 1], 'language', 'de', 'bot', n % 20 = 0),
       '${newId()}'
     from generate_series(1::bigint, ${events}) n`,
  )
  await ask(url, 'set statement_timeout = 0; analyze links.click_events')
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
