/**
 * What one flood makes of the plans of others: a type that has nothing waiting is looked for without
 * reading what waits of another, and a claim that was planned over empty tables serves full ones.
 */
import type pg from 'pg'
import type { Static, TSchema } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { directClient } from '../../../../kernel/database/direct.ts'
import { newId, type Keyring, type Reader, type Sql, type Tx } from '#dodeca/kernel'
import { compile } from '../../../../kernel/database/sql.ts'
import { stopAutovacuum } from '../../../../kernel/events/test/process.ts'
import { cloneDatabase, type Clone } from '../../../../../test/world.ts'
import { claimJobs } from '../claims/claim-jobs.ts'
import { openLaneCursor } from '../claims/lane-cursor.ts'
import { lanesOf, openLaneFinder } from '../claims/find-lanes.ts'
import { explained } from './explained.ts'

const tenant_id = newId()
const large = /^(jobs|job_queue|job_attempts|job_events)$/

let ground: Clone
let client: pg.Client
beforeAll(async () => {
  ground = await cloneDatabase('product_template')
  await stopAutovacuum(ground.url)
  client = directClient(ground.url, 'test')
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await ground.drop()
})

async function flood(): Promise<void> {
  await client.query(
    `with made as (
       insert into jobs.jobs (id, tenant_id, type, schema_version, principal_id, operation,
         max_attempts)
       select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0')
           || '7' || lpad(to_hex(g), 19, '0'))::uuid,
         $1, 'flood', 1, $1, 'test', 5 from generate_series(1, 30000) g returning *)
     insert into jobs.job_queue (tenant_id, job_id, type, schema_version, rank)
     select tenant_id, id, type, schema_version, priority from made`,
    [tenant_id],
  )
}

/** One transaction in which each statement keeps the plan that it has on this connection. */
async function prepared<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  const many = async <S extends TSchema>(_row: S, statement: Sql) =>
    (await client.query(compile(statement))).rows as Static<S>[]
  const one: Reader['one'] = async (row, statement) =>
    (await many(row, statement))[0] as Static<typeof row>
  await client.query('begin')
  // A claim reads, and asks for nothing else of its transaction.
  const done = await work({ many, one } as unknown as Tx)
  await client.query('commit')
  return done
}

const keys = { mac: () => Buffer.alloc(32) } as unknown as Keyring
const rules = {
  type: 'flood',
  schema_version: 1,
  lease_seconds: 30,
  timeout_seconds: 600,
  backoff: { base_ms: 1, cap_ms: 1 },
  tenant_max_running: null,
}

function claimTen(tx: Tx) {
  const { stretches } = openLaneCursor().next(0)
  const worker = { worker_id: newId(), claim_id: null, grace_seconds: 30 }
  return claimJobs(tx, keys, worker, [{ rules, tenant_id, quota: 10, stretches }])
}

test('a claim that was planned over empty tables reads only what it takes of full ones', async () => {
  // What is known to be empty is read from end to end by any plan that may.
  await client.query('vacuum analyze jobs.jobs, jobs.job_queue, jobs.job_attempts')
  expect(await prepared(claimTen)).toEqual([])
  await flood()
  const { taken, read } = await prepared(async tx => {
    const jobs = await claimTen(tx)
    const { rows } = await client.query<{ read: string }>(
      `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) as read
       from pg_stat_xact_user_tables where schemaname = 'jobs'`,
    )
    return { taken: jobs, read: Number(rows[0]?.read) }
  })
  expect(taken).toHaveLength(10)
  expect(read).toBeLessThan(200)
})

test('types that have nothing waiting are looked for beside a flood of another', async () => {
  await client.query('analyze jobs.job_queue')
  const types = ['a', 'flood', 'g', 'z'].map(type => ({ type, schema_version: 1 }))
  const wrong = await explained(client, large, async tx => {
    const lane = { type: 'flood', schema_version: 1, tenant_id }
    expect(await openLaneFinder().find(tx, types)).toEqual({ lanes: [lane], around: true })
    expect(await lanesOf(tx, types, tenant_id)).toEqual({ lanes: [lane] })
    expect(await lanesOf(tx, types, newId())).toEqual({ lanes: [] })
  })
  expect(wrong).toEqual([])
})
