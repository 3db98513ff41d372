/**
 * Workers that stall or die at the worst moment: the job continues elsewhere, and takes effect
 * once.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { eventually } from '../../../../../test/world.ts'
import { openEngineWorld, type EngineWorld } from './engine-world.ts'
import { startWorker, watchOver } from './workers.ts'

let world: EngineWorld
beforeAll(async () => {
  // What runs jobs here are processes that can be killed.
  world = await openEngineWorld({ ROLES: 'api' })
})
afterAll(async () => {
  await world.check()
  await world.close()
})

const effects = (id: string) =>
  world.query<{ attempt_no: number }>('select attempt_no from public.effects where job_id = $1', [
    id,
  ])

describe('a worker', () => {
  test('that stalls past its lease cannot commit any more: its own writes are rolled back', async () => {
    const stalled = await startWorker(world.environment)
    onTestFinished(() => void stalled.kill())
    const id = await world.submit({
      type: 'toil.short',
      // Long enough to be stopped before it commits, also on a busy machine.
      parameters: { wait_ms: 4000, commits: true },
    })
    await world.reached(id, 'running')
    stalled.child.kill('SIGSTOP')
    const other = await startWorker(world.environment)
    await eventually('another attempt runs', async () => (await world.job(id)).attempt_count === 2)
    // Both handlers want to commit now.
    stalled.child.kill('SIGCONT')
    await world.reached(id, 'succeeded')
    await stalled.kill('SIGTERM')
    await other.kill('SIGTERM')
    expect(await effects(id)).toEqual([{ attempt_no: 2 }])
    expect(await world.announced(id)).toEqual(['job.succeeded'])
  })

  test.each([
    ['jobs.before_finalize', ['lease_expired', 'succeeded']],
    ['jobs.after_finalize', ['succeeded']],
  ])('killed at %s leaves one end and one result', async (point, ends) => {
    const doomed = await startWorker(world.environment, { KERNEL_FAULTS: `${point}=kill@1` })
    const id = await world.submit({ type: 'toil.short', parameters: { result: 'once' } })
    await doomed.gone
    const heir = await startWorker(world.environment)
    await world.reached(id, 'succeeded')
    await heir.kill('SIGTERM')
    const history = await world.history(id)
    expect(history.filter(type => type === 'lease_expired' || type === 'succeeded')).toEqual(ends)
    const results = await world.query('select id from jobs.job_results where job_id = $1', [id])
    expect(results).toEqual([{ id: (await world.job(id)).result_ref }])
    expect(await world.announced(id)).toEqual(['job.succeeded'])
  })

  test('killed between its effect and its end has written neither', async () => {
    const doomed = await startWorker(world.environment, {
      KERNEL_FAULTS: 'jobs.before_finalize=kill@1',
    })
    const id = await world.submit({ type: 'toil.short', parameters: { commits: true } })
    await doomed.gone
    expect(await effects(id)).toEqual([])
    const heir = await startWorker(world.environment)
    await world.reached(id, 'succeeded')
    await heir.kill('SIGTERM')
    expect(await effects(id)).toEqual([{ attempt_no: 2 }])
    expect(await world.announced(id)).toEqual(['job.succeeded'])
  })

  test('that is stopped gives back what it runs, at once and without a failure', async () => {
    const worker = await startWorker(world.environment)
    const id = await world.submit({ type: 'toil.any', parameters: { wait_ms: 600_000 } })
    await world.reached(id, 'running')
    await worker.kill('SIGTERM')
    expect(await world.job(id)).toMatchObject({ state: 'retryable', failures: 0, losses: 0 })
    expect(await world.history(id)).toEqual(['submitted', 'started', 'released'])
    const { tenant_id } = await world.job(id)
    await world.kernel.db.tx(tx => world.face.cancel(tx, { tenant_id, job_id: id }))
  })

  test('killed by its job again and again is spared the fourth time', async () => {
    const tenant_id = newId()
    const poison = await world.submit({ type: 'toil.short', tenant_id, parameters: { kills: 99 } })
    const watched = watchOver(world.environment)
    const row = await world.reached(poison, 'failed', 60_000)
    expect(row).toMatchObject({ error_code: 'worker_lost', attempt_count: 3, losses: 3 })
    const healthy = await world.submit({ type: 'toil.any', tenant_id })
    await world.reached(healthy, 'succeeded')
    await watched.stop()
  })
})
