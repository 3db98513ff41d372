/** Completions that are corrected and sent again. */
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { openUploadWorld } from '../../test/upload-world.ts'

const world = await openUploadWorld()
afterAll(() => world.close())

const sha256 = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

test('a completion that is refused before anything is verified binds no checksum', async () => {
  const who = await world.member()
  const bytes = randomBytes(100)
  const { body } = await world.call('POST', '/v1/uploads', {
    token: who.token,
    body: { expected_size: 100, media_category: 'any', purpose: 'generic' },
  })
  const wrong = sha256(Buffer.from('other'))
  const early = await world.complete(who, body.id, { checksum: wrong })
  expect([early.status, early.body.code]).toEqual([409, 'upload_parts_mismatch'])
  await world.send(body, bytes)
  const given = await world.complete(who, body.id, { checksum: sha256(bytes) })
  expect(given.status, given.text).toBe(202)
})
