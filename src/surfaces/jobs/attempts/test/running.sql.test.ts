/** A job's way through the engine: begun soon, ended once, and every line of its history in its place. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { eventually } from '../../../../../test/world.ts'
import { openEngineWorld, type EngineWorld } from './engine-world.ts'
import { gate } from './toils.ts'

let world: EngineWorld
beforeAll(async () => {
  world = await openEngineWorld()
})
afterAll(async () => {
  await world.check()
  await world.close()
})

describe.concurrent('a job', () => {
  test('succeeds with its result', async () => {
    const id = await world.submit({ type: 'toil.any', parameters: { result: { answer: 42 } } })
    const row = await world.reached(id, 'succeeded')
    expect(row).toMatchObject({ version: 3, attempt_count: 1, failures: 0, error_code: null })
    expect(await world.history(id)).toEqual(['submitted', 'started', 'succeeded'])
    expect(await world.announced(id)).toEqual(['job.succeeded'])
    const results = await world.query<{ id: string; body: Buffer }>(
      'select id, body from jobs.job_results where job_id = $1',
      [id],
    )
    expect(results.map(one => one.id)).toEqual([row.result_ref])
    expect(String(results[0]?.body)).toBe('{"answer":42}')
  })

  test.for([false, true])('stores bytes as its result, also with commit: %s', async commits => {
    const parameters = { stores: 'a long text', ...(commits ? { commits } : {}) }
    const id = await world.submit({ type: 'toil.any', parameters })
    const row = await world.reached(id, 'succeeded')
    const [job] = await world.query('select usage from jobs.jobs where id = $1', [id])
    expect(job).toEqual({ usage: { bytes: 11 } })
    const [result] = await world.query<{ blob_key: string }>(
      'select media_type, size::int, blob_key from jobs.job_results where id = $1',
      [row.result_ref],
    )
    expect(result).toMatchObject({ media_type: 'text/plain', size: 11 })
  })

  test('that fails runs again, and its failures count', async () => {
    const id = await world.submit({ type: 'toil.any', parameters: { fails: 2 } })
    const row = await world.reached(id, 'succeeded')
    expect(row).toMatchObject({ attempt_count: 3, failures: 2, error_code: null })
    const history = await world.history(id)
    expect(history.filter(type => type !== 'ready')).toEqual([
      'submitted',
      'started',
      'retry_scheduled',
      'started',
      'retry_scheduled',
      'started',
      'succeeded',
    ])
  })

  test('that fails for good, or too often, is failed', async () => {
    const final = await world.submit({ type: 'toil.any', parameters: { fails: 9, final: true } })
    const often = await world.submit({
      type: 'toil.any',
      parameters: { fails: 9 },
      max_attempts: 2,
    })
    expect(await world.reached(final, 'failed')).toMatchObject({
      attempt_count: 1,
      error_code: 'toil_failed',
    })
    expect(await world.reached(often, 'failed')).toMatchObject({ attempt_count: 2, failures: 2 })
    expect(await world.announced(often)).toEqual(['job.failed'])
  })

  test('is ended by its handler, in the commit of its own writes', async () => {
    const id = await world.submit({ type: 'toil.any', parameters: { commits: true } })
    await world.reached(id, 'succeeded')
    const rows = await world.query('select attempt_no from public.effects where job_id = $1', [id])
    expect(rows).toEqual([{ attempt_no: 1 }])
  })

  test('that takes too long is stopped and tried again', async () => {
    const id = await world.submit({
      type: 'toil.brief',
      parameters: { wait_ms: 60_000 },
      max_attempts: 2,
    })
    const row = await world.reached(id, 'failed')
    expect(row).toMatchObject({ attempt_count: 2, error_code: 'attempt_timed_out' })
  })

  test('goes on where it was', async () => {
    const id = await world.submit({ type: 'toil.any', parameters: { steps: 3, fails: 1 } })
    await world.reached(id, 'succeeded')
    const steps = await world.query<{ current: number }>(
      'select current::int from jobs.job_progress where job_id = $1 order by sequence',
      [id],
    )
    expect(steps.map(row => row.current)).toEqual([1, 2, 3])
  })

  test('that is cancelled while it runs stops soon', async () => {
    const id = await world.submit({ type: 'toil.any', parameters: { wait_ms: 60_000 } })
    const { tenant_id } = await world.reached(id, 'running')
    const said = await world.kernel.db.tx(tx =>
      world.face.cancel(tx, { tenant_id, job_id: id }, 'enough'),
    )
    expect(said).toBe('requested')
    const row = await world.reached(id, 'cancelled', 5000)
    expect(row.version).toBe(4)
    expect(await world.announced(id)).toEqual(['job.cancelled'])
  })

  test('past its deadline is expired, whether it waits or runs', async () => {
    const deadline_at = new Date(Date.now() + 1500).toISOString()
    const running = await world.submit({
      type: 'toil.any',
      parameters: { wait_ms: 60_000 },
      deadline_at,
    })
    const waiting = await world.submit({
      type: 'toil.slow',
      parameters: { fails: 1 },
      deadline_at: new Date(Date.now() + 10_000_000).toISOString(),
    })
    await world.reached(waiting, 'retryable')
    await world.query(
      `with j as (update jobs.jobs set deadline_at = now() where id = $1)
       update jobs.job_queue set deadline_at = now() where job_id = $1`,
      [waiting],
    )
    expect(await world.reached(waiting, 'expired')).toMatchObject({
      error_code: 'capacity_deadline_missed',
    })
    expect(await world.reached(running, 'expired')).toMatchObject({
      error_code: 'deadline_exceeded',
    })
    expect(await world.announced(waiting)).toEqual(['job.expired'])
  })

  test('is begun only once it is due', async () => {
    const id = await world.submit({
      type: 'toil.any',
      scheduled_at: new Date(Date.now() + 1200).toISOString(),
    })
    expect((await world.job(id)).state).toBe('pending')
    await world.reached(id, 'succeeded')
    const [row] = await world.query<{ late_ms: number }>(
      `select extract(epoch from a.started_at - j.scheduled_at) * 1000 as late_ms
       from jobs.jobs j join jobs.job_attempts a on a.job_id = j.id where j.id = $1`,
      [id],
    )
    expect(Number(row?.late_ms)).toBeGreaterThanOrEqual(0)
  })
})

test('a higher priority goes first inside a tenant', async () => {
  const tenant_id = newId()
  const name = newId()
  // All places are taken while the others are submitted.
  const blockers = await world.submitMany(20, { type: 'toil.any', parameters: { gate: name } })
  await eventually('all places are taken', () => gate(name).arrived.length === 20)
  const low = await world.submitMany(5, { type: 'toil.any', tenant_id, priority: 9 })
  const high = await world.submitMany(5, { type: 'toil.any', tenant_id, priority: 0 })
  gate(name).open()
  for (const id of [...blockers, ...low, ...high]) await world.reached(id, 'succeeded')
  const order = await world.query<{ job_id: string }>(
    'select job_id from jobs.job_attempts where tenant_id = $1 order by started_at, id',
    [tenant_id],
  )
  expect(order.slice(0, 5).map(row => row.job_id)).toEqual(high)
})
