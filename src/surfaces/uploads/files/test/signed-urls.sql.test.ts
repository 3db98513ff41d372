/** What a signed URL gives, and to whom: the end of a tenant, and what readers learn of a file. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Inside } from '../../face.ts'
import { photo } from '../../processing/test/samples.ts'
import { openUploadWorld, type UploadWorld } from '../../test/upload-world.ts'

let world: UploadWorld
const readers = new Set<string>()
beforeAll(async () => {
  world = await openUploadWorld({})
  const face = world.platform.opened['uploads']?.face as Inside
  for (const purpose of ['post_media', 'chat_attachment'] as const) {
    face.plugReaders(purpose, async (_reader, { id }, ids) => {
      return new Set(await Promise.resolve(readers.has(id) ? ids : []))
    })
  }
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

test('readers of a post learn neither name nor checksum of the original', async () => {
  const who = await world.member()
  const reader = await world.member(who.tenant)
  readers.add(reader.id)
  const post = { purpose: 'post_media', media_category: 'image', filename: 'rehab-clinic.jpg' }
  const { file_id, file } = await world.store(who, await photo(60, 40), post)
  expect(file).toMatchObject({ filename: post.filename, checksum: expect.any(String) as string })
  const seen = await world.file(reader, file_id)
  expect(seen.body).toMatchObject({ state: 'available', filename: null, checksum: null })
  const { body } = await world.url(reader, file_id)
  const answer = await world.fetch(body.url)
  const all = [seen.text, body, Object.fromEntries(answer.headers)].map(one => JSON.stringify(one))
  for (const one of all) {
    expect(one).not.toContain('rehab')
    expect(one).not.toContain(String(file.checksum).slice(7))
  }
  expect(answer.headers.get('content-disposition')).toContain('sanitized.webp')
})

test('readers of a chat get an attachment with its name', async () => {
  const who = await world.member()
  const reader = await world.member(who.tenant)
  readers.add(reader.id)
  const order = { purpose: 'chat_attachment', filename: 'route.gpx' }
  const { file_id } = await world.store(who, randomBytes(10), order)
  const { body } = await world.url(reader, file_id)
  expect(body.filename).toBe('route.gpx')
  const answer = await world.fetch(body.url)
  expect(answer.headers.get('content-disposition')).toContain('route.gpx')
})
