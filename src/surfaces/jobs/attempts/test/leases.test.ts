/**
 * Leases, with two competing workers: one succeeds, the other gets an error, and the effect happens
 * once.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { eventually } from '../../../../../test/world.ts'
import type { Lease } from '../claims/claim-jobs.ts'
import { noteProgress } from '../runner/progress.ts'
import { engineOf, type Outside } from './engine-of.ts'
import { openEngineWorld, type EngineWorld } from './engine-world.ts'

let world: EngineWorld
let one: Outside
let two: Outside
beforeAll(async () => {
  // Only the tests run anything here.
  world = await openEngineWorld({
    ROLES: 'api',
    KERNEL_DATABASE_POOL: '30',
    JOBS_TENANT_RUNNING: '100000',
  })
  one = engineOf(world.kernel)
  two = engineOf(world.kernel)
})
afterAll(async () => {
  await world.check()
  await world.close()
})

async function claim(by: Outside, tenant_id: string, more: object = {}): Promise<Lease[]> {
  const types = by.rules('toil.any', 'toil.short', 'toil.capped')
  const worker_id = newId()
  const leases = await by.engine.claim({
    worker_id,
    claim_id: newId(),
    types,
    tenant_id,
    max_jobs: 10,
    ...more,
  })
  return [...leases]
}

async function claimed(by: Outside, type = 'toil.any'): Promise<Lease> {
  const tenant_id = newId()
  await world.submit({ type, tenant_id })
  const [lease] = await claim(by, tenant_id)
  if (!lease) throw new Error('nothing was claimed')
  return lease
}

const succeeded = { outcome: 'succeeded' } as const
const bearer = ({ attempt_id, lease_token }: Lease) => ({ attempt_id, lease_token })

/** The sweep of one engine. */
async function sweepNow(by: Outside): Promise<void> {
  const loop = by.engine.loops.find(each => each.name === 'jobs.sweep')
  await loop?.run(new AbortController().signal)
}

