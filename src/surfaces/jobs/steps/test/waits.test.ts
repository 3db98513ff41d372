/** Waits of workflows for events and signals: nothing is missed, nothing is seen twice. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { eventually } from '../../../../../test/world.ts'
import { openEngineWorld, type EngineWorld } from '../../attempts/test/engine-world.ts'
import { runsOf, type Runs } from './watch-runs.ts'

let world: EngineWorld
let runs: Runs
beforeAll(async () => {
  world = await openEngineWorld({ JOBS_OPEN_WAITS: '3', JOBS_BROAD_WAITS_PER_TENANT: '4' })
  runs = runsOf(world)
})
afterAll(async () => {
  await world.check()
  await world.close()
})

/** An event of any declared type; its data are those of that type. */
function emit(tenant_id: string, aggregate_id: string, reason: string, version = 1) {
  return world.kernel.db.tx(tx => {
    const data = { type: 'a.type', reason, until: null }
    const aggregate = { aggregate_type: 'job_type', aggregate_id, aggregate_version: version }
    return Promise.resolve(tx.emit({ type: 'job_type.paused', tenant_id, ...aggregate, data }))
  })
}

const events = (id: string) =>
  eventually('the run has ended', async () => {
    const { state } = await world.job(id)
    return state === 'succeeded' && (await runs.result(id))
  }) as Promise<{ results: ({ id: string; data: { reason: string } } | null)[] }>

async function submit(tenant_id: string, ...steps: readonly object[]) {
  return await world.submit({ tenant_id, type: 'test.listed', parameters: { steps } })
}

const wait = (name: string, aggregate: string, more = {}) => ({
  kind: 'event',
  name,
  aggregate,
  ...more,
})

describe('an event', () => {
  test('ends a wait, and the run goes on with it', async () => {
    const [tenant_id, aggregate] = [newId(), newId()]
    const id = await submit(tenant_id, wait('paused', aggregate))
    await runs.waiting(id, 'paused')
    await emit(tenant_id, newId(), 'of another aggregate')
    await emit(newId(), aggregate, 'of another tenant')
    const sent = await emit(tenant_id, aggregate, 'this one')
    const { results } = await events(id)
    expect(results).toMatchObject([{ id: sent, data: { reason: 'this one' } }])
    expect(await runs.openWaits(id)).toBe(0)
  })

  test('that came before the wait is found in the log, one before the run is not', async () => {
    const [tenant_id, aggregate] = [newId(), newId()]
    await emit(tenant_id, aggregate, 'before the run')
    await sequenced()
    const id = await submit(tenant_id, { kind: 'signal', name: 'go' }, wait('paused', aggregate))
    await runs.waiting(id, 'go')
    await emit(tenant_id, aggregate, 'before the wait')
    await sequenced()
    await runs.signal(id, 'go')
    const { results } = await events(id)
    expect(results[1]).toMatchObject({ data: { reason: 'before the wait' } })
  })

  test('answers one wait; the next one for the same goes on from there', async () => {
    const [tenant_id, aggregate] = [newId(), newId()]
    const id = await submit(
      tenant_id,
      wait('first', aggregate),
      wait('second', aggregate),
      wait('third', aggregate, { where: { '/data/reason': '2' } }),
    )
    await runs.waiting(id, 'first')
    // All of them come while the run waits for the first.
    await Promise.all(['1', '2', '3'].map(each => emit(tenant_id, aggregate, each)))
    const { results } = await events(id)
    const seen = results.map(one => one?.data.reason)
    expect(new Set(seen.slice(0, 2)).size).toBe(2)
    // It waits for something else, so it sees what came since the run was submitted.
    expect(seen[2]).toBe('2')
  })

  test('that two steps of a run wait for answers one of them', async () => {
    const [tenant_id, aggregate] = [newId(), newId()]
    const together = [wait('a', aggregate), wait('b', aggregate)]
    const id = await submit(tenant_id, { kind: 'together', name: 'both', together })
    await runs.waiting(id, 'a')
    await runs.waiting(id, 'b')
    const sent = [await emit(tenant_id, aggregate, '1'), await emit(tenant_id, aggregate, '2', 2)]
    const { results } = await events(id)
    const seen = (results[0] as unknown as { id: string }[]).map(one => one.id)
    expect(seen.sort()).toEqual(sent.sort())
  })

  test('comes too late for a wait that has timed out, and the next wait gets it', async () => {
    const [tenant_id, aggregate] = [newId(), newId()]
    const id = await submit(
      tenant_id,
      wait('short', aggregate, { seconds: 0.2 }),
      { kind: 'signal', name: 'go' },
      wait('long', aggregate),
    )
    await runs.waiting(id, 'go')
    expect((await runs.step(id, 'short'))?.state).toBe('timed_out')
    const sent = await emit(tenant_id, aggregate, 'late')
    await sequenced()
    await runs.signal(id, 'go')
    const { results } = await events(id)
    expect([results[0], results[2]?.id]).toEqual([null, sent])
  })

  test.each([
    ['eq', { '/data/reason': 'yes' }, true],
    ['another value', { '/data/reason': 'no' }, false],
    ['a member that is absent', { '/data/none': null }, false],
    ['a member of the prototype', { '/data/constructor': 'yes' }, false],
    ['null', { '/data/until': null }, true],
  ])('is compared by its values: %s', async (_, where, fits) => {
    const [tenant_id, aggregate] = [newId(), newId()]
    const id = await submit(tenant_id, wait('paused', aggregate, { where }), {
      kind: 'write',
      name: 'after',
    })
    await runs.waiting(id, 'paused')
    await emit(tenant_id, aggregate, 'yes')
    await sequenced()
    // What the consumer does with a later event of the aggregate comes after what it did with this.
    const other = wait('mark', aggregate, { where: { '/data/reason': 'm' } })
    const marker = await submit(tenant_id, other)
    await runs.waiting(marker, 'mark')
    await emit(tenant_id, aggregate, 'm', 2)
    await world.reached(marker, 'succeeded')
    const step = await runs.step(id, 'paused')
    expect(step?.state).toBe(fits ? 'done' : 'waiting')
  })
})

