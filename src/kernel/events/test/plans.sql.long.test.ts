/** The hot statements find their rows by index, whatever the tables hold: no Seq Scan, no large Sort. */
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { openDb, type Db } from '../../database/db.ts'
import { directClient } from '../../database/direct.ts'
import { compile, type Sql } from '../../database/sql.ts'
import { newId } from '../../ids.ts'
import { admit } from '../consumers/handle-once.ts'
import { advanceQuiet, move, takeWork } from '../consumers/leases.ts'
import { readDueLanes } from '../consumers/parks.ts'
import { poll, readLane, readTail, type LanedEvent } from '../log/read.ts'
import { sequence_text } from '../log/assign-positions.ts'
import { stopAutovacuum } from './process.ts'

const rows = 1_000_000
const portion = 50_000
const large = /^(events_p|outbox_events|inbox_events)/
let ground: Clone
let client: pg.Client

const columns = `id, tenant_id, type, schema_version, aggregate_type, aggregate_id,
  aggregate_version, payload`
const values = `overlay(gen_random_uuid()::text placing
    (select left(kernel.first_id_of(now())::text, 13)) from 1)::uuid,
  md5((g % 7)::text)::uuid, 'thing.' || g % 50, 1, 'thing', md5((g % 9999)::text)::uuid, g, '{}'`

beforeAll(async () => {
  ground = await cloneDatabase()
  await stopAutovacuum(ground.url)
  client = directClient(ground.url, 'test')
  await client.connect()
  await client.query(`set statement_timeout = 0`)
  // A gigabyte of WAL would prove nothing about plans.
  const { rows: parts } = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relnamespace = 'kernel'::regnamespace and relkind = 'r' and relname ~ $1`,
    [large.source],
  )
  for (const { name } of parts) await client.query(`alter table ${name} set unlogged`)
  // In portions: other databases of this server wait for the end of its oldest transaction.
  for (let last = portion; last <= rows; last += portion) {
    await client.query(`
      insert into kernel.outbox_events (${columns})
      select ${values} from generate_series(${last - portion + 1}, ${last}) g`)
    await client.query(`
      insert into kernel.events (position, ${columns}, occurred_at, created_at, lane)
      select seq, ${columns}, occurred_at, created_at, kernel.lane_of(aggregate_id)
      from kernel.outbox_events where seq > ${last - portion}`)
    await client.query(`
      insert into kernel.inbox_events (consumer, event_id)
      select 'c' || position % 5, id from kernel.events
      where position > ${last - portion} and position % 5 < 2`)
  }
  await client.query(`
    insert into kernel.event_consumers (consumer, lane, position, lease_token, leased_until)
    select 'c' || c, lane, ${rows - 100}, null, null
    from generate_series(1, 60) c, generate_series(0, 15) lane`)
  await client.query(`update kernel.event_counter set position = ${rows}`)
  // The plans rest on these statistics and on no others.
  await client.query('analyze')
})
afterAll(async () => {
  await client.end()
  await ground.drop()
})

type Node = {
  'Node Type': string
  'Relation Name'?: string
  'CTE Name'?: string
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  Plans?: Node[]
}

function* nodes(plan: Node): Generator<Node> {
  yield plan
  for (const one of plan.Plans ?? []) yield* nodes(one)
}

/** What is wrong with the plan of a statement; it is run and rolled back. */
async function faults(text: string, parameters: unknown[]): Promise<string[]> {
  await client.query('begin')
  const { rows: found } = await client.query(`explain (analyze, format json) ${text}`, parameters)
  await client.query('rollback')
  return [...nodes(found[0]['QUERY PLAN'][0].Plan)].flatMap(node => {
    const on = node['Relation Name'] ?? ''
    // A partition that was made ahead is empty, and there is nothing cheaper than to look at it.
    const touched = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)
    if (node['Node Type'] === 'Seq Scan' && large.test(on) && touched > 0) {
      return [`Seq Scan on ${on}`]
    }
    // What is sorted is at most what a batch holds.
    if (node['Node Type'].includes('Sort') && node['Actual Rows'] > 2000) {
      return [`${node['Node Type']} of ${node['Actual Rows']} rows`]
    }
    return []
  })
}

/** The statements that a function of ours sends, with the plan of each. */
async function faultsOf(run: (sent: Sql[]) => Promise<unknown>): Promise<string[]> {
  const sent: Sql[] = []
  await run(sent)
  expect(sent.length).toBeGreaterThan(0)
  const wrong: string[] = []
  for (const statement of sent) {
    const { text, values: parameters } = compile(statement)
    wrong.push(...(await faults(text, parameters)))
  }
  return wrong
}

/** A real database whose statements are written down on their way. */
function answering(sent: Sql[]): Db {
  const db = openDb({
    url: ground.url,
    pool: 1,
    wait_ms: 5000,
    check_rows: true,
    application_name: 'plans',
    outbox: () => [],
    committed: () => {},
    waited: () => {},
    lost: () => {},
  })
  const noted = (statement: Sql): Sql => {
    sent.push(statement)
    return statement
  }
  const noting = <R extends Pick<Db, 'one' | 'maybe' | 'many' | 'run'>>(of: R): R => ({
    ...of,
    one: (row, statement) => of.one(row, noted(statement)),
    maybe: (row, statement) => of.maybe(row, noted(statement)),
    many: (row, statement) => of.many(row, noted(statement)),
    run: statement => of.run(noted(statement)),
  })
  return { ...noting(db), tx: work => db.tx(tx => work(noting(tx))) }
}

test('sequencing', async () => {
  const { rows: counter } = await client.query(
    'select ctid::text as place from kernel.event_counter',
  )
  const place = counter[0].place
  expect(await faults(sequence_text, [place, rows, [1, 700], [500, 900], 5000])).toEqual([])
  expect(await faults(sequence_text, [place, rows, [], [], 0])).toEqual([])
  expect(await faults(sequence_text, [place, rows, [], [], rows])).toEqual([])
})

test('reading', async () => {
  const lane = { lane: 3, after: rows - 50_000, limit: 200 }
  const wrong = await faultsOf(async sent => {
    const db = answering(sent)
    await readTail(db, { position: rows - 100, id: null }, 500)
    await readTail(db, { position: 0, id: null }, 500)
    await poll(db, ['c1', 'c2'])
    await readDueLanes(db, ['c1', 'c2'])
    await readLane(db, { ...lane, types: ['thing.3', 'thing.4'] })
    await readLane(db, { ...lane, types: null })
    await db.close()
  })
  expect(wrong).toEqual([])
})

test('handling and looking', async () => {
  const consumers = Array.from({ length: 60 }, (_, i) => `c${i + 1}`)
  const interests = consumers.map((consumer, i) => ({ consumer, types: [`thing.${i % 50}`] }))
  const token = newId()
  const wrong = await faultsOf(async sent => {
    const db = answering(sent)
    const after = { position: rows - 50, id: null }
    const events: LanedEvent[] = (await readTail(db, after, 50)) ?? []
    await takeWork(db, interests, token)
    const held = await takeWork(db, interests, token)
    const key = held.find(one => one.ours)
    if (!key) throw new Error('no lane was taken')
    await db.tx(tx => admit(tx, 'c2', events))
    await db.tx(tx => move(tx, key, token, rows))
    await advanceQuiet(db, interests)
    await db.close()
  })
  expect(wrong).toEqual([])
})
