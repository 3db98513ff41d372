/**
 * Processes that die or stall in the middle of a step: the run goes on elsewhere, a write takes
 * effect once, and a call outside has the same key each time.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { inTurns } from '../../../../../test/in-turns.ts'
import { eventually } from '../../../../../test/world.ts'
import { openEngineWorld, type EngineWorld } from '../../attempts/test/engine-world.ts'
import { startWorker, watchOver } from '../../attempts/test/workers.ts'
import { runsOf, type Runs } from './watch-runs.ts'

let world: EngineWorld
let runs: Runs
beforeAll(async () => {
  // What runs jobs here are processes that can be killed.
  // A run may be lost many times before it records its next step.
  world = await openEngineWorld({ ROLES: 'api', JOBS_LEASE_LOSSES: '100' })
  runs = runsOf(world)
})
afterAll(async () => {
  await world.check()
  await world.close()
})

const calls = (effects: readonly string[], name: string) =>
  effects.filter(one => one.startsWith(`${name} `))

describe('a process that is killed', () => {
  const points = inTurns<[string, number, number]>(3, [
    ['jobs.before_step', 1, 0],
    ['jobs.after_step_effect', 1, 0],
    ['jobs.after_step_effect', 2, 0],
    ['jobs.before_step_commit', 1, 0],
    ['jobs.after_step', 1, 0],
    ['jobs.after_step', 2, 0],
    ['jobs.after_wait', 1, 0],
    // No step is recorded after it.
    ['jobs.before_finalize', 1, 1],
    ['jobs.before_finalize', 2, 1],
  ])

  test.each(points)(
    'at %s, time %i, loses nothing and repeats no write',
    async (point, time, losses) => {
      const aggregate = newId()
      const id = await runs.submit(
        { kind: 'write', name: 'first' },
        { kind: 'run', name: 'call', noted: true },
        { kind: 'event', name: 'paused', aggregate },
        { kind: 'write', name: 'last' },
      )
      const doomed = await startWorker(world.environment, {
        KERNEL_FAULTS: `${point}=kill@${time}`,
      })
      onTestFinished(() => void doomed.kill())
      const { tenant_id } = await world.job(id)
      const emit = () =>
        world.kernel.db.tx(tx => {
          const data = { type: 'a.type', reason: 'now', until: null }
          const of = { aggregate_type: 'job_type', aggregate_id: aggregate, aggregate_version: 1 }
          return Promise.resolve(tx.emit({ type: 'job_type.paused', tenant_id, ...of, data }))
        })
      // Its second release or end comes only if the first one has put it off.
      const is_end = point === 'jobs.before_finalize' && time === 2
      const sent = is_end ? runs.waiting(id, 'paused').then(emit) : emit()
      await doomed.gone
      const heir = await startWorker(world.environment)
      onTestFinished(() => void heir.kill())
      await world.reached(id, 'succeeded')
      await heir.kill('SIGTERM')
      const effects = await runs.effects(id)
      expect(effects.filter(one => !one.startsWith('call '))).toEqual(['first', 'last'])
      expect(new Set(calls(effects, 'call')).size).toBe(1)
      expect(await runs.result(id)).toMatchObject({
        results: ['first', 'call done', { id: await sent }, 'last'],
      })
      expect((await world.job(id)).losses).toBeLessThanOrEqual(losses)
    },
  )

  test('in an undo goes on with it, and undoes each step', async () => {
    const id = await runs.submit(
      { kind: 'run', name: 'a', undo: true, noted: true },
      { kind: 'run', name: 'b', undo: true, noted: true },
      { kind: 'run', name: 'c', fails: 9, retries: 0 },
    )
    // a, b, c, then the undo of b.
    const doomed = await startWorker(world.environment, { KERNEL_FAULTS: 'jobs.after_step=kill@4' })
    await doomed.gone
    const heir = await startWorker(world.environment)
    onTestFinished(() => void heir.kill())
    expect(await world.reached(id, 'failed')).toMatchObject({ error_code: 'vendor_failed' })
    await heir.kill('SIGTERM')
    const effects = await runs.effects(id)
    for (const name of ['a', 'b', 'undo a', 'undo b']) expect(calls(effects, name)).toHaveLength(1)
  })

  const undoing = inTurns<[string, number]>(3, [
    ['jobs.after_step_effect', 3],
    ['jobs.before_step_commit', 3],
    ['jobs.after_step', 4],
  ])

  test.each(undoing)(
    'at %s in the undo of a write takes its rows back once',
    async (point, time) => {
      const id = await runs.submit(
        { kind: 'write', name: 'a', undo: true },
        { kind: 'write', name: 'b', undo: true },
        { kind: 'run', name: 'c', fails: 9, retries: 0 },
      )
      const doomed = await startWorker(world.environment, {
        KERNEL_FAULTS: `${point}=kill@${time}`,
      })
      onTestFinished(() => void doomed.kill())
      await doomed.gone
      const heir = await startWorker(world.environment)
      onTestFinished(() => void heir.kill())
      expect(await world.reached(id, 'failed')).toMatchObject({ error_code: 'vendor_failed' })
      await heir.kill('SIGTERM')
      expect(await runs.effects(id)).toEqual(['undo a', 'undo b'])
    },
  )
})

test('a process that stalls past its lease in a step cannot commit it', async () => {
  const stalled = await startWorker(world.environment)
  onTestFinished(() => void stalled.kill())
  const id = await runs.submit({ kind: 'write', name: 'slow', pause_ms: 4000 })
  await world.reached(id, 'running')
  stalled.child.kill('SIGSTOP')
  const other = await startWorker(world.environment)
  onTestFinished(() => void other.kill())
  await eventually('another attempt runs', async () => (await world.job(id)).attempt_count === 2)
  // Both want to commit now.
  stalled.child.kill('SIGCONT')
  await world.reached(id, 'succeeded')
  await stalled.kill('SIGTERM')
  await other.kill('SIGTERM')
  expect(await runs.effects(id)).toEqual(['slow'])
})

type Listed = { kind: string; name: string; child?: Listed[]; [more: string]: unknown }

const step = fc.oneof(
  fc.record({ kind: fc.constant('write') }),
  fc.record({ kind: fc.constant('run'), noted: fc.constant(true) }),
  fc.record({ kind: fc.constant('sleep'), seconds: fc.constantFrom(0, 0.1) }),
  fc.record({ kind: fc.constant('signal'), of: fc.constant('go') }),
  fc.record({
    kind: fc.constant('invoke'),
    child: fc.constant<Listed[]>([{ kind: 'write', name: 'inside' }]),
  }),
)
const bodies = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), {
  minLength: 8,
  maxLength: 8,
})

function modelOf(steps: readonly Listed[]): unknown[] {
  let signals = 0
  return steps.map(({ kind, name }) => {
    if (kind === 'write') return name
    if (kind === 'run') return `${name} done`
    if (kind === 'signal') return { data: signals++ }
    return kind === 'invoke' ? { results: ['inside'] } : null
  })
}

test('any bodies, under processes that are killed at every few steps, end as if nothing happened', async () => {
  await fc.assert(
    fc.asyncProperty(bodies, fc.integer({ min: 2, max: 5 }), async (given, every) => {
      const listed = given.map(steps => steps.map((one, n): Listed => ({ ...one, name: `s${n}` })))
      const ids: string[] = []
      for (const steps of listed) {
        const id = await runs.submit(...steps)
        ids.push(id)
        const signals = steps.filter(one => one.kind === 'signal').length
        for (let n = 0; n < signals; n++) await runs.signal(id, 'go', n)
      }
      const faults = `jobs.after_step=kill@${every},jobs.after_step_effect=kill@${every + 2}`
      const workers = watchOver(world.environment, { KERNEL_FAULTS: faults })
      try {
        for (const [n, id] of ids.entries()) {
          await world.reached(id, 'succeeded')
          const steps = listed[n] ?? []
          expect(await runs.result(id)).toMatchObject({ results: modelOf(steps) })
          const effects = await runs.effects(id)
          const of = (kind: string) => steps.filter(one => one.kind === kind).map(one => one.name)
          const written = effects.filter(one => !one.includes(' '))
          expect(written).toEqual(of('write').sort())
          const keys = of('run').map(name => new Set(calls(effects, name)).size)
          expect(keys).toEqual(keys.map(() => 1))
        }
      } finally {
        await workers.stop()
      }
    }),
    { numRuns: 2 },
  )
})