describe('limits', () => {
  test('hold for the waits of a run, and for broad waits of a tenant', async () => {
    const aggregate = newId()
    const together = Array.from({ length: 4 }, (_, n) => wait(`wait ${n}`, aggregate))
    const id = await runs.submit({ kind: 'together', name: 'all', together })
    expect(await world.reached(id, 'failed')).toMatchObject({ error_code: 'too_many_waits' })

    const tenant_id = newId()
    const broad = () => submit(tenant_id, { kind: 'event', name: 'any' })
    for (let n = 0; n < 4; n++) await runs.waiting(await broad(), 'any')
    const fifth = await broad()
    await eventually('it is put off', async () => {
      return (await world.job(fifth)).error_code === 'quota_exceeded'
    })
    // An event of any aggregate answers one wait of each run, and makes room.
    await emit(tenant_id, newId(), 'any')
    await world.kernel.db.run(sql`
      -- any tenant: a test
      update jobs.job_queue set wake_at = kernel.now() where job_id = ${fifth}`)
    // It was submitted before the event, and finds it in the log.
    await world.reached(fifth, 'succeeded')
  })
})

describe('a signal', () => {
  test('is kept if it is early, is read once, and in order', async () => {
    const id = await runs.submit(
      { kind: 'sleep', name: 'nap', seconds: 0.5 },
      ...['a', 'b', 'c'].map(name => ({ kind: 'signal', name, of: 'go' })),
    )
    for (const n of [1, 2, 3]) await runs.signal(id, 'go', { n })
    await world.reached(id, 'succeeded')
    const { results } = (await runs.result(id)) as { results: { data: unknown }[] }
    expect(results.slice(1).map(one => one.data)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  })

  test('with one id is sent once, and with other data refused', async () => {
    const id = await runs.submit({ kind: 'signal', name: 'go' }, { kind: 'signal', name: 'never' })
    const { tenant_id } = await world.job(id)
    const send = (data: unknown, to = tenant_id) =>
      world.kernel.db.tx(tx =>
        world.face.signal(tx, { tenant_id: to, job_id: id, name: 'go', data, id: one }),
      )
    const one = newId()
    await Promise.all(Array.from({ length: 20 }, () => send('yes')))
    expect(await world.query('select from jobs.job_signals where job_id = $1', [id])).toHaveLength(
      1,
    )
    await expect(send('no')).rejects.toMatchObject({ code: 'signal_exists' })
    await expect(send('yes', newId())).rejects.toMatchObject({ code: 'job_not_found' })
    await runs.waiting(id, 'never')
    await runs.cancel(id)
    await world.reached(id, 'cancelled')
    await expect(runs.signal(id, 'never')).rejects.toMatchObject({ code: 'invalid_transition' })
  })

  test('that never comes is null after the timeout', async () => {
    const id = await runs.submit({ kind: 'signal', name: 'go', seconds: 0.2 })
    await world.reached(id, 'succeeded')
    expect(await runs.result(id)).toEqual({ results: [null] })
  })
})

describe('many races', () => {
  const races = 500

  test('of a release against the consumer: no run misses its event', async () => {
    const [tenant_id, aggregates] = [newId(), Array.from({ length: races }, newId)]
    const ids: string[] = []
    for (const aggregate of aggregates) {
      ids.push(await submit(tenant_id, wait('paused', aggregate)))
      // Some before the claim, some before the wait, some while the run is put off.
      void emit(tenant_id, aggregate, aggregate)
    }
    for (const [n, id] of ids.entries()) {
      expect((await events(id)).results).toMatchObject([{ data: { reason: aggregates[n] } }])
    }
  })

  test('of a release against a signal: no run misses it', async () => {
    const ids: string[] = []
    const sent: Promise<unknown>[] = []
    for (let n = 0; n < races; n++) {
      const id = await runs.submit({ kind: 'signal', name: 'go' })
      ids.push(id)
      sent.push(runs.signal(id, 'go', n))
    }
    await Promise.all(sent)
    for (const [n, id] of ids.entries()) {
      await world.reached(id, 'succeeded')
      expect(await runs.result(id)).toMatchObject({ results: [{ data: n }] })
    }
  })
})

/** What was emitted has its positions in the log. */
function sequenced() {
  return eventually('the outbox is empty', async () => {
    return (await world.query('select from kernel.outbox_events limit 1')).length === 0
  })
}
