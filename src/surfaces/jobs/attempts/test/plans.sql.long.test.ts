/**
 * With 200,000 waiting jobs of a thousand tenants the hot statements touch what they take, no more
 * (`npm run chaos`: with a million).
 */
import type pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { stopAutovacuum } from '../../../../kernel/events/test/process.ts'
import { directClient } from '../../../../kernel/database/direct.ts'
import { newId, type Db, type Keyring, type Tx } from '#dodeca/kernel'
import { cloneDatabase, type Clone } from '../../../../../test/world.ts'
import { claimedBefore, claimJobs } from '../claims/claim-jobs.ts'
import type { LaneQuota } from '../claims/claim-statement.ts'
import { openLaneCursor } from '../claims/lane-cursor.ts'
import { lanesOf, openLaneFinder } from '../claims/find-lanes.ts'
import { endAttempts, type EndDeps } from '../ends/end-attempts.ts'
import { endWaiting, type Waiting } from '../ends/end-waiting.ts'
import { holdLapsed, holdShown } from '../ends/hold-attempts.ts'
import { openRetryBudgets } from '../ends/retry-budget.ts'
import { promote, unmetDeadlines } from '../ends/sweeps.ts'
import type { TypeRules } from '../rules.ts'
import { renewLeases } from '../runner/heartbeat.ts'
import { noteProgress } from '../runner/progress.ts'
import { explained } from './explained.ts'

const rows = inject('chaos') === 'full' ? 1_000_000 : 200_000
const tenants = 1000
const portion = 50_000
const large = /^(jobs|job_queue|job_attempts|job_events)$/

let ground: Clone
let client: pg.Client

const tenant = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`

beforeAll(async () => {
  ground = await cloneDatabase('product_template')
  await stopAutovacuum(ground.url)
  client = directClient(ground.url, 'test')
  await client.connect()
  await client.query('set statement_timeout = 0')
  // A gigabyte of WAL would prove nothing about plans.
  for (const name of ['jobs', 'job_queue', 'job_attempts', 'job_events']) {
    await client.query(`alter table jobs.${name} set unlogged`)
  }
  // A tenth of the jobs are one tenant's. In portions: other databases wait for the oldest transaction.
  for (let last = portion; last <= rows; last += portion) {
    await client.query(
      `with made as (
         insert into jobs.jobs (id, tenant_id, type, schema_version, principal_id, operation,
           max_attempts, priority, deadline_at)
         select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0')
             || '7' || lpad(to_hex(g), 19, '0'))::uuid, ('00000000-0000-7000-8000-' || lpad((case when g % 10 = 0 then 0
             else g % ${tenants} end)::text, 12, '0'))::uuid,
           'type.' || g % 3, 1, gen_random_uuid(), 'test', 5, g % 10,
           case when g % 100 = 0 then now() + interval '1 day' end
         from generate_series(${last - portion + 1}, ${last}) g returning *)
       insert into jobs.job_queue (tenant_id, job_id, type, schema_version, rank, deadline_at, wake_at)
       select tenant_id, id, type, schema_version, priority, deadline_at,
         case when priority = 9 then now() + interval '1 day' end from made`,
    )
    await client.query(
      `insert into jobs.job_attempts (id, job_id, tenant_id, type, schema_version, attempt_no,
         worker_id, lease_token, lease_seconds, state, leased_until, heartbeat_at, started_at,
         timeout_at, completed_at)
       select gen_random_uuid(), id, tenant_id, type, 1, 1, id, sha256(''), 30, 'succeeded',
         now(), now(), now(), now(), now() from jobs.jobs order by id desc limit ${portion / 5}`,
    )
  }
  await client.query('analyze')
}, 180_000)
afterAll(async () => {
  await client.end()
  await ground.drop()
})

const rulesOf = (type: string): TypeRules => ({
  type,
  schema_version: 1,
  lease_seconds: 30,
  timeout_seconds: 600,
  backoff: { base_ms: 1, cap_ms: 1 },
  tenant_max_running: type === 'type.2' ? 3 : null,
})
const all = ['type.0', 'type.1', 'type.2'].map(rulesOf)
const keys = { mac: () => Buffer.alloc(32) } as unknown as Keyring
const worker = { worker_id: newId(), claim_id: newId(), grace_seconds: 30 }

const deps: EndDeps = {
  listeners: { ended: () => undefined, settleDependents: async () => {} },
  budgets: openRetryBudgets(() => 0),
  losses_max: 3,
  rulesOf: ({ type }) => rulesOf(type),
}

function lanesFor(count: number, quota: number): LaneQuota[] {
  return Array.from({ length: count }, (_, n) => {
    const rules = all[n % 3] as TypeRules
    const { stretches } = openLaneCursor().next(0)
    return { rules, tenant_id: tenant(n), quota, stretches }
  })
}

test('looking for lanes', async () => {
  const wrong = await explained(client, large, async tx => {
    const finder = openLaneFinder()
    for (let look = 0; look < 3; look++) {
      expect((await finder.find(tx, all)).lanes.length).toBeGreaterThan(60)
    }
    expect((await lanesOf(tx, all, tenant(0))).lanes).toHaveLength(3)
  })
  expect(wrong).toEqual([])
})

test('claiming, from the front and behind what was taken', async () => {
  const wrong = await explained(client, large, async tx => {
    const sixty = await claimJobs(tx, keys, worker, lanesFor(60, 1))
    expect(sixty.length).toBeGreaterThan(40)
    const [lane] = lanesFor(1, 100)
    if (!lane) throw new Error('no lane')
    const cursor = openLaneCursor()
    const front = cursor.next(0)
    const taken = await claimJobs(tx, keys, worker, [{ ...lane, stretches: front.stretches }])
    cursor.took(front, taken, 100, 0)
    const next = cursor.next(1)
    expect(next.from_front).toBe(false)
    const more = await claimJobs(tx, keys, worker, [{ ...lane, stretches: next.stretches }])
    expect(more).toHaveLength(100)
    expect(await claimedBefore(tx, keys, worker.worker_id, worker.claim_id)).toHaveLength(
      200 + sixty.length,
    )
  })
  expect(wrong).toEqual([])
})

test('renewing, telling progress, ending', async () => {
  const wrong = await explained(client, large, async tx => {
    const taken = await claimJobs(tx, keys, worker, lanesFor(100, 1))
    const db = tx as Tx & Db
    expect(await renewLeases(db, taken, 30)).toHaveLength(taken.length)
    const [first] = taken
    if (!first) throw new Error('nothing was claimed')
    await noteProgress(db, first, { stage: 'a', current: 1, checkpoint: {} }, 1000)
    const held = await holdShown(tx, taken)
    expect(held).toHaveLength(taken.length)
    const failed = { code: 'x', retryable: true }
    await endAttempts(
      deps,
      tx,
      held.map((one, n) => ({
        held: one,
        ending: n % 2 ? { outcome: 'succeeded' } : { outcome: 'failed', error: failed },
        result: null,
      })),
    )
  })
  expect(wrong).toEqual([])
})

test('sweeping', async () => {
  const wrong = await explained(client, large, async tx => {
    await claimJobs(tx, keys, worker, lanesFor(100, 1))
    expect(await holdLapsed(tx, 100, [])).toEqual([])
    expect(await unmetDeadlines.find(tx, 100, [])).toEqual([])
    await promote(tx)
    const { rows: waiting } = await client.query<Waiting>(
      'select tenant_id, job_id from jobs.job_queue limit 100',
    )
    await endWaiting(deps.listeners, tx, waiting, { state: 'cancelled', reason: null })
  })
  expect(wrong).toEqual([])
})
