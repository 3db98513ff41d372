/** Every way in which an attempt can end, and what each leaves behind. */
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { sql } from '../../database/sql.ts'
import { eventually } from '../../events/test/process.ts'
import { newId } from '../../ids.ts'
import { again, dead, done, dueNow, retry } from '../due-queue.ts'
import { here, put, queueOf, settled, stateOf, useTasks, working, type Spec } from './tasks.ts'

useTasks()

/** An attempt that waits at a gate, for what happens to it meanwhile. */
function gate() {
  const entered = Promise.withResolvers<AbortSignal>()
  const open = Promise.withResolvers<null>()
  const run = async (_row: unknown, signal: AbortSignal) => {
    entered.resolve(signal)
    await open.promise
    return done()
  }
  return { entered: entered.promise, open: () => open.resolve(null), fail: open.reject, run }
}

describe('an attempt', () => {
  test('that is done leaves nothing due, and its effect is in the same commit', async () => {
    const id = await put({ text: 'a' })
    const finish: Spec['finish'] = async (tx, row, outcome) => {
      const result = outcome.end === 'done' ? String(outcome.result) : outcome.end
      await tx.run(sql`update public.tasks set text = ${result} where id = ${row.id}`)
    }
    const state = await working({ run: row => Promise.resolve(done(`${row.text}!`)), finish }, () =>
      settled(id),
    )
    expect(state).toEqual({ text: 'a!', due_in: null, attempts: 1, leased: false, code: null })
  })

  test('that fails or throws is due again by the schedule, and dead after the last', async () => {
    const id = await put()
    const seen: number[] = []
    const ended: string[] = []
    const spec: Spec = {
      run: row => {
        seen.push(row.attempt_no)
        if (row.attempt_no === 2) throw new Error('broken')
        return Promise.resolve(retry('busy'))
      },
      finish: (_tx, _row, outcome) => Promise.resolve(void ended.push(outcome.end)),
      dead: (_tx, _row, code) => Promise.resolve(void ended.push(`dead: ${code}`)),
    }
    const rush = () =>
      here.world.db.tx(async tx => {
        await tx.run(sql`update public.tasks set due_at = kernel.now() where id = ${id}`)
        tx.wake(queueOf({}).name)
      })
    await working(spec, async () => {
      const first = await settled(id)
      expect(first).toMatchObject({ attempts: 1, code: 'busy' })
      expect(first.due_in).toBeGreaterThan(5)
      expect(first.due_in).toBeLessThanOrEqual(12)
      await rush()
      await eventually(async () => (await stateOf(id)).code === 'attempt_failed')
      expect((await stateOf(id)).due_in).toBeGreaterThan(40)
      await rush()
      await eventually(async () => (await stateOf(id)).due_in === null)
    })
    expect(seen).toEqual([1, 2, 3])
    expect(ended).toEqual(['retry', 'retry', 'dead: busy'])
    expect(await stateOf(id)).toMatchObject({ attempts: 3, code: 'busy', due_in: null })
  })

  test('may say itself when it is tried again, and that it was none', async () => {
    const id = await put()
    const run = () => Promise.resolve(retry('breaker_open', { after_seconds: 500, counts: false }))
    const state = await working({ run }, () =>
      eventually(async () => {
        const now = await stateOf(id)
        return now.code !== null && now
      }),
    )
    expect(state).toMatchObject({ attempts: 0, code: 'breaker_open' })
    expect(state.due_in).toBeGreaterThan(490)
  })

  test('whose row would be too old by its next turn ends it', async () => {
    const young = await put()
    const old = await put({ age_seconds: 3595 })
    const spec: Spec = { age_max_seconds: 3600, run: () => Promise.resolve(retry('busy')) }
    await working(spec, () => Promise.all([settled(young), settled(old)]))
    expect((await stateOf(young)).due_in).toBeGreaterThan(0)
    expect(await stateOf(old)).toMatchObject({ due_in: null, code: 'busy' })
  })

  test('of many that are wanted says "again", and failures before it are forgotten', async () => {
    const id = await put()
    const numbers: number[] = []
    const spec: Spec = {
      run: row => {
        numbers.push(row.attempt_no)
        return Promise.resolve(numbers.length === 1 ? retry('busy', { after_seconds: 0 }) : done())
      },
      // The last portion is known only inside the transaction.
      finish: async () => (numbers.length < 4 ? again(0) : undefined),
    }
    await working(spec, () => eventually(async () => (await stateOf(id)).due_in === null))
    expect(numbers).toEqual([1, 1, 1, 1])
  })

  test('whose end cannot be stored is a failed one', async () => {
    const id = await put()
    const spec: Spec = {
      finish: async (_tx, _row, outcome) => {
        if (outcome.end === 'done') throw new Error('broken')
      },
    }
    expect(await working(spec, () => settled(id))).toMatchObject({ code: 'attempt_failed' })
  })

  test('is dead at once where it says so', async () => {
    const id = await put()
    const state = await working({ run: () => Promise.resolve(dead('refused')) }, () => settled(id))
    expect(state).toMatchObject({ attempts: 1, due_in: null, code: 'refused' })
  })
})

