/** 20,000 runs of one type wait (`npm run chaos`: 100,000): a job of another type starts as if there were none. */
import type { Static, TSchema } from 'typebox'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { newId, type Keyring, type Reader, type Sql, type Tx } from '#dodeca/kernel'
import { directClient } from '../../../../kernel/database/direct.ts'
import { compile } from '../../../../kernel/database/sql.ts'
import { claimJobs } from '../../attempts/claims/claim-jobs.ts'
import { openLaneFinder } from '../../attempts/claims/find-lanes.ts'
import { openLaneCursor } from '../../attempts/claims/lane-cursor.ts'
import { openEngineWorld, type EngineWorld } from '../../attempts/test/engine-world.ts'
import { runsOf, type Runs } from './watch-runs.ts'

const waiting = inject('chaos') === 'full' ? 100_000 : 20_000
const portion = 5000
const tenant_id = newId()

let world: EngineWorld
let runs: Runs
beforeAll(async () => {
  const most = String(2 * waiting)
  world = await openEngineWorld({ JOBS_TENANT_WAITING: most, JOBS_OPEN_RUNS_PER_TENANT: most })
  runs = runsOf(world)
  for (let n = 0; n < waiting; n += portion) await flood(portion)
  await world.query('analyze jobs.jobs, jobs.job_queue, jobs.runs, jobs.job_steps, jobs.step_waits')
})
afterAll(() => world.close())

/** Each waits for an event of its own aggregate, for sixty days, as a run does after its release. */
async function flood(many: number): Promise<void> {
  await world.query(
    `with made as (
       insert into jobs.jobs (id, tenant_id, type, schema_version, principal_id, operation,
         max_attempts, state, attempt_count)
       select gen_random_uuid(), $1, 'test.listed', 1, $1, 'test', 5, 'retryable', 1
       from generate_series(1, $2) returning *),
     queued as (
       insert into jobs.job_queue (tenant_id, job_id, type, schema_version, rank, wake_at)
       select tenant_id, id, type, schema_version, priority, kernel.now() + interval '60 days'
       from made),
     running as (
       insert into jobs.runs (tenant_id, job_id, from_position) select tenant_id, id, 0 from made),
     stepped as (
       insert into jobs.job_steps (tenant_id, job_id, name, sequence, kind, state, until)
       select tenant_id, id, 'paused', 1, 'event', 'waiting', kernel.now() + interval '60 days'
       from made)
     insert into jobs.step_waits (tenant_id, job_id, name, event_type, aggregate_id, awaited,
       scanned_through, is_open)
     select tenant_id, id, 'paused', 'job_type.paused', gen_random_uuid(), 'x', 0, true from made`,
    [tenant_id, many],
  )
}

const waitingRuns = async () =>
  (
    await world.query<{ n: number }>(
      `select count(*)::int as n from jobs.job_queue
       where tenant_id = $1 and type = 'test.listed' and wake_at is not null`,
      [tenant_id],
    )
  )[0]?.n

test.each([
  ['of the same tenant', tenant_id],
  ['of another tenant', newId()],
])('a job %s runs before its deadline', async (_, of) => {
  // The platform ends a job that has not begun by then as expired.
  const deadline_at = new Date(Date.now() + 5000).toISOString()
  const id = await world.submit({ tenant_id: of, type: 'toil.any', parameters: {}, deadline_at })
  await world.reached(id, 'succeeded')
  expect(await waitingRuns()).toBe(waiting)
})

test('an event wakes the one run that waits for it', async () => {
  const aggregate = newId()
  const steps = [{ kind: 'event', name: 'mine', aggregate }]
  const id = await world.submit({ tenant_id, type: 'test.listed', parameters: { steps } })
  await runs.waiting(id, 'mine')
  await world.kernel.db.tx(tx => {
    const data = { type: 'a.type', reason: 'now', until: null }
    const of = { aggregate_type: 'job_type', aggregate_id: aggregate, aggregate_version: 1 }
    return Promise.resolve(tx.emit({ type: 'job_type.paused', tenant_id, ...of, data }))
  })
  await world.reached(id, 'succeeded')
  expect(await waitingRuns()).toBe(waiting)
})

test('looking for and claiming a job of another type reads a few rows', async () => {
  const client = directClient(world.database_url, 'test')
  await client.connect()
  try {
    const many = async <S extends TSchema>(_row: S, statement: Sql) =>
      (await client.query(compile(statement))).rows as Static<S>[]
    const one: Reader['one'] = async (row, statement) =>
      (await many(row, statement))[0] as Static<typeof row>
    // A claim reads, and asks for nothing else of its transaction.
    const tx = { many, one } as unknown as Tx
    const rules = {
      type: 'other.type',
      schema_version: 1,
      lease_seconds: 30,
      timeout_seconds: 600,
      backoff: { base_ms: 1, cap_ms: 1 },
      tenant_max_running: null,
    }
    // No process runs this type, so it waits for this claim.
    await client.query(
      `with made as (
         insert into jobs.jobs (id, tenant_id, type, schema_version, principal_id, operation,
           max_attempts)
         values (gen_random_uuid(), $1, 'other.type', 1, $1, 'test', 5) returning *)
       insert into jobs.job_queue (tenant_id, job_id, type, schema_version, rank)
       select tenant_id, id, type, schema_version, priority from made`,
      [tenant_id],
    )
    const keys = { mac: () => Buffer.alloc(32) } as unknown as Keyring
    await client.query('begin')
    const types = ['test.listed', 'other.type'].map(type => ({ type, schema_version: 1 }))
    const { lanes } = await openLaneFinder().find(tx, types)
    expect(lanes).toEqual([{ type: 'other.type', schema_version: 1, tenant_id }])
    const { stretches } = openLaneCursor().next(0)
    const worker = { worker_id: newId(), claim_id: null, grace_seconds: 30 }
    const claimed = await claimJobs(tx, keys, worker, [{ rules, tenant_id, quota: 10, stretches }])
    const { rows } = await client.query<{ read: string }>(
      `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) as read
       from pg_stat_xact_user_tables where schemaname = 'jobs'`,
    )
    await client.query('rollback')
    expect(claimed).toHaveLength(1)
    expect(Number(rows[0]?.read)).toBeLessThan(100)
  } finally {
    await client.end()
  }
})