describe.concurrent('a lease', () => {
  test('that lapsed is no more: neither its end, nor its beat, nor its progress counts', async () => {
    const stale = await claimed(one, 'toil.short')
    const next = await eventually('the job is claimable again', async () => {
      await sweepNow(two)
      return (await claim(two, stale.tenant_id))[0]
    })
    expect(next).toMatchObject({ job_id: stale.job_id, attempt_no: 2 })
    const { engine } = one
    const end = { ...bearer(stale), version: stale.version, ending: succeeded }
    expect(await engine.finalize(end)).toEqual({ said: 'lease_lost' })
    expect(await engine.finalize({ ...end, version: next.version })).toEqual({ said: 'lease_lost' })
    expect(await engine.heartbeat([stale], null)).toEqual([])
    expect(await engine.progress(stale, { stage: 'late', current: 1 })).toBeUndefined()
    const fence = await world.kernel.db.tx(tx => engine.attemptFence(tx, stale))
    expect(fence).toBeUndefined()
    expect(await two.engine.finalize({ ...end, ...bearer(next), version: next.version })).toEqual({
      said: 'done',
      tenant_id: stale.tenant_id,
      job_id: stale.job_id,
    })
    expect(await world.announced(stale.job_id)).toEqual(['job.succeeded'])
  })

  test('lives as long as it is renewed', async () => {
    const lease = await claimed(one, 'toil.short')
    const began = performance.now()
    await eventually('it outlived itself twice', async () => {
      const [renewed] = await one.engine.heartbeat([lease], null)
      expect(renewed).toMatchObject({ version: lease.version, cancel_requested: false })
      await sweepNow(two)
      return performance.now() - began > 2200
    })
    expect((await world.job(lease.job_id)).state).toBe('running')
    const end = { ...bearer(lease), version: lease.version, ending: succeeded }
    expect((await one.engine.finalize(end)).said).toBe('done')
  })

  test('keeps the last of its progress, also with checkpoints', async () => {
    const lease = await claimed(one)
    const { db } = world.kernel
    await noteProgress(db, lease, { stage: 'one', current: 0 }, 10)
    for (let current = 1; current <= 60; current++) {
      await noteProgress(db, lease, { stage: 'more', current, checkpoint: { current } }, 10)
    }
    const kept = await world.query('select from jobs.job_progress where job_id = $1', [
      lease.job_id,
    ])
    expect(kept.length).toBeLessThan(40)
    const own = { ...bearer(lease), version: lease.version, ending: succeeded }
    expect((await one.engine.finalize(own)).said).toBe('done')
  })

  test('opens nothing but its own attempt', async () => {
    const [mine, other] = [await claimed(one), await claimed(one)]
    const mixed = { attempt_id: other.attempt_id, lease_token: mine.lease_token }
    const end = { ...mixed, version: other.version, ending: succeeded }
    expect(await one.engine.finalize(end)).toEqual({ said: 'lease_lost' })
    expect(await one.engine.heartbeat([mixed], null)).toEqual([])
    for (const lease of [mine, other]) {
      const own = { ...bearer(lease), version: lease.version, ending: succeeded }
      expect((await one.engine.finalize(own)).said).toBe('done')
    }
  })

  test('is answered again to the same claim, also when it is sent twice at once', async () => {
    const tenant_id = newId()
    await world.submitMany(6, { type: 'toil.any', tenant_id })
    const same = { worker_id: newId(), claim_id: newId(), max_jobs: 3 }
    const answers = await Promise.all([1, 2, 3].map(() => claim(one, tenant_id, same)))
    const again = await claim(two, tenant_id, same)
    const names = (leases: readonly Lease[]) =>
      leases.map(lease => `${lease.attempt_id} ${lease.lease_token}`).sort()
    for (const answer of [...answers, again]) expect(names(answer)).toEqual(names(answers[0] ?? []))
    expect(again).toHaveLength(3)
    expect(await claim(one, tenant_id)).toHaveLength(3)
    await world.query(`update jobs.job_attempts set leased_until = now() where tenant_id = $1`, [
      tenant_id,
    ])
    await sweepNow(one)
  })

  test('ends once, however often its end is reported', async () => {
    const lease = await claimed(one)
    const end = {
      ...bearer(lease),
      version: lease.version,
      ending: succeeded,
      result: { value: 1 },
    }
    const answers = await Promise.all([1, 2, 3, 4].map(() => one.engine.finalize(end)))
    expect(answers.map(({ said }) => said).sort()).toEqual([
      'done',
      'repeated',
      'repeated',
      'repeated',
    ])
    const failed = { outcome: 'failed', error: { code: 'x', retryable: true } } as const
    expect(await one.engine.finalize({ ...end, ending: failed })).toEqual({
      said: 'attempt_finished',
    })
    expect(await world.announced(lease.job_id)).toEqual(['job.succeeded'])
  })

  test('given back is claimable at once, and costs no attempt', async () => {
    const lease = await claimed(one)
    const end = { ...bearer(lease), version: lease.version }
    expect((await one.engine.finalize({ ...end, ending: { outcome: 'released' } })).said).toBe(
      'done',
    )
    const [next] = await claim(two, lease.tenant_id)
    expect(next?.attempt_no).toBe(2)
    expect(await world.job(lease.job_id)).toMatchObject({ failures: 0, losses: 0 })
    await two.engine.finalize({ ...bearer(next ?? lease), version: 4, ending: succeeded })
  })

  test('lost three times fails the job as worker_lost', async () => {
    const lease = await claimed(one, 'toil.short')
    const lost = (times: number) =>
      eventually(`loss ${times}`, async () => {
        await sweepNow(one)
        return (await world.job(lease.job_id)).losses === times
      })
    for (let loss = 1; loss <= 3; loss++) {
      await lost(loss)
      await claim(one, lease.tenant_id)
    }
    expect(await world.job(lease.job_id)).toMatchObject({
      state: 'failed',
      error_code: 'worker_lost',
      attempt_count: 3,
    })
  })

  test('uses only the clock of the database', async () => {
    const lease = await claimed(one, 'toil.any')
    const { clock } = world.kernel
    for (const offset of [3600, -3600]) {
      clock.setOffset(offset)
      const [renewed] = await one.engine.heartbeat([lease], null)
      const [row] = await world.query<{ left_seconds: string }>(
        `select extract(epoch from leased_until - now()) as left_seconds
         from jobs.job_attempts where id = $1`,
        [lease.attempt_id],
      )
      expect(renewed?.version).toBe(lease.version)
      expect(Number(row?.left_seconds)).toBeGreaterThan(25)
      expect(Number(row?.left_seconds)).toBeLessThan(31)
      await sweepNow(one)
      expect((await world.job(lease.job_id)).state).toBe('running')
    }
    clock.setOffset(0)
    await one.engine.finalize({ ...bearer(lease), version: lease.version, ending: succeeded })
  })
})

