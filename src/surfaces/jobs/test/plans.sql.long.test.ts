/**
 * Among 120,000 jobs of one tenant and 40,000 of others (`npm run chaos`: 300,000 and 100,000), each
 * query reads only what it needs: the cost of a page or a job does not depend on the total.
 */
import type pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { directClient } from '../../../kernel/database/direct.ts'
import { newId, type Tx } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { waitFor } from '../dependencies/wait-for.ts'
import { settleDependents } from '../dependencies/settle-dependents.ts'
import { explained } from '../attempts/test/explained.ts'
import type { StateFilter } from '../schemas.ts'
import { listJobs } from '../jobs/list-jobs.ts'
import { viewJob } from '../jobs/view-job.ts'
import { insertJobs, type NewJob } from '../jobs/insert-jobs.ts'
import { openJobTypes } from '../types/job-types.ts'

const tenant_id = newId()
/** More than a hundred jobs of each state must be there. */
const some = inject('chaos') === 'full' ? 10_000 : 4000
const large = /^(jobs|job_queue|job_attempts|job_events|job_dependencies|job_inputs)$/

let ground: Clone
let client: pg.Client

beforeAll(async () => {
  ground = await cloneDatabase('product_template')
  client = directClient(ground.url, 'test')
  await client.connect()
  await client.query('set statement_timeout = 0')
  const made = (tenant: string, count: number) =>
    client.query(
      `with made as (
         insert into jobs.jobs (id, tenant_id, type, schema_version, principal_id, operation,
           max_attempts, state, completed_at, dead_at, error_code, error_retryable)
         select (lpad(to_hex(1760000000000 + g), 12, '0') || '7000' || '8000'
             || lpad(to_hex(hashtext($1)::bigint & 2147483647), 12, '0'))::uuid,
           $1::uuid, 'type.' || g % 3, 1, $1::uuid, 'test', 5, state,
           case when state <> 'pending' and state <> 'running' then now() end,
           case when state = 'failed' then now() end, case when state = 'failed' then 'odd' end,
           case when state = 'failed' then false end
         from generate_series(1, $2::int) g,
           lateral (select case when g % 1000 = 0 then 'failed' when g % 1000 = 1 then 'running'
             when g % 3 = 0 then 'succeeded' else 'pending' end as state) s
         returning *),
       queued as (insert into jobs.job_queue (tenant_id, job_id, type, schema_version, rank)
         select tenant_id, id, type, 1, 5 from made where state = 'pending')
       insert into jobs.job_attempts (id, job_id, tenant_id, type, schema_version, attempt_no,
         worker_id, lease_token, lease_seconds, state, leased_until, heartbeat_at, started_at,
         timeout_at)
       select gen_random_uuid(), id, tenant_id, type, 1, 1, id, sha256(''), 30, 'running',
         now(), now(), now(), now() from made where state = 'running'`,
      [tenant, count],
    )
  await made(tenant_id, 30 * some)
  for (let n = 0; n < 10; n++) await made(newId(), some)
  await client.query(
    `insert into jobs.job_dependencies (job_id, depends_on_job_id, tenant_id, required_state)
     select child.id, parent.id, child.tenant_id, 'terminal'
     from (select id, tenant_id, row_number() over (order by id) as n from jobs.jobs
       where state = 'pending' limit 50000) child
     join (select id, row_number() over (order by id desc) as n from jobs.jobs
       where state = 'pending' limit 50000) parent using (n)
     where child.id <> parent.id`,
  )
  await client.query('vacuum analyze')
})
afterAll(async () => {
  await client.end()
  await ground.drop()
})

const settings = { 'jobs.tenant_running': 1000 } as Kernel['settings']
const types = openJobTypes({ settings })
// Only what these read of the kernel.
const deps = { kernel: { settings } as Kernel, types }
const everything = { all: true, types: [], own_all: false, own_types: [], own_except: [] }

async function anyId(state: string): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    'select id from jobs.jobs where tenant_id = $1 and state = $2 order by id limit 1 offset 100',
    [tenant_id, state],
  )
  return rows[0]?.id ?? ''
}

const faults = (work: (tx: Tx) => Promise<unknown>) => explained(client, large, work)

test.each<[StateFilter | undefined, 'first' | 'deep']>([
  [undefined, 'first'],
  [undefined, 'deep'],
  ['queued', 'first'],
  ['queued', 'deep'],
  ['pending', 'deep'],
  ['running', 'first'],
  ['failed', 'first'],
  ['failed', 'deep'],
  ['succeeded', 'first'],
  ['terminal', 'deep'],
])('a page of the list: state %s, %s', async (state, where) => {
  const after = where === 'deep' ? await anyId('failed') : null
  const asked = { tenant_id, principal_id: newId(), state, type: undefined, after, fetch: 21 }
  let page = 0
  const found = await faults(async tx => {
    page = (await listJobs(tx, deps, { ...asked, readable: everything })).length
  })
  expect([found, page]).toEqual([[], 21])
})

test('own jobs among those of others', async () => {
  const readable = { ...everything, all: false, own_all: true }
  const asked = { tenant_id, principal_id: tenant_id, state: undefined, type: undefined }
  const found = await faults(tx =>
    listJobs(tx, deps, { ...asked, after: null, fetch: 21, readable }),
  )
  expect(found).toEqual([])
})

test.each(['pending', 'running', 'failed'])('a job that is %s', async state => {
  const job_id = await anyId(state)
  expect(await faults(tx => viewJob(tx, deps, { tenant_id, job_id }))).toEqual([])
})

test('a hundred new jobs, and one that waits for two others', async () => {
  const fresh = (blocked: boolean): NewJob => ({
    id: newId(),
    tenant_id,
    type: 'type.1',
    schema_version: 1,
    parameters: { a: 1 },
    input_ref: null,
    principal_id: newId(),
    session_id: null,
    operation: 'test',
    idempotency_key: newId(),
    request_fingerprint: null,
    priority: 5,
    scheduled_at: null,
    deadline_at: null,
    max_attempts: 5,
    retry_of_job_id: null,
    run: null,
    blocked,
  })
  const listeners = { ended: () => undefined, settleDependents: async () => {} }
  const parents = [await anyId('pending'), await anyId('running')]
  const found = await faults(async tx => {
    await insertJobs(
      tx,
      Array.from({ length: 100 }, () => fresh(false)),
    )
    const child = fresh(true)
    await insertJobs(tx, [child])
    await waitFor(
      tx,
      listeners,
      child,
      parents.map(job_id => ({ job_id, required_state: 'terminal' })),
    )
    const ended = parents.map(id => ({ tenant_id, id, state: 'succeeded' as const }))
    expect(await settleDependents(listeners, tx, ended)).toBe(true)
  })
  expect(found).toEqual([])
})
