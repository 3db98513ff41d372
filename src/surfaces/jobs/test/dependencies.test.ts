/**
 * Jobs that wait for others: released exactly once, whatever happens at the same moment, and failed with
 * the first ancestor that failed as the cause where what they wait for will not come.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { newId, type Tx } from '#dodeca/kernel'
import type { Member } from '../../../../test/product-world.ts'
import { eventually, newKey } from '../../../../test/world.ts'
import { gate } from '../attempts/test/toils.ts'
import { openAskingWorld } from './asking-world.ts'

const world = await openAskingWorld()
afterAll(async () => {
  await world.check()
  await world.close()
})

const idle = await world.idleType()
const toil = 'toil.any'
const on = (...ids: string[]) => ({ depends_on: ids.map(job_id => ({ job_id })) })

async function batch(who: Member, jobs: object[]) {
  const { status, body, text } = await world.call('POST', '/v1/job-batches', {
    token: who.token,
    key: newKey(),
    body: { jobs },
  })
  if (status !== 202) throw new Error(text)
  return body.jobs
}

const count = (names: readonly string[], name: string) => names.filter(one => one === name).length

describe.concurrent('a job that waits for another', () => {
  test('runs when that has succeeded, and says so until then', async () => {
    const who = await world.person()
    const name = newId()
    const parent = await world.submit(who, { type: toil, parameters: { gate: name } })
    const child = await world.submit(who, { type: toil, ...on(parent) })
    const waiting = await world.show(who, child)
    expect(waiting.body).toMatchObject({ state: 'pending', waiting_reason: 'dependencies' })
    gate(name).open()
    const done = await world.reached(who, child, 'succeeded')
    expect(done.depends_on).toEqual([
      { job_id: parent, required_state: 'succeeded', satisfied: true },
    ])
    expect(await world.history(child)).toEqual(['submitted', 'ready', 'started', 'succeeded'])
  })

  test('does not wait for others that begin to wait for the same one', async () => {
    const who = await world.person()
    const parent = await world.submit(who, { type: idle })
    await batch(who, [{ ref: 'first', type: idle, ...on(parent) }])
    const { promise: answered, resolve } = Promise.withResolvers<null>()
    // One more that has begun and is not committed yet.
    const held = world.kernel.db.tx(async tx => {
      const order = { tenant_id: who.tenant.id, type: idle, ...on(parent) }
      await world.face.submit(tx, order)
      await answered
    })
    const children = Array.from({ length: 20 }, (_, n) => ({
      ref: `c${n}`,
      type: idle,
      ...on(parent),
    }))
    const batches = await Promise.all([batch(who, children), batch(who, children)])
    expect(batches.flatMap(jobs => Object.keys(jobs))).toHaveLength(40)
    resolve(null)
    await held
  })

  test('keeps its own time as well', async () => {
    const who = await world.person()
    const parent = await world.submit(who, { type: toil })
    await world.reached(who, parent, 'succeeded')
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString()
    const child = await world.submit(who, { type: toil, scheduled_at, ...on(parent) })
    expect((await world.show(who, child)).body).toMatchObject({
      waiting_reason: 'schedule',
      next_attempt_at: scheduled_at,
      depends_on: [{ satisfied: true }],
    })
  })

  test('fails with the first failed ancestor as its cause, and so on downwards', async () => {
    const who = await world.person()
    const jobs = await batch(who, [
      { ref: 'root', type: toil, parameters: { fails: 9, final: true } },
      { ref: 'child', type: toil, depends_on_refs: [{ ref: 'root' }] },
      { ref: 'grandchild', type: toil, depends_on_refs: [{ ref: 'child' }] },
      {
        ref: 'cleaner',
        type: toil,
        depends_on_refs: [{ ref: 'root', required_state: 'terminal' }],
      },
    ])
    for (const ref of ['child', 'grandchild']) {
      const failed = await world.reached(who, jobs[ref].id, 'failed')
      expect(failed.error).toEqual({
        code: 'dependency_failed',
        retryable: false,
        cause_job_id: jobs.root.id,
      })
      expect(await world.history(failed.id)).toEqual(['submitted', 'failed'])
    }
    await world.reached(who, jobs.cleaner.id, 'succeeded')
  })

  test('fails when that is cancelled, and is born failed when it had failed before', async () => {
    const who = await world.person()
    const parent = await world.submit(who, { type: idle })
    const child = await world.submit(who, { type: toil, ...on(parent) })
    const ended = await world.call('POST', `/v1/jobs/${parent}/cancel`, { token: who.token })
    expect([ended.status, ended.body.state]).toEqual([200, 'cancelled'])
    const failed = await world.show(who, child)
    expect([failed.body.state, failed.body.error.cause_job_id]).toEqual(['failed', parent])
    const late = await world.order(who, { type: toil, ...on(child) })
    expect(late.status).toBe(202)
    expect([late.body.state, late.body.error.cause_job_id]).toEqual(['failed', parent])
  })

  test('is tried again as a new job that waits for nothing', async () => {
    const who = await world.person()
    const parent = await world.submit(who, { type: idle })
    const child = await world.submit(who, { type: toil, ...on(parent) })
    await world.call('POST', `/v1/jobs/${parent}/cancel`, { token: who.token })
    await world.reached(who, child, 'failed')
    const ask = { token: who.token, body: { mode: 'new_job' } }
    const again = await world.call('POST', `/v1/jobs/${child}/retry`, ask)
    expect(again.body).toMatchObject({ status: 'queued', retry_of_job_id: child, depends_on: [] })
    await world.reached(who, again.body.id, 'succeeded')
  })

  test('waits again when both are retried, and ends well with it', async () => {
    const who = await world.person()
    const name = newId()
    const parent = await world.submit(who, {
      type: toil,
      parameters: { fails: 1, final: true, gate: name },
    })
    const child = await world.submit(who, { type: toil, ...on(parent) })
    gate(name).open()
    await world.reached(who, child, 'failed')
    const retry = (id: string) => world.call('POST', `/v1/jobs/${id}/retry`, { token: who.token })
    // Its parent is still failed: so is the child, at once.
    expect((await retry(child)).body).toMatchObject({ state: 'failed' })
    expect((await retry(parent)).body).toMatchObject({ status: 'queued' })
    await world.reached(who, parent, 'succeeded')
    await retry(child)
    await world.reached(who, child, 'succeeded')
  })
})

describe('at the same moment', () => {
  test('a parent that ends while its child is placed releases it, before or after', async () => {
    const who = await world.person()
    const name = newId()
    const parent = await world.submit(who, { type: toil, parameters: { gate: name } })
    await eventually('the parent runs', () => gate(name).arrived.length === 1)
    const { promise: ended, resolve: end } = Promise.withResolvers<null>()
    let child = ''
    const placing = world.kernel.db.tx(async tx => {
      const order = { tenant_id: who.tenant.id, type: toil, ...on(parent) }
      child = (await world.face.submit(tx, order)).id
      await ended
    })
    await eventually('the child is placed', () => child !== '')
    gate(name).open()
    // The parent's end waits for the child's commit: it can only be seen to want the parent's row.
    await eventually('the end waits', async () => {
      const waits = await world.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%job_attempts%'
          and datname = current_database()`,
      )
      return waits.length > 0
    })
    end(null)
    await placing
    await world.reached(who, child, 'succeeded')
    expect(count(await world.history(child), 'ready')).toBe(1)
  })

  test('of two parents that end in two commits the second one releases the child', async () => {
    const who = await world.person()
    const parents = [
      await world.submit(who, { type: idle }),
      await world.submit(who, { type: idle }),
    ]
    const depends_on = parents.map(job_id => ({ job_id, required_state: 'terminal' }))
    const child = await world.submit(who, { type: toil, depends_on })
    const { promise: committed, resolve: commit } = Promise.withResolvers<null>()
    const cancel = (tx: Tx, job_id = '') =>
      world.face.cancel(tx, { tenant_id: who.tenant.id, job_id })
    let cancelled = 0
    const first = world.kernel.db.tx(async tx => {
      expect(await cancel(tx, parents[0])).toBe('cancelled')
      cancelled++
      await committed
    })
    await eventually('the first has ended', () => cancelled === 1)
    const second = world.kernel.db.tx(async tx => {
      expect(await cancel(tx, parents[1])).toBe('cancelled')
      cancelled++
    })
    await eventually('the second waits, or has ended without', async () => {
      const waits = await world.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%job_queue%'
          and datname = current_database()`,
      )
      return waits.length > 0 || cancelled === 2
    })
    commit(null)
    await Promise.all([first, second])
    await world.reached(who, child, 'succeeded')
    expect(count(await world.history(child), 'ready')).toBe(1)
  })

  test('300 children placed while their parents end: none is forgotten, none runs twice', async () => {
    const who = await world.person()
    const family = async () => {
      const [one, other] = [newId(), newId()]
      const parents = await Promise.all(
        [one, other].map(name => world.submit(who, { type: toil, parameters: { gate: name } })),
      )
      const placed = [0, 1, 2].map(() => world.submit(who, { type: toil, ...on(...parents) }))
      gate(one).open()
      gate(other).open()
      return await Promise.all(placed)
    }
    const children: string[] = []
    for (let round = 0; round < 10; round++) {
      children.push(...(await Promise.all(Array.from({ length: 10 }, family))).flat())
    }
    expect(children).toHaveLength(300)
    await eventually('all have succeeded', async () => {
      const [left] = await world.query<{ left: number }>(
        `select count(*)::int as left from jobs.jobs
         where id = any($1) and state <> 'succeeded'`,
        [children],
      )
      return left?.left === 0
    })
    const rows = await world.query<{ type: string; count: number }>(
      `select type, count(*)::int as count from jobs.job_events where job_id = any($1)
       group by type order by type`,
      [children],
    )
    const counts = new Map(rows.map(row => [row.type, row.count]))
    expect([counts.get('started'), counts.get('succeeded')]).toEqual([300, 300])
    expect(counts.get('ready') ?? 0).toBeLessThanOrEqual(300)
  })

  test('diamonds: the last one is released once, by the second of two that end together', async () => {
    const who = await world.person()
    const diamonds = Array.from({ length: 40 }, async () => {
      const name = newId()
      const held = { type: toil, parameters: { gate: name } }
      const jobs = await batch(who, [
        { ref: 'top', type: toil },
        { ref: 'left', ...held, depends_on_refs: [{ ref: 'top' }] },
        { ref: 'right', ...held, depends_on_refs: [{ ref: 'top' }] },
        { ref: 'bottom', type: toil, depends_on_refs: [{ ref: 'left' }, { ref: 'right' }] },
      ])
      await eventually('both sides run', () => gate(name).arrived.length === 2)
      gate(name).open()
      return jobs.bottom.id as string
    })
    for (const bottom of await Promise.all(diamonds)) {
      await world.reached(who, bottom, 'succeeded')
      const history = await world.history(bottom)
      expect(history).toEqual(['submitted', 'ready', 'started', 'succeeded'])
    }
  })
})
