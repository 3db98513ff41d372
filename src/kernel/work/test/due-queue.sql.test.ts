/** Every way in which an attempt can end, and what each leaves behind. */
import { type Static, Type } from 'typebox'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { sql } from '../../database/sql.ts'
import { count, eventually, openWorld, type World } from '../../events/test/process.ts'
import { newId } from '../../ids.ts'
import {
  again,
  dead,
  done,
  dueNow,
  dueQueue,
  retry,
  waitAfter,
  type DueQueueSpec,
} from '../due-queue.ts'
import { countQueue, redriveQueue } from '../operate-queues.ts'
import { queueLoop } from '../run-queue.ts'

let ground: Clone
let world: World
beforeAll(async () => {
  ground = await cloneDatabase()
  world = openWorld({ url: ground.url, work: false, pool: 20 })
  await world.events.start()
  await world.db.run(sql`
    create table public.tasks (
      id uuid primary key, lot uuid not null, text text not null default '',
      due_at timestamptz, attempts int not null default 0, lease_token uuid, leased_until timestamptz,
      last_error_code text, created_at timestamptz not null default kernel.now()
    )`)
  await world.db.run(sql`create index on public.tasks (due_at) where due_at is not null`)
})
afterAll(async () => {
  await world.stop()
  await ground.drop()
})

const Task = Type.Object({ id: Type.String(), text: Type.String() })
const State = Type.Object({
  text: Type.String(),
  due_in: Type.Union([Type.Number(), Type.Null()]),
  attempts: Type.Integer(),
  leased: Type.Boolean(),
  code: Type.Union([Type.String(), Type.Null()]),
})

// Each test works on rows of its own.
let lot: string
beforeEach(() => {
  lot = newId()
})

type Spec = Partial<DueQueueSpec<typeof Task, unknown>>

const queueOf = (spec: Spec) =>
  dueQueue({
    name: `test.tasks_${lot.slice(-12)}`,
    table: 'public.tasks',
    key: ['id'],
    row: Task,
    load: sql`t.text`,
    where: sql`t.lot = ${lot}`,
    batch: 10,
    concurrency: 5,
    lease_seconds: 30,
    retry: [10, 60],
    run: () => Promise.resolve(done()),
    ...spec,
  })

/** Runs the queue while `act` lasts. */
async function working<T>(spec: Spec, act: () => Promise<T>, on = world): Promise<T> {
  const stopping = new AbortController()
  const kernel = {
    db: on.db,
    log: on.log,
    fault: on.faults.fault,
    onWake: on.events.onWake,
  }
  const running = queueLoop(kernel, queueOf(spec)).run(stopping.signal)
  try {
    return await act()
  } finally {
    stopping.abort()
    await running
  }
}

async function put(values: { text?: string; age_seconds?: number } = {}): Promise<string> {
  const id = newId()
  await world.db.tx(async tx => {
    await tx.run(sql`
      insert into public.tasks (id, lot, text, due_at, created_at)
      values (${id}, ${lot}, ${values.text ?? ''}, kernel.now(),
        kernel.now() - make_interval(secs => ${values.age_seconds ?? 0}))`)
    tx.wake(queueOf({}).name)
  })
  return id
}

function stateOf(id: string): Promise<Static<typeof State>> {
  return world.db.one(
    State,
    sql`
      select text, extract(epoch from due_at - kernel.now())::float8 as due_in, attempts,
        coalesce(leased_until > now(), false) as leased, last_error_code as code
      from public.tasks where id = ${id}`,
  )
}

