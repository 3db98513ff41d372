/**
 * With 200,000 deliveries waiting at a thousand endpoints, what a sender asks again and again touches
 * what it takes and no more; and so does the search for a time in the log. `npm run chaos`: with a million.
 */
import type pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { Type } from 'typebox'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { directClient } from '../../../kernel/database/direct.ts'
import { newId, sql, type Db, type Tx } from '#dodeca/kernel'
import { compile } from '../../../kernel/database/sql.ts'
import { stopAutovacuum } from '../../../kernel/events/test/process.ts'
import { explained } from '../../jobs/attempts/test/explained.ts'
import { readFeed } from '../catalog/read-events.ts'
import { startOf } from '../catalog/start-of.ts'
import { deliveryRoutes } from '../deliveries/routes.ts'
import { countEnded, lineUpEnded } from '../replays/line-up.ts'
import { countMissed, lineUpMissed } from '../replays/line-up-missed.ts'
import { claim, type Asked, type Claimed } from '../sending/claim.ts'
import { findDue } from '../sending/find-due.ts'
import { planLookUps } from '../sending/look-ups.ts'
import { releaseStranded } from '../sending/release-stranded.ts'

const lanes = 1000
const events = inject('chaos') === 'full' ? 1000 : 200
/** Partitions that hold what was made: an empty one may be read as it likes. */
let large: RegExp
/** What one statement of a replay looks at is sorted as a whole. */
const a_window = 'Sort of 1000 rows'
const owner = newId()
const replay_id = newId()
const all_shards = Array.from({ length: 64 }, (_, shard) => shard)

let ground: Clone
let client: pg.Client
let ids: string[]

const tenant = '01900000-0000-7000-8000-00000000000a'

beforeAll(async () => {
  ground = await cloneDatabase('product_template')
  await stopAutovacuum(ground.url)
  client = directClient(ground.url, 'test')
  await client.connect()
  await client.query('set statement_timeout = 0')
  await client.query(`set maintenance_work_mem = '256MB'`)
  await fill()
}, 180_000)
afterAll(async () => {
  await client.end()
  await ground.drop()
})

