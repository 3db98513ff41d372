/** Permissions of workers for each type, and resources of other workers. */
import { afterAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { openAskingWorld } from '../../test/asking-world.ts'
import { workerOf, workman, workshop } from '../../test/worker.ts'

const world = await openAskingWorld()
afterAll(async () => {
  await world.check()
  await world.close()
})

const code = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code]

describe.concurrent('a worker', () => {
  test('is checked for each type, by name', async () => {
    const type = await world.idleType()
    const other = await world.idleType()
    const owner = await world.person([`jobs.workers.claim:${type}`])
    const worker = workerOf(world, owner)
    expect((await worker.register(type)).status).toBe(200)
    const refused = await worker.register(type, other)
    expect(code(refused)).toEqual([403, 'permission_denied'])
    expect(refused.body.detail).toContain(other)
  })

  test('types, versions and queues that are not there are refused', async () => {
    const owner = await workman(world)
    const worker = workerOf(world, owner)
    const type = await world.idleType({ queue: 'gpu' })
    expect(code(await worker.register('no.such'))).toEqual([422, 'unknown_job_type'])
    expect(code(await worker.register('toil.any'))).toEqual([422, 'unknown_job_type'])
    expect(code(await worker.register(type))).toEqual([422, 'validation_failed'])
    const put = (body: object) =>
      world.call('PUT', `/v1/workers/${worker.id}`, { token: owner.token, body })
    const newer = await put({ queue: 'gpu', capabilities: [{ type, versions: [1, 2] }] })
    expect(code(newer)).toEqual([422, 'unsupported_schema_version'])
    const fine = await put({ queue: 'gpu', capabilities: [{ type, versions: [1] }] })
    expect(fine.body).toMatchObject({ queue: 'gpu', all_tenants: false })
  })

  test('jobs, workers, attempts and results of another tenant are absent', async () => {
    const { type, worker, submit } = await workshop(world)
    await submit()
    const stranger = await workman(world)
    const theirs = workerOf(world, stranger)
    await theirs.register(type)
    expect((await theirs.claim({ wait_seconds: 0 })).body.jobs).toEqual([])
    const same_id = workerOf(world, stranger, worker.id)
    expect(code(await same_id.register(type))).toEqual([404, 'worker_not_found'])
    expect(code(await same_id.claim({ wait_seconds: 0 }))).toEqual([404, 'worker_not_found'])
    const claimed = await worker.take()
    expect(code(await same_id.beat(claimed))).toEqual([404, 'worker_not_found'])
    const step = { stage: 'x', current: 1 }
    expect(code(await theirs.progress(claimed, step))).toEqual([404, 'job_attempt_not_found'])
    expect(code(await theirs.store(claimed, 'x'))).toEqual([404, 'job_attempt_not_found'])
    expect(code(await theirs.finish(claimed))).toEqual([404, 'job_attempt_not_found'])
    const nothing = { ...claimed, attempt: { ...claimed.attempt, id: newId() } }
    expect(code(await worker.finish(nothing))).toEqual([404, 'job_attempt_not_found'])
    expect((await worker.finish(claimed)).status).toBe(200)
  })

  test('of all tenants gets the jobs of all, as long as it may', async () => {
    const { type, submit } = await workshop(world)
    const operator = await world.person([`jobs.workers.claim_any:${type}`])
    const worker = workerOf(world, operator)
    expect((await worker.register(type)).body.all_tenants).toBe(true)
    const id = await submit()
    const claimed = await worker.take()
    expect(claimed.job.id).toBe(id)
    expect((await worker.finish(claimed)).body.state).toBe('succeeded')
    await submit()
    await world.query('delete from identity.role_assignments where account_id = $1', [operator.id])
    expect((await worker.claim({ wait_seconds: 0 })).body.jobs).toEqual([])
  })

  test('a token that was not given opens nothing', async () => {
    const { worker, submit } = await workshop(world)
    await submit()
    const claimed = await worker.take()
    const forged = { ...claimed, attempt: { ...claimed.attempt, lease_token: 'x'.repeat(43) } }
    expect(code(await worker.finish(forged))).toEqual([409, 'lease_lost'])
    expect(code(await worker.progress(forged, { stage: 'x', current: 1 }))).toEqual([
      409,
      'lease_lost',
    ])
    expect(code(await worker.store(forged, 'x'))).toEqual([409, 'lease_lost'])
    const missing = await world.call('PUT', `/v1/job-attempts/${claimed.attempt.id}/result`, {
      token: worker.owner.token,
      body: 'x',
    })
    expect(code(missing)).toEqual([422, 'validation_failed'])
  })

  test('a leaked lease token is useless to others, and after the permission was removed', async () => {
    const type = await world.idleType({ lease_seconds: 300 })
    const owner = await world.person(['jobs.jobs.submit:*'])
    await world.give(owner, 'tenant_admin')
    const worker = workerOf(world, owner)
    await worker.register(type)
    await world.submit(owner, { type })
    const claimed = await worker.take()
    const leased = () =>
      world.query<{ heartbeat_at: Date }>(
        'select heartbeat_at from jobs.job_attempts where id = $1',
        [claimed.attempt.id],
      )
    const before = await leased()
    const lost = { leases: [{ attempt_id: claimed.attempt.id, lost: true }] }
    // Of another tenant, and of the same one, with everything that a worker may hold.
    const colleague = await world.person(['jobs.workers.claim:*'], owner.tenant)
    for (const other of [await workman(world), colleague]) {
      const theirs = workerOf(world, other)
      await theirs.register(type)
      expect((await theirs.beat(claimed)).body).toEqual(lost)
      const step = { stage: 'x', current: 1 }
      expect(code(await theirs.progress(claimed, step))).toEqual([404, 'job_attempt_not_found'])
      expect(code(await theirs.store(claimed, 'x'))).toEqual([404, 'job_attempt_not_found'])
      expect(code(await theirs.finish(claimed))).toEqual([404, 'job_attempt_not_found'])
    }
    // Another worker of the same owner is another holder, too.
    const second = workerOf(world, owner)
    await second.register(type)
    expect((await second.beat(claimed)).body).toEqual(lost)
    expect(await leased()).toEqual(before)
    expect((await worker.beat(claimed)).body.leases[0]).not.toHaveProperty('lost')
    const kept = await leased()
    await world.query('delete from identity.role_assignments where account_id = $1', [owner.id])
    expect((await worker.beat(claimed)).body).toEqual(lost)
    expect(await leased()).toEqual(kept)
    expect(code(await worker.finish(claimed))).toEqual([404, 'job_attempt_not_found'])
  })
})
