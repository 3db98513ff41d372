/** Steps of workflows: each kind, what is stored of it, and how a run fails, undoes and is retried. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { eventually } from '../../../../../test/world.ts'
import { openEngineWorld, type EngineWorld } from '../../attempts/test/engine-world.ts'
import { calls, ill } from './runs.ts'
import { runsOf, type Runs } from './watch-runs.ts'

let world: EngineWorld
let runs: Runs
beforeAll(async () => {
  world = await openEngineWorld()
  runs = runsOf(world)
})
afterAll(async () => {
  await world.check()
  await world.close()
})

describe('a run', () => {
  test('writes each step once, in its commit, and its result is that of the body', async () => {
    const id = await runs.submit({ kind: 'write', name: 'one' }, { kind: 'write', name: 'two' })
    await world.reached(id, 'succeeded')
    expect(await runs.effects(id)).toEqual(['one', 'two'])
    expect(await runs.result(id)).toEqual({ results: ['one', 'two'] })
    expect(await runs.steps(id)).toEqual(['one write done', 'two write done'])
  })

  test('calls outside again until it succeeds, with one key', async () => {
    const name = `call ${newId()}`
    const id = await runs.submit({ kind: 'run', name, fails: 2 }, { kind: 'write', name: 'then' })
    await world.reached(id, 'succeeded')
    const keys = calls.get(name) ?? []
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
    expect(await runs.step(id, name)).toMatchObject({ state: 'done', attempts: 3 })
    expect((await world.job(id)).failures).toBe(0)
  })

  test('waits for nothing while it sleeps, and wakes once', async () => {
    const id = await runs.submit(
      { kind: 'sleep', name: 'nap', seconds: 0.4 },
      { kind: 'write', name: 'awake' },
    )
    const job = await world.reached(id, 'succeeded')
    expect(job.attempt_count).toBe(2)
    expect(await runs.effects(id)).toEqual(['awake'])
  })

  test('goes through a thousand steps, and not through one more', async () => {
    const many = { kind: 'write', name: 'step', times: 1000 }
    const id = await runs.submit(many)
    await world.reached(id, 'succeeded')
    expect(await runs.effects(id)).toHaveLength(1000)
    const more = await runs.submit(many, { kind: 'write', name: 'too many' })
    expect(await world.reached(more, 'failed')).toMatchObject({ error_code: 'too_many_steps' })
  })

  test('runs steps together', async () => {
    const [first, second] = [`a ${newId()}`, `b ${newId()}`]
    const id = await runs.submit({
      kind: 'together',
      name: 'both',
      together: [
        { kind: 'sleep', name: 'nap', seconds: 0.3 },
        { kind: 'run', name: first, fails: 1 },
        { kind: 'run', name: second },
        { kind: 'write', name: 'noted' },
      ],
    })
    await world.reached(id, 'succeeded')
    expect(calls.get(first)).toHaveLength(2)
    expect(calls.get(second)).toHaveLength(1)
    expect(await runs.effects(id)).toEqual(['noted'])
  })
})

describe('a name', () => {
  test('is used once in a run, and for one kind', async () => {
    const twice = await runs.submit(
      { kind: 'write', name: 'same' },
      { kind: 'write', name: 'same' },
    )
    expect(await world.reached(twice, 'failed')).toMatchObject({ error_code: 'step_repeated' })
    expect(await runs.effects(twice)).toEqual(['same'])

    const changed = await runs.submit(
      { kind: 'write', name: 'first' },
      { kind: 'signal', name: 'go' },
    )
    await runs.waiting(changed, 'go')
    await runs.edit(changed, { kind: 'sleep', name: 'first' })
    await runs.signal(changed, 'go')
    expect(await world.reached(changed, 'failed')).toMatchObject({ error_code: 'step_changed' })
  })

  test.each(['', 'undo it', '-x', 'a'.repeat(101), 'a\u0000b'])('is refused: %j', async name => {
    const id = await runs.submit({ kind: 'write', name })
    expect(await world.reached(id, 'failed')).toMatchObject({ error_code: 'step_name_invalid' })
    expect(await runs.effects(id)).toEqual([])
  })

  test('keeps its step when steps come in another order after a deployment', async () => {
    const [a, b] = [`a ${newId()}`, `b ${newId()}`]
    const id = await runs.submit(
      { kind: 'run', name: a },
      { kind: 'write', name: 'w' },
      { kind: 'run', name: b },
      { kind: 'signal', name: 'go' },
    )
    await runs.waiting(id, 'go')
    await runs.edit(
      id,
      { kind: 'run', name: b },
      { kind: 'write', name: 'new' },
      { kind: 'signal', name: 'go' },
      { kind: 'run', name: a },
    )
    await runs.signal(id, 'go')
    await world.reached(id, 'succeeded')
    expect(await runs.effects(id)).toEqual(['new', 'w'])
    expect([calls.get(a)?.length, calls.get(b)?.length]).toEqual([1, 1])
  })
})

describe('a body that fails for good', () => {
  test('is followed by the undos of its steps, the last one first', async () => {
    const [a, b, c] = [`a ${newId()}`, `b ${newId()}`, `c ${newId()}`]
    const id = await runs.submit(
      { kind: 'run', name: a, undo: true },
      { kind: 'run', name: b, undo: true },
      { kind: 'run', name: c, undo: true, fails: 9, retries: 0 },
    )
    expect(await world.reached(id, 'failed')).toMatchObject({ error_code: 'vendor_failed' })
    expect(await runs.steps(id)).toEqual([
      `${a} run done`,
      `${b} run done`,
      `${c} run failed`,
      `undo ${b} undo done`,
      `undo ${a} undo done`,
    ])
    expect(calls.get(`undo ${c}`)).toBeUndefined()
    const undone = [...calls.keys()].filter(name => [`undo ${a}`, `undo ${b}`].includes(name))
    expect(undone).toEqual([`undo ${b}`, `undo ${a}`])
  })

  test('takes back what its writes have written, and writes it again at a retry', async () => {
    const [a, b, c] = [newId(), newId(), newId()]
    ill.add(`undo ${a}`)
    const id = await runs.submit(
      { kind: 'write', name: a, undo: true },
      { kind: 'write', name: b },
      { kind: 'run', name: c, fails: 1, retries: 0 },
    )
    expect(await world.reached(id, 'failed')).toMatchObject({ error_code: 'undo_failed' })
    expect(await runs.effects(id)).toEqual([a, b].sort())
    ill.delete(`undo ${a}`)
    await runs.retry(id)
    await eventually('it is undone', async () => {
      return (await world.job(id)).error_code === 'vendor_failed'
    })
    expect((await runs.steps(id)).at(-1)).toBe(`undo ${a} undo done`)
    expect(await runs.effects(id)).toEqual([b, `undo ${a}`].sort())
    await runs.retry(id)
    await world.reached(id, 'succeeded')
    expect(await runs.effects(id)).toEqual([a, b, `undo ${a}`].sort())
  })

  test('whose undo fails ends with undo_failed, and a retry goes on there', async () => {
    const [a, b, c] = [`a ${newId()}`, `b ${newId()}`, `c ${newId()}`]
    ill.add(`undo ${a}`)
    const id = await runs.submit(
      { kind: 'run', name: a, undo: true },
      { kind: 'run', name: b, undo: true },
      { kind: 'run', name: c, fails: 1, retries: 0 },
    )
    expect(await world.reached(id, 'failed')).toMatchObject({ error_code: 'undo_failed' })
    expect(calls.get(`undo ${b}`)).toHaveLength(1)
    ill.delete(`undo ${a}`)
    await runs.retry(id)
    await eventually('it has failed with its own error', async () => {
      return (await world.job(id)).error_code === 'vendor_failed'
    })
    expect(calls.get(`undo ${a}`)).toHaveLength(2)
    expect(calls.get(`undo ${b}`)).toHaveLength(1)
    // All is undone: a retry makes it again, under other keys.
    await runs.retry(id)
    await world.reached(id, 'succeeded')
    expect(calls.get(b)).toHaveLength(2)
    expect(new Set(calls.get(b)).size).toBe(2)
  })

  test('is retried at the step that failed, and nothing before it happens again', async () => {
    const [a, b] = [`a ${newId()}`, `b ${newId()}`]
    const id = await runs.submit(
      { kind: 'run', name: a },
      { kind: 'write', name: 'w' },
      { kind: 'run', name: b, fails: 1, retries: 0 },
      { kind: 'write', name: 'end' },
    )
    await world.reached(id, 'failed')
    await runs.retry(id)
    await world.reached(id, 'succeeded')
    expect([calls.get(a)?.length, calls.get(b)?.length]).toEqual([1, 2])
    expect(await runs.effects(id)).toEqual(['end', 'w'])
  })
})

describe('an invoked run', () => {
  const child = [{ kind: 'write', name: 'inside' }]

  test('gives its result to its parent', async () => {
    const id = await runs.submit({ kind: 'invoke', name: 'child', child })
    await world.reached(id, 'succeeded')
    expect(await runs.result(id)).toEqual({ results: [{ results: ['inside'] }] })
  })

  test('that fails fails its step; a retry of the parent retries the child', async () => {
    const name = `c ${newId()}`
    ill.add(name)
    const id = await runs.submit({
      kind: 'invoke',
      name: 'child',
      child: [...child, { kind: 'run', name, retries: 0 }],
    })
    expect(await world.reached(id, 'failed')).toMatchObject({ error_code: 'vendor_said_no' })
    ill.delete(name)
    await runs.retry(id)
    await world.reached(id, 'succeeded')
    const [only, ...others] = await runs.children(id)
    expect(others).toEqual([])
    expect(await runs.effects(only ?? '')).toEqual(['inside'])
  })

  test('is cancelled with its parent, and nothing is undone', async () => {
    const name = `c ${newId()}`
    const id = await runs.submit(
      { kind: 'run', name, undo: true },
      {
        kind: 'invoke',
        name: 'child',
        child: [{ kind: 'invoke', name: 'deeper', child: [{ kind: 'signal', name: 'never' }] }],
      },
    )
    const [inner] = await eventually('the child runs', async () => {
      const found = await runs.children(id)
      return found.length > 0 && found
    })
    const [deeper] = await eventually('the inner child runs', async () => {
      const found = await runs.children(inner ?? '')
      return found.length > 0 && found
    })
    await runs.waiting(deeper ?? '', 'never')
    await runs.cancel(id)
    for (const one of [id, inner, deeper]) await world.reached(one ?? '', 'cancelled')
    expect(calls.get(`undo ${name}`)).toBeUndefined()
    expect(await runs.openWaits(id)).toBe(0)
  })

  test('is at most ten levels deep', async () => {
    type Nested = { kind: string; name: string; child: Nested[] }
    const nested = (levels: number): Nested => ({
      kind: 'invoke',
      name: 'child',
      child: levels > 1 ? [nested(levels - 1)] : [],
    })
    expect(await world.reached(await runs.submit(nested(10)), 'succeeded')).toBeTruthy()
    const id = await runs.submit(nested(11))
    expect(await world.reached(id, 'failed')).toMatchObject({ error_code: 'invoked_too_deep' })
  })
})
