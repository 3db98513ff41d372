/** What a signed URL gives, and to whom: the end of a tenant, and what readers learn of a file. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openUploadWorld, type UploadWorld } from '../../test/upload-world.ts'

let world: UploadWorld
beforeAll(async () => {
  world = await openUploadWorld()
})
afterAll(() => world.close())

test('the URLs of a tenant end when it is disabled', async () => {
  const who = await world.member()
  const bytes = randomBytes(10)
  const { file_id } = await world.store(who, bytes)
  const { url } = (await world.url(who, file_id)).body
  const { body } = await world.begin(who, bytes)
  expect((await world.fetch(url)).status).toBe(200)
  await world.identity.administration.disableTenant(who.tenant.slug, 'test')
  const refused = await world.fetch(url)
  expect([refused.status, await refused.json()]).toMatchObject([404, { code: 'file_not_found' }])
  expect(await world.send(body, bytes)).toEqual([403])
})
