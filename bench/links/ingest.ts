/** Storing clicks beside COPY of the same rows, and adding them up. */
import { finished } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { newId } from '#dodeca/kernel'
import { addUp } from '../../src/surfaces/links/statistics/add-up.ts'
import { BatchBuilder, eventId, type Batch } from '../../src/surfaces/links/clicks/batch.ts'
import { storeBatches } from '../../src/surfaces/links/clicks/store-batches.ts'
import { platform_domain_id } from '../../src/surfaces/links/domains/platform.ts'
import type { Bench } from '../ground/comparison.ts'
import { ask } from '../ground/database.ts'
import type { Options } from '../ground/options.ts'
import { ratioVerdict, standingsOf, type Section } from '../ground/report.ts'
import { compete, percentile, type Measure } from '../ground/rounds.ts'
import { withTables, type Tables } from './tables.ts'

const batch_clicks = 2000

export function ingest({ options, database }: Bench): Promise<Section[]> {
  return withTables(database, async tables => [await measure(options, tables)])
}

async function measure(options: Options, { url, kernel }: Tables): Promise<Section> {
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
  if (!limit || !ours) throw new Error('a competitor is missing')
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
