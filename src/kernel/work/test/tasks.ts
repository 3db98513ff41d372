/** A table of tasks and a due queue on it, for tests of what an attempt can end in. */
import { type Static, Type } from 'typebox'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { sql } from '../../database/sql.ts'
import { eventually, openWorld, type World } from '../../events/test/process.ts'
import { newId, nil_id } from '../../ids.ts'
import { done, dueQueue, type DueQueueSpec } from '../due-queue.ts'
import { openPulse } from '../pulse.ts'
import { signsOf } from '../run-loops.ts'
import { queueLoop } from '../run-queue.ts'

let ground: Clone

/** The database of this file and the lot of the running test, once the hooks have run. */
export const here = {} as { world: World; lot: string; url: string }

/** In each file that works on tasks: its database, and a lot of rows for each test. */
export function useTasks(): void {
  beforeAll(async () => {
    ground = await cloneDatabase()
    const world = openWorld({ url: ground.url, work: false, pool: 20 })
    Object.assign(here, { world, url: ground.url })
    await world.events.start()
    await world.db.run(sql`
      create table public.tasks (
        id uuid primary key, tenant_id uuid not null, lot uuid not null, text text not null default '',
        due_at timestamptz, attempts int not null default 0, lease_token uuid, leased_until timestamptz,
        last_error_code text, created_at timestamptz not null default kernel.now()
      )`)
    await world.db.run(sql`create index on public.tasks (due_at) where due_at is not null`)
  })
  afterAll(async () => {
    await here.world.stop()
    await ground.drop()
  })
  beforeEach(() => {
    here.lot = newId()
  })
}

const Task = Type.Object({ tenant_id: Type.String(), id: Type.String(), text: Type.String() })
const State = Type.Object({
  text: Type.String(),
  due_in: Type.Union([Type.Number(), Type.Null()]),
  attempts: Type.Integer(),
  leased: Type.Boolean(),
  code: Type.Union([Type.String(), Type.Null()]),
})

export type Spec = Partial<DueQueueSpec<typeof Task, unknown>>

export const queueOf = (spec: Spec) =>
  dueQueue({
    name: `test.tasks_${here.lot.slice(-12)}`,
    table: 'public.tasks',
    key: ['tenant_id', 'id'],
    row: Task,
    load: sql`t.text`,
    where: sql`t.lot = ${here.lot}`,
    batch: 10,
    concurrency: 5,
    lease_seconds: 30,
    retry: [10, 60],
    run: () => Promise.resolve(done()),
    ...spec,
  })

/** Runs the queue while `act` lasts. */
export async function working<T>(
  spec: Spec,
  act: () => Promise<T>,
  on = here.world,
  busy = false,
): Promise<T> {
  const stopping = new AbortController()
  const kernel = {
    db: on.db,
    log: on.log,
    fault: on.faults.fault,
    onWake: on.events.onWake,
    busy: () => busy,
  }
  const loop = queueLoop(kernel, queueOf(spec))
  const pulse = openPulse({ db: on.db, log: on.log, sleepers: on.events })
  pulse.add(signsOf([loop]))
  pulse.start()
  const running = loop.run(stopping.signal)
  try {
    return await act()
  } finally {
    stopping.abort()
    await pulse.stop()
    await running
  }
}

type Put = { readonly text?: string; readonly age_seconds?: number; readonly tenant_id?: string }

export async function put(values: Put = {}): Promise<string> {
  const id = newId()
  await here.world.db.tx(async tx => {
    await tx.run(sql`
      insert into public.tasks (id, tenant_id, lot, text, due_at, created_at)
      values (${id}, ${values.tenant_id ?? nil_id}, ${here.lot}, ${values.text ?? ''}, kernel.now(),
        kernel.now() - make_interval(secs => ${values.age_seconds ?? 0}))`)
    tx.wake(queueOf({}).name)
  })
  return id
}

export function stateOf(id: string): Promise<Static<typeof State>> {
  return here.world.db.one(
    State,
    sql`
      select text, extract(epoch from due_at - kernel.now())::float8 as due_in, attempts,
        coalesce(leased_until > now(), false) as leased, last_error_code as code
      from public.tasks where id = ${id}`,
  )
}

export const settled = (id: string) =>
  eventually(async () => {
    const state = await stateOf(id)
    return state.attempts > 0 && !state.leased && state
  })
