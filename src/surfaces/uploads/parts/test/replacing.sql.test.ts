/** Versions of one part that arrive at two processes at the same time. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { composition } from '../../../../platform.ts'
import { start, type Running } from '../../../../runtime/start.ts'
import { loadConfig } from '../../../../settings.ts'
import { openUploadWorld, type UploadWorld } from '../../test/upload-world.ts'

let world: UploadWorld
let beside: Running
beforeAll(async () => {
  world = await openUploadWorld()
  const settings = { ...world.environment, DATA_DIR: world.data_dir, ROLES: 'api' }
  beside = await start(loadConfig({}, settings), () => {}, composition)
})
afterAll(async () => {
  await beside.stop()
  await world.close()
})

test('of two versions of a part that arrive at once, one stays on the disk', async () => {
  const { db } = world.platform.kernel
  const who = await world.member()
  const { body } = await world.call('POST', '/v1/uploads', {
    token: who.token,
    body: { expected_size: 1000, media_category: 'any', purpose: 'generic' },
  })
  const { pathname, search } = new URL(body.upload_url)
  const places = [world.base_url, `http://127.0.0.1:${beside.port}`]
  const send = async (place: string, letter: string) => {
    const content = new Uint8Array(Buffer.alloc(1000, letter))
    return (await fetch(place + pathname + search, { method: 'PUT', body: content })).status
  }
  expect(await send(world.base_url, 'a')).toBe(200)
  const { sent } = await db.tx(async tx => {
    await tx.run(sql`
      select from uploads.uploads where tenant_id = ${who.tenant.id} and id = ${body.id} for update`)
    const sending = Promise.all(places.map((place, at) => send(place, `${at}`)))
    const waits = sql`
      select 1 from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like '%uploads.upload_parts%'`
    await eventually('both wait for the row', async () => (await db.run(waits)) === 2)
    return { sent: sending }
  })
  expect(await sent).toEqual([200, 200])
  const { body: upload } = await world.call('GET', `/v1/uploads/${body.id}`, { token: who.token })
  const folder = join(world.data_dir, 'spool/parts', upload.multipart_upload_id)
  expect(await readdir(folder)).toHaveLength(1)
})