test('500 cancels race 500 ends: each job ends one way, and says so once', async () => {
  const tenant_id = newId()
  await world.submitMany(500, { type: 'toil.any', tenant_id })
  const leases: Lease[] = []
  while (leases.length < 500) leases.push(...(await claim(one, tenant_id, { max_jobs: 100 })))
  const outcomes = new Map<string, number>()
  const again: string[] = []
  const race = async (lease: Lease) => {
    const end = { ...bearer(lease), ending: succeeded }
    const [finished, cancelled] = await Promise.all([
      one.engine.finalize({ ...end, version: lease.version }),
      world.kernel.db.tx(tx => world.face.cancel(tx, { tenant_id, job_id: lease.job_id })),
    ])
    const name = `${finished.said} ${cancelled}`
    outcomes.set(name, (outcomes.get(name) ?? 0) + 1)
    if (finished.said !== 'version_conflict') return
    // Half of them finish their work, half of them stop.
    const ending = Number.parseInt(lease.job_id.slice(-1), 16) % 2 ? succeeded : stopped
    const version = finished.current_version
    const { said } = await one.engine.finalize({ ...end, version, ending })
    again.push(`${finished.cancel_requested} ${said}`)
  }
  // No more at once than a pool of connections serves in time on a busy machine.
  while (leases.length > 0) await Promise.all(leases.splice(0, 25).map(race))
  expect(again.filter(one => one !== 'true done')).toEqual([])
  // Either the end was first and the cancel came too late, or the other way round.
  for (const name of outcomes.keys())
    expect(['done ended', 'version_conflict requested']).toContain(name)
  const states = await world.query<{ state: string; ends: number }>(
    `select j.state, (select count(*)::int from kernel.events e where e.aggregate_id = j.id)
       + (select count(*)::int from kernel.outbox_events o where o.aggregate_id = j.id) as ends
     from jobs.jobs j where j.tenant_id = $1`,
    [tenant_id],
  )
  expect(new Set(states.map(row => row.ends))).toEqual(new Set([1]))
  expect(states.every(row => ['succeeded', 'cancelled'].includes(row.state))).toBe(true)
})

const stopped = { outcome: 'cancelled' } as const

test('50 claimers share 10,000 jobs without taking one twice', async () => {
  const tenant_id = newId()
  for (let n = 0; n < 10; n++) await world.submitMany(1000, { type: 'toil.any', tenant_id })
  const taken: string[] = []
  await Promise.all(
    Array.from({ length: 50 }, async (_, n) => {
      const by = n % 2 ? one : two
      for (;;) {
        const leases = await claim(by, tenant_id, { max_jobs: 40 })
        if (leases.length === 0 && taken.length >= 10_000) return
        taken.push(...leases.map(lease => lease.job_id))
      }
    }),
  )
  expect(taken).toHaveLength(10_000)
  expect(new Set(taken).size).toBe(10_000)
  const [row] = await world.query<{ n: number }>(
    `select count(*)::int as n from jobs.job_attempts where tenant_id = $1 and state = 'running'`,
    [tenant_id],
  )
  expect(row?.n).toBe(10_000)
})