/** Every tenth endpoint is in order. Indexes are made when the rows are there. */
async function fill(): Promise<void> {
  await client.query(
    `with made as (
       insert into webhooks.subscriptions (tenant_id, id, endpoint, event_filter, readable, owner_id, state,
         api_version, max_in_flight, secret_version, secret_ciphertext, verification_mode, ordering)
       select $1, gen_random_uuid(), 'https://example.com/', '{*}', '{*}', $1, 'active', '2026-01', 8, 1, '',
         'auto', case when g % 10 = 0 then 'aggregate' else 'none' end
       from generate_series(1, ${lanes}) g returning tenant_id, id)
     insert into webhooks.delivery_lanes (tenant_id, subscription_id) select tenant_id, id from made`,
    [tenant],
  )
  await client.query(
    `update webhooks.sender_shards set owner = $1, leased_until = now() + interval '1 hour'`,
    [owner],
  )
  await client.query(
    `insert into kernel.events (position, id, tenant_id, type, schema_version, aggregate_type,
       aggregate_id, aggregate_version, payload, occurred_at, created_at, lane)
     -- Transactions of up to ten minutes put times and positions out of order.
     select g, (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0')
         || '7' || lpad(to_hex(g), 19, '0'))::uuid,
       case when g % 100 = 0 then $1::uuid else gen_random_uuid() end,
       'account.verified', 1, 'account', gen_random_uuid(), 1, '{}',
       now() - make_interval(secs => 100000 - g),
       now() - make_interval(secs => 100000 - g + random() * 590), 0
     from generate_series(1, 100000) g`,
    [tenant],
  )
  const { rows: indexes } = await client.query<{ name: string; text: string }>(
    `select indexname as name, replace(indexdef, ' ON ONLY ', ' ON ') as text from pg_indexes
     where schemaname = 'webhooks' and tablename = 'deliveries' and indexname <> 'deliveries_pkey'`,
  )
  expect(indexes.length).toBeGreaterThan(3)
  for (const { name } of indexes) await client.query(`drop index webhooks.${name}`)
  const { rows: weeks } = await client.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits
     where inhparent = 'webhooks.deliveries'::regclass`,
  )
  // Gigabytes of WAL would prove nothing about plans.
  for (const { name } of weeks) await client.query(`alter table ${name} set unlogged`)
  for (let last = 100; last <= events; last += 100) {
    await client.query(
      `with happened as materialized (
         select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0')
             || '7' || lpad(to_hex(g), 19, '0'))::uuid as id,
           gen_random_uuid() as aggregate_id, g as version
         from generate_series(${last - 99}, ${last}) g)
       insert into webhooks.deliveries (tenant_id, event_id, subscription_id, id, event_type,
         aggregate_id, aggregate_version, api_version, ordered, behind, held_seconds, occurred_at,
         next_attempt_at)
       select s.tenant_id, e.id, s.id,
         (substr(e.id::text, 1, 14) || substr(gen_random_uuid()::text, 15))::uuid, 'account.verified',
         case when s.ordering = 'aggregate' then s.tenant_id else e.aggregate_id end, e.version, '2026-01',
         s.ordering = 'aggregate', e.version % 5 = 0, 0, now(), now() - random() * interval '1 ms'
       from happened e cross join webhooks.subscriptions s`,
    )
  }
  for (const { text } of indexes) await client.query(text)
  await client.query('analyze')
  const { rows: filled } = await client.query<{ name: string }>(
    `select distinct tableoid::regclass::text as name from webhooks.deliveries`,
  )
  const names = filled.map(({ name }) => name.replace('webhooks.', ''))
  large = new RegExp(`^(events_p000000|${names.join('|')})$`)
  const { rows } = await client.query<{ id: string }>('select id from webhooks.subscriptions')
  ids = rows.map(row => row.id)
}

const wanted = (many: number, each: number) =>
  ids.slice(0, many).map(subscription_id => ({ subscription_id, many: each }))

/** The explained transaction as the database that opens it; what sets something cannot be explained. */
function databaseOf(tx: Tx): Db {
  const inside: Tx = {
    ...tx,
    run: async statement => {
      const { text } = compile(statement)
      if (!/^\s*set /.test(text)) return await tx.run(statement)
      await client.query(text)
      return 0
    },
  }
  const unused = () => {
    throw new Error('not in a plan test')
  }
  return { ...inside, tx: work => work(inside), load: unused, close: unused }
}

const asked = (by: string, from: Asked['wanted']): Asked => ({
  owner: by,
  token: newId(),
  lease_seconds: 30,
  wanted: from,
})

test('a claim touches what it takes, from the front and behind what was taken', async () => {
  const wrong = await explained(client, large, async tx => {
    await planLookUps(tx)
    const first = await claim(tx, asked(owner, wanted(60, 8)))
    expect(first).toHaveLength(480)
    expect(first.filter((one: Claimed) => one.aside).length).toBeGreaterThan(0)
    expect(await claim(tx, asked(owner, wanted(60, 8)))).toHaveLength(480)
    expect(await claim(tx, asked(newId(), wanted(5, 8)))).toEqual([])
  })
  expect(wrong).toEqual([])
})

test('looking for what is due, and for what was laid aside', async () => {
  const wrong = await explained(client, large, async tx => {
    const db = databaseOf(tx)
    expect((await findDue(db, all_shards)).ids).toHaveLength(lanes)
    const from_first = { after: null, many: 50 }
    const { released, after } = await releaseStranded(db, all_shards.slice(0, 8), from_first)
    expect([released, after?.subscription_id]).toEqual([0, expect.any(String)])
    const rest = await releaseStranded(db, all_shards.slice(0, 8), { after, many: 100 })
    expect(rest.after).toBeNull()
  })
  expect(wrong).toEqual([])
})

test('a list and a replay of many look at a portion', async () => {
  const since = '2000-01-01T00:00:00Z'
  const span = { since, until: '2999-01-01T00:00:00Z' }
  const place = { tenant_id: tenant, subscription_id: ids[1] ?? '', replay_id, ...span }
  const due = { lead_seconds: 0, rate_per_second: 50 }
  const wrong = await explained(client, large, async tx => {
    const cursors = {
      start: () => ({ after: null, limit: 20, fetch: 21 }),
      page: (_scope: unknown, data: unknown) => ({ body: { data }, headers: {} }),
    }
    const [list] = deliveryRoutes({ kernel: { settings: {}, profile: 'production' } } as never)
    const page = await list?.handle?.({
      tx,
      principal: { tenant_id: tenant },
      query: {},
      request: { headers: {} },
      list: { cursors },
    } as never)
    expect(page?.body).toHaveProperty('data.length', 21)
    const { id } = await tx.one(
      Type.Object({ id: Type.String() }),
      sql`
        select kernel.first_id_of(now() - interval '1 hour') as id`,
    )
    const selection = { ...place, states: ['pending'], types: null }
    expect((await countEnded(tx, selection, id)).after).toBeNull()
    await lineUpEnded(tx, selection, { after: id, many: 50 }, due)
    const listening = {
      ...place,
      types: ['account.verified'],
      aggregate_ids: null,
      api_version: '2026-01',
    }
    const from = String(await startOf(tx, tenant, since))
    expect(await countMissed(tx, listening, from)).toMatchObject({ found: 1000 })
    const made = await lineUpMissed(tx, listening, { after: from, many: 100 }, due)
    expect(made.found).toBe(100)
  })
  expect(wrong.filter(one => one !== a_window)).toEqual([])
})

test('the place of a time in the log is that of the first event since then', async () => {
  const Place = Type.Object({ position: Type.Union([Type.Integer(), Type.Null()]) })
  await explained(client, large, async tx => {
    for (let hours = 0; hours < 30; hours += 1.3) {
      const since = new Date(Date.now() - hours * 3_600_000).toISOString()
      const { position } = await tx.one(
        Place,
        sql`
          select min(position) - 1 as position from kernel.events
          where tenant_id = ${tenant} and created_at >= ${since}::timestamptz`,
      )
      expect([hours, await startOf(tx, tenant, since)]).toEqual([hours, position])
    }
  })
})

test('the feed finds a time without reading the log up to it', async () => {
  const wrong = await explained(client, large, async tx => {
    const since = new Date(Date.now() - 3_600_000).toISOString()
    const from = { tenant_id: tenant, after: null, limit: 20, types: ['account.verified'] }
    const { rows } = await readFeed(tx, from, since)
    expect(rows).toHaveLength(20)
    expect(rows[0]?.position).toBeGreaterThan(96_000)
  })
  expect(wrong).toEqual([])
})