const settled = (id: string) =>
  eventually(async () => {
    const state = await stateOf(id)
    return state.attempts > 0 && !state.leased && state
  })

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
      world.db.tx(async tx => {
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

describe('a lease', () => {
  test('that was taken over settles nothing, whatever the first attempt found', async () => {
    const id = await put()
    const slow = gate()
    let effects = 0
    const finish = () => Promise.resolve(void effects++)
    await working({ run: slow.run, finish }, async () => {
      await slow.entered
      // Asked for again while it is under way.
      await world.db.run(sql`update public.tasks set ${dueNow()} where id = ${id}`)
      await working({ run: () => Promise.resolve(dead('second')) }, () => settled(id))
      slow.open()
    })
    expect(effects).toBe(0)
    expect(await stateOf(id)).toMatchObject({ code: 'second', attempts: 1 })
  })

  test('of an attempt that never ended runs out, and the attempt has counted', async () => {
    const id = await put()
    await world.db.run(sql`
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

test('two processes do each row once, a few at a time', async () => {
  const other = openWorld({ url: ground.url, work: false, pool: 10 })
  await other.events.start()
  const ids = await Promise.all(Array.from({ length: 100 }, () => put()))
  const runs: string[] = []
  const running = { now: 0, most: 0 }
  const run = async (row: { id: string }) => {
    running.most = Math.max(running.most, ++running.now)
    runs.push(row.id)
    await new Promise(resolve => setImmediate(resolve))
    running.now--
    return done()
  }
  const left = () =>
    count(world.db, sql`from public.tasks where lot = ${lot} and due_at is not null`)
  await working({ run }, () =>
    working({ run }, () => eventually(async () => (await left()) === 0), other),
  )
  expect(runs.toSorted()).toEqual(ids.toSorted())
  expect(running.most).toBeLessThanOrEqual(10)
  await other.stop()
})

test('a fence holds all claims while it is closed', async () => {
  const id = await put()
  let open = false
  let asked = 0
  const fence = () => {
    asked++
    return Promise.resolve(open)
  }
  await working({ fence }, async () => {
    await eventually(() => asked > 1)
    expect(await stateOf(id)).toMatchObject({ attempts: 0 })
    open = true
    expect(await settled(id)).toMatchObject({ attempts: 1, due_in: null })
  })
})

test('an operator sees what is due, waiting and dead, and makes the dead due again', async () => {
  const ids = [await put(), await put()]
  await put()
  await world.db.run(sql`
    update public.tasks set due_at = kernel.now() + interval '1 hour' where id = ${ids[0]}`)
  await world.db.run(sql`
    update public.tasks set due_at = null, attempts = 3, last_error_code = 'busy'
    where id = ${ids[1]}`)
  // Counts are of the whole table, so it holds only these rows.
  await world.db.run(sql`delete from public.tasks where lot <> ${lot}`)
  const told: unknown[] = []
  const queue = queueOf({ redriven: (_tx, rows) => Promise.resolve(void told.push(...rows)) })
  expect(await countQueue(world.db, queue)).toMatchObject({ due: 1, later: 1, leased: 0, dead: 1 })
  const by = { actor: 'cli:test', reason: 'the vendor is back', limit: 10 }
  expect(await redriveQueue(world.db, queue, by)).toBe(1)
  expect(told).toEqual([{ id: ids[1] }])
  expect(await stateOf(ids[1] ?? '')).toMatchObject({ attempts: 0, code: null })
  expect(await countQueue(world.db, queue)).toMatchObject({ due: 2, dead: 0 })
  expect(await count(world.db, sql`from kernel.audit_events where target = ${queue.name}`)).toBe(1)
  expect(await redriveQueue(world.db, queue, by)).toBe(0)
})

test('waits follow the list, or grow up to a cap, with a fifth of spread', () => {
  const near = (schedule: Parameters<typeof waitAfter>[0], n: number) => waitAfter(schedule, n)
  expect(near({ retry: [10] }, 1)).toSatisfy((s: number) => s >= 8 && s <= 12)
  expect(near({ retry: [10] }, 2)).toBeUndefined()
  expect(near({ retry: [10], attempts_max: 4 }, 3)).toSatisfy((s: number) => s >= 8 && s <= 12)
  expect(near({ retry: [10], attempts_max: 4 }, 4)).toBeUndefined()
  const grows = { retry: { first: 5, factor: 2, cap: 30, jitter: 0 } }
  expect([1, 2, 3, 4, 50].map(n => near(grows, n))).toEqual([5, 10, 20, 30, 30])
})
