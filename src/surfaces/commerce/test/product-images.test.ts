/** Images of products: they are shown while their file is available, and a product has each of them once. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { eventually } from '../../../../test/world.ts'
import { newId } from '#dodeca/kernel'
import type { Inside as Uploads } from '../../uploads/face.ts'
import { openUploadWorld, type UploadWorld } from '../../uploads/test/upload-world.ts'

let world: UploadWorld
let manager: Member
beforeAll(async () => {
  world = await openUploadWorld()
  manager = await world.member()
  await world.allow(manager, 'commerce.products.write', 'uploads.uploads.create:product_media')
})
afterAll(() => world.close())

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const ask = (method: string, path: string, body?: object) =>
  world.call(method, path, { token: manager.token, ...(body ? { body } : {}) })

/** A picture whose bytes no other file has. */
async function picture() {
  const bytes = Buffer.concat([pixel, Buffer.from(newId())])
  const order = { purpose: 'product_media', media_category: 'image', claimed_type: 'image/png' }
  const { file_id, state } = await world.store(manager, bytes, order)
  expect(state).toBe('available')
  return { file_id, hash: createHash('sha256').update(bytes).digest() }
}

const create = (images: readonly string[]) =>
  ask('POST', '/v1/products', {
    handle: newId(),
    title: 'A thing',
    state: 'active',
    images,
    variants: [{ sku: `SKU-${newId()}` }],
  })

type Image = { readonly file_id: string; readonly url: string }
const idsOf = (images: readonly Image[]) => images.map(one => one.file_id)

async function shows(product_id: string, file_ids: readonly string[]) {
  return await eventually('the product shows what is left', async () => {
    const { body } = await ask('GET', `/v1/products/${product_id}`)
    return body.images.length === file_ids.length && body
  })
}

async function inList(product_id: string): Promise<Image | null> {
  const { body } = await ask('GET', '/v1/products')
  return body.data.find((one: { id: string }) => one.id === product_id).image
}

test('an image whose file is deleted leaves its products, and their versions increase', async () => {
  const [first, second] = [await picture(), await picture()]
  const { body: made } = await create([first.file_id, second.file_id])
  const { body: other } = await create([first.file_id])
  expect((await world.fetch(made.images[0].url)).status).toBe(200)
  expect((await ask('DELETE', `/v1/files/${first.file_id}`)).status).toBe(204)
  const left = await shows(made.id, [second.file_id])
  expect(left.version).toBe(made.version + 1)
  expect(idsOf(left.images)).toEqual([second.file_id])
  expect((await world.fetch(left.images[0].url)).status).toBe(200)
  expect((await inList(made.id))?.file_id).toBe(second.file_id)
  await shows(other.id, [])
  expect(await inList(other.id)).toBeNull()
})

test('an image whose file is quarantined leaves its product, and does not come back', async () => {
  const { file_id, hash } = await picture()
  const { body: made } = await create([file_id])
  const uploads = world.platform.opened['uploads']?.face as Uploads
  await uploads.operator.blockHash(hash, { actor: 'test', reason: 'harmful' })
  await shows(made.id, [])
  expect(await inList(made.id)).toBeNull()
  const path = `/v1/products/${made.id}`
  const again = await ask('PATCH', path, { images: [file_id] })
  expect([again.status, again.body.code]).toEqual([422, 'image_not_available'])
  expect((await create([file_id])).body.code).toBe('image_not_available')
})

test('a product has an image once, in whatever letters its id is written', async () => {
  const { file_id } = await picture()
  const large = file_id.toUpperCase()
  const { body: made } = await create([large])
  expect(idsOf(made.images)).toEqual([file_id])
  const path = `/v1/products/${made.id}`
  for (const images of [
    [file_id, file_id],
    [file_id, large],
  ]) {
    for (const answer of [await create(images), await ask('PATCH', path, { images })]) {
      expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
      expect(answer.body.errors).toMatchObject([{ pointer: '/images' }])
    }
  }
  const kept = await ask('PATCH', path, { images: [large] })
  expect([kept.status, idsOf(kept.body.images)]).toEqual([200, [file_id]])
})

test('a file of a variant is seen by those who write products, and leaves it when it is deleted', async () => {
  const stored = async (who: Member) => (await world.store(who, Buffer.from(newId()))).file_id
  const [book, other] = [await stored(manager), await stored(manager)]
  const sku = `SKU-${newId()}`
  const variants = [{ sku, file_ids: [book, other] }]
  const product = { handle: newId(), title: 'A book', state: 'active', variants }
  const { body: made } = await ask('POST', '/v1/products', product)
  expect(made.variants[0].file_ids).toEqual([book, other])
  const buyer = await world.member(manager.tenant)
  const path = `/v1/products/${made.id}`
  const seen = await world.call('GET', path, { token: buyer.token })
  expect([seen.status, seen.body.variants[0].file_ids]).toEqual([200, undefined])
  const foreign = await stored(buyer)
  const taken = await ask('PATCH', path, { variants: [{ sku, file_ids: [book, foreign] }] })
  expect([taken.status, taken.body.code]).toEqual([422, 'variant_file_not_available'])
  expect((await ask('DELETE', `/v1/files/${book}`)).status).toBe(204)
  const left = await eventually('the variant has the other file', async () => {
    const { body } = await ask('GET', path)
    return body.variants[0].file_ids.length === 1 && body
  })
  expect([left.variants[0].file_ids, left.version]).toEqual([[other], made.version + 1])
})
