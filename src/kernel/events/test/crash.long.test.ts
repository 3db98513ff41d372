/** Real processes that die, or stop, in the middle of their work. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Type } from 'typebox'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { sql } from '../../database/sql.ts'
import { newId } from '../../ids.ts'
import { changed, count, emit, eventually, openWorld, type World } from './process.ts'
import { endsWithFile } from '../../../../test/children.ts'

let ground: Clone
let world: World
const children = new Set<ChildProcess>()

beforeEach(async () => {
  ground = await cloneDatabase()
  world = openWorld({ url: ground.url, work: false })
  await world.events.start()
  await world.db.run(sql`
    create table public.effect (n bigint generated always as identity, event_id uuid,
      aggregate_id uuid, version bigint)`)
})
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await world.stop()
  await ground.drop()
})

async function child(faults = ''): Promise<ChildProcess> {
  const script = join(import.meta.dirname, 'crash.child.ts')
  const started = endsWithFile(
    spawn(process.execPath, [script, ground.url, faults], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  children.add(started)
  started.once('exit', () => children.delete(started))
  await once(started.stdout, 'data')
  return started
}

const Effect = Type.Object({ aggregate_id: Type.String(), version: Type.Integer() })

/** Each effect once, in the order of versions. */
async function verify(things: readonly string[], versions: number): Promise<void> {
  await eventually(
    async () => (await count(world.db, sql`from public.effect`)) >= things.length * versions,
    45_000,
  )
  const effects = await world.db.many(
    Effect,
    sql`select aggregate_id, version from public.effect order by n`,
  )
  for (const id of things) {
    const seen = effects.filter(one => one.aggregate_id === id).map(one => one.version)
    expect(seen).toEqual(Array.from({ length: versions }, (_, index) => index + 1))
  }
  expect(effects).toHaveLength(things.length * versions)
}

async function emitAll(things: readonly string[], versions: number): Promise<void> {
  for (let n = 1; n <= versions; n++) {
    for (let from = 0; from < things.length; from += 10) {
      await emit(world.db, ...things.slice(from, from + 10).map(id => changed(id, n)))
    }
  }
}

for (const faults of ['kernel.consumer=kill@137', 'kernel.sequencer=kill@7']) {
  test(`one of two processes dies at ${faults}: each effect happens once`, async () => {
    const things = Array.from({ length: 60 }, newId)
    const dying = await child(faults)
    const died = once(dying, 'exit')
    await child()
    await emitAll(things, 10)
    expect((await died)[1]).toBe('SIGKILL')
    await verify(things, 10)
  })
}

test('a stopped leader is replaced by another', async () => {
  const things = Array.from({ length: 20 }, newId)
  const stopping = await child()
  await emitAll(things, 1)
  await verify(things, 1)
  await child()
  stopping.kill('SIGSTOP')
  for (let n = 2; n <= 3; n++) await emit(world.db, ...things.map(id => changed(id, n)))
  await verify(things, 3)
  stopping.kill('SIGCONT')
  await emit(world.db, ...things.map(id => changed(id, 4)))
  await verify(things, 4)
  expect(await count(world.db, sql`from kernel.events`)).toBe(80)
})
