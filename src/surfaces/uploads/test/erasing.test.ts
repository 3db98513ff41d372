/** A file that is erased while its derivatives are made leaves no byte, and counts nothing. */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { holdAt } from '../../../../test/hold.ts'
import { eventually } from '../../../../test/world.ts'
import { picture } from '../processing/test/samples.ts'
import { openUploadWorld } from './upload-world.ts'

const world = await openUploadWorld({})
afterAll(() => world.close())
const { db, objects } = world.platform.kernel

test('a derivative that is stored after its file was erased is removed', async () => {
  const who = await world.member()
  const held = holdAt(world.platform.faults, 'uploads.after_derivative')
  const bytes = await picture(200, 100)
  const made = await world.begin(who, bytes, { purpose: 'avatar', media_category: 'image' })
  await world.send(made.body, bytes)
  const completed = await world.complete(who, made.body.id)
  expect(completed.status, completed.text).toBe(202)
  const file_id = await world.verified(who, made.body.id)
  await held.reached()
  const deleted = await world.call('DELETE', `/v1/files/${file_id}`, { token: who.token })
  expect(deleted.status, deleted.text).toBe(204)
  await db.run(sql`
    update uploads.files set retention_until = kernel.now() where id = ${file_id}`)
  const Left = Type.Object({ state: Type.String(), ready: Type.Integer(), bytes: Type.Integer() })
  const left = () =>
    db.one(
      Left,
      sql`
        select f.state, t.reserved_bytes::int as bytes, (select count(*)::int
          from uploads.derivatives d where d.file_id = f.id and d.state = 'ready') as ready
        from uploads.files f join uploads.tenant_usage t on t.tenant_id = f.tenant_id
        where f.id = ${file_id}`,
    )
  await eventually('it is purged', async () => (await left()).state === 'purged')
  const keys = async () => {
    const found: string[] = []
    for await (const { key } of objects.list('o')) found.push(key)
    return found
  }
  expect(await keys()).not.toEqual([])
  held.release()
  await eventually('its bytes are gone', async () => (await keys()).length === 0)
  // They are counted until they are gone.
  await expect.poll(left).toEqual({ state: 'purged', ready: 0, bytes: 0 })
})
