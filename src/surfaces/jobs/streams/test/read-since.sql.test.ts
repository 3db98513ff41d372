/** What is written while a watcher reads comes with the next reading, as a whole. */
import { afterAll, expect, test } from 'vitest'
import type { Db, Tx } from '#dodeca/kernel'
import { openAskingWorld } from '../../test/asking-world.ts'
import { workshop } from '../../test/worker.ts'
import { openJobTypes } from '../../types/job-types.ts'
import { readSince } from '../read-since.ts'

const world = await openAskingWorld()
afterAll(async () => {
  await world.check()
  await world.close()
})

const { db } = world.kernel
const deps = { kernel: world.kernel, types: openJobTypes(world.kernel) }

/** Does something once, between the reading of the place and of what is before it. */
function interrupted(happens: () => Promise<unknown>): Pick<Db, 'tx'> {
  let done: Promise<unknown> | undefined
  return {
    tx: (work, options) =>
      db.tx(tx => {
        const many: Tx['many'] = async (row, statement) => {
          await (done ??= happens())
          return await tx.many(row, statement)
        }
        return work({ ...tx, one: tx.one, maybe: tx.maybe, many })
      }, options),
  }
}

test('progress and end within one reading: both wait for the next', async () => {
  const { worker, owner, submit } = await workshop(world)
  const job_id = await submit()
  const key = { tenant_id: owner.tenant.id, job_id }
  const claimed = await worker.take()
  const reader = interrupted(async () => {
    await worker.progress(claimed, { stage: 'rows', current: 1 })
    await worker.finish(claimed)
  })
  const first = await readSince(reader, deps, key, 1)
  expect(first).toMatchObject({ sequence: 2, moved_at: 2, progress: [], job: { state: 'running' } })
  const second = await readSince(db, deps, key, 2)
  expect(second?.progress.map(one => one.sequence)).toEqual([3])
  expect(second).toMatchObject({ sequence: 4, moved_at: 4, job: { state: 'succeeded' } })
})
