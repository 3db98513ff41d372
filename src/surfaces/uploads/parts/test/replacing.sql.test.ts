/** Versions of one part that arrive at the same time. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../../test/world.ts'
import { sql } from '../../../../kernel/database/sql.ts'
import { openUploadWorld, type UploadWorld } from '../../test/upload-world.ts'

let world: UploadWorld
beforeAll(async () => {
  world = await openUploadWorld()
})
afterAll(() => world.close())

test('of many versions of a part that arrive at once, one stays on the disk', async () => {
  const { db } = world.platform.kernel
  const who = await world.member()
  const versions = ['a', 'b', 'c', 'd'].map(letter => Buffer.alloc(1000, letter))
  const { body } = await world.call('POST', '/v1/uploads', {
    token: who.token,
    body: { expected_size: 1000, media_category: 'any', purpose: 'generic' },
  })
  const { sent } = await db.tx(async tx => {
    await tx.run(sql`
      select from uploads.uploads where tenant_id = ${who.tenant.id} and id = ${body.id} for update`)
    const sending = Promise.all(versions.map(bytes => world.send(body, bytes)))
    const waits = sql`
      select 1 from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like '%uploads.upload_parts%'`
    await eventually('all of them wait for the row', async () => (await db.run(waits)) === 4)
    return { sent: sending }
  })
  expect(await sent).toEqual([[200], [200], [200], [200]])
  const { body: upload } = await world.call('GET', `/v1/uploads/${body.id}`, { token: who.token })
  const folder = join(world.data_dir, 'spool/parts', upload.multipart_upload_id)
  await eventually('one file is left', async () => (await readdir(folder)).length === 1)
})