describe('a claim', () => {
  const claimsOf = async (busy: boolean) => {
    await Promise.all([put(), put(), put()])
    const hold = gate()
    const Claims = Type.Object({ rows: Type.Integer(), claims: Type.Integer() })
    return await working(
      { run: hold.run },
      async () => {
        const found = await eventually(async () => {
          const one = await here.world.db.one(
            Claims,
            sql`
              select count(*)::int as rows, count(distinct lease_token)::int as claims
              from public.tasks where lot = ${here.lot} and lease_token is not null`,
          )
          return one.rows === 3 && one
        })
        hold.open()
        return found
      },
      here.world,
      busy,
    )
  }

  test('takes all due rows at once, and one at a time in a process that requests wait for', async () => {
    expect(await claimsOf(false)).toEqual({ rows: 3, claims: 1 })
    here.lot = newId()
    expect(await claimsOf(true)).toEqual({ rows: 3, claims: 3 })
  })
})

describe('a lease', () => {
  test('that was taken over settles nothing, whatever the first attempt found', async () => {
    const id = await put()
    const slow = gate()
    let effects = 0
    const finish = () => Promise.resolve(void effects++)
    await working({ run: slow.run, finish, concurrency: 1 }, async () => {
      await slow.entered
      // Made due again during the attempt.
      await here.world.db.run(sql`update public.tasks set ${dueNow()} where id = ${id}`)
      await working({ run: () => Promise.resolve(dead('second')) }, () => settled(id))
      slow.open()
    })
    expect(effects).toBe(0)
    expect(await stateOf(id)).toMatchObject({ code: 'second', attempts: 1 })
  })

  test('of an attempt that never ended runs out, and the attempt has counted', async () => {
    const id = await put()
    await here.world.db.run(sql`
      update public.tasks set attempts = 3, lease_token = ${newId()}, leased_until = now()
      where id = ${id}`)
    const run = () => Promise.reject(new Error('is not run any more'))
    expect(
      await working({ run }, () =>
        eventually(async () => {
          const state = await stateOf(id)
          return state.due_in === null && state
        }),
      ),
    ).toMatchObject({ attempts: 4, code: 'attempts_exhausted' })
  })

  test('ends the attempt that outlasts it', async () => {
    await put()
    const slow = gate()
    await working({ run: slow.run, lease_seconds: 1 }, async () => {
      const signal = await slow.entered
      expect(await eventually(() => signal.aborted)).toBe(true)
      slow.open()
    })
  })

  test('is given back, uncounted, by a process that stops', async () => {
    const id = await put()
    const slow = gate()
    await working({ run: slow.run }, async () => {
      const signal = await slow.entered
      signal.addEventListener('abort', () => slow.fail(new Error('stopped')))
    })
    const state = await stateOf(id)
    expect(state).toMatchObject({ attempts: 0, leased: false, code: null })
    expect(state.due_in).toBeLessThanOrEqual(0)
  })
})
