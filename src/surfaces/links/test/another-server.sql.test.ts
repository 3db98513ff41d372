/**
 * A standby that lacks the last changes takes over: transaction ids begin again below those that
 * processes know.
 */
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { openDb } from '../../../kernel/database/db.ts'
import { newId } from '#dodeca/kernel'
import { Lease, type Change } from '../cache/lease.ts'
import { openLinkWorld } from './link-world.ts'

const world = await openLinkWorld()
const client = new pg.Client({ connectionString: world.database_url })
await client.connect()
await client.query(`
  create schema other;
  create table other.started (at timestamptz not null);
  insert into other.started values (now());
  create function other.pg_postmaster_start_time() returns timestamptz
    language sql as 'select at from other.started'`)
const url = new URL(world.database_url)
url.searchParams.set('options', '-c search_path=other,pg_catalog,public')
const db = openDb({
  url: url.toString(),
  pool: 2,
  wait_ms: 5000,
  check_rows: true,
  application_name: 'another server',
  outbox: () => [],
  committed: () => {},
  waited: () => {},
  lost: () => {},
})
afterAll(async () => {
  await db.close()
  await client.end()
  await world.close()
})

test('a process forgets its cache, and is not taken to know the changes there', async () => {
  const dropped: Change[] = []
  let forgotten = 0
  const node_id = newId()
  const lease = new Lease({
    kernel: { ...world.deps.kernel, db },
    node_id,
    dropped: changes => void dropped.push(...changes),
    forget: () => void forgotten++,
    clicksSince: () => null,
    spool: null,
  })
  await lease.ensure()
  expect(forgotten).toBe(1)
  await client.query('update other.started set at = now()')
  // Its id is below all that the process has seen.
  const change = { domain_id: newId(), code: 'changed' }
  await client.query(`insert into links.link_changes (domain_id, code, xid) values ($1, $2, '3')`, [
    change.domain_id,
    change.code,
  ])
  lease.until_ms = -Infinity
  await lease.ensure()
  expect([forgotten, dropped]).toEqual([2, []])
  await lease.close()
})
