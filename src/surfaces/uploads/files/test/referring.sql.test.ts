/** A file that another surface refers to is deleted before the reference, or after it: never between. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import type { Inside } from '../../face.ts'
import { openUploadWorld, type UploadWorld } from '../../test/upload-world.ts'

let world: UploadWorld
let face: Inside
beforeAll(async () => {
  world = await openUploadWorld()
  face = world.platform.opened['uploads']?.face as Inside
})
afterAll(() => world.close())

const waits = async () =>
  (await world.platform.kernel.db.run(sql`
    select 1 from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock' and query like '%uploads.files%'`)) > 0

async function storedFile() {
  const who = await world.member()
  const { file_id } = await world.store(who, randomBytes(10))
  const owner = { id: who.id, tenant_id: who.tenant.id }
  return { who, file_id, owner }
}

test('a deletion waits for the transaction that refers to the file, and then deletes it', async () => {
  const { db } = world.platform.kernel
  const { who, file_id, owner } = await storedFile()
  const ends: string[] = []
  const { deletion } = await db.tx(async tx => {
    await face.requireAvailable(tx, owner, file_id, ['generic'])
    const asked = world.call('DELETE', `/v1/files/${file_id}`, { token: who.token })
    const ended = asked.then(answer => {
      ends.push('deletion')
      return answer
    })
    await eventually('the deletion waits or has ended', async () => {
      return ends.length > 0 || (await waits())
    })
    await eventually('another transaction refers to it too', async () => {
      const found = await db.tx(other => face.requireAvailable(other, owner, file_id, ['generic']))
      return found.id === file_id
    })
    ends.push('reference')
    return { deletion: ended }
  })
  expect((await deletion).status).toBe(204)
  expect(ends).toEqual(['reference', 'deletion'])
})

test('a reference waits for a deletion that has begun, and is refused', async () => {
  const { db } = world.platform.kernel
  const { file_id, owner } = await storedFile()
  let reference: Promise<string> | undefined
  await db.tx(async tx => {
    await face.remove(tx, { tenant_id: owner.tenant_id, file_id })
    await eventually('the reference waits', async () => {
      reference ??= db
        .tx(other => face.requireAvailable(other, owner, file_id, ['generic']))
        .then(
          () => 'referred',
          (error: unknown) => (error as { code: string }).code,
        )
      return await waits()
    })
  })
  expect(await reference).toBe('file_not_found')
})
