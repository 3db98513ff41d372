/** Files on posts: the author's own and available ones; who sees the post downloads them; a bad file leaves it. */
import { createHash } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import type { Inside as Uploads } from '../../uploads/face.ts'
import { openUploadWorld } from '../../uploads/test/upload-world.ts'
import type { Member } from '../../../../test/product-world.ts'
import { newId, sql } from '#dodeca/kernel'
import { actsAs, code, sameRefusal } from './social-world.ts'

const world = await openUploadWorld()
afterAll(() => world.close())

/** A picture of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

async function person(like?: Member) {
  const member = await world.member(like?.tenant)
  return { ...member, ...actsAs(world.base_url, member.token) }
}

async function picture(who: Member, purpose = 'post_media'): Promise<string> {
  const order = { purpose, media_category: 'image', claimed_type: 'image/png' }
  const { state, file_id } = await world.store(who, pixel, order)
  expect(state).toBe('available')
  return file_id
}

test('a file of another person, of another purpose or none: one refusal', async () => {
  const ada = await person()
  const ben = await person(ada)
  const files = [await picture(ben), await picture(ada, 'avatar'), newId()]
  const answers = await Promise.all(
    files.map(object_id => ada.ask('POST', '/v1/posts', { media: [{ object_id }] })),
  )
  for (const answer of answers) expect(code(answer)).toEqual([422, 'media_not_available'])
  expect(new Set(answers.map(sameRefusal)).size).toBe(1)
  const object_id = await picture(ada)
  const twice = await ada.ask('POST', '/v1/posts', { media: [{ object_id }, { object_id }] })
  expect(code(twice)).toEqual([422, 'validation_failed'])
})

test('who sees the post downloads its file; a file that is deleted leaves the post', async () => {
  const ada = await person()
  const ben = await person(ada)
  const [first, second] = [await picture(ada), await picture(ada)]
  const media = [
    { object_id: first, position: 1 },
    { object_id: second, position: 0 },
  ]
  const made = await ada.does('POST', '/v1/posts', { media })
  expect(made).toMatchObject({ body: null, body_ref: null, version: 1 })
  expect(made.media).toEqual([
    { object_id: second, position: 0 },
    { object_id: first, position: 1 },
  ])
  const opens = async (id: string) => (await world.url(ben, id)).status
  expect(await opens(first)).toBe(200)
  await ada.does('PATCH', `/v1/posts/${made.id}`, { visibility: 'followers' })
  expect(await opens(first)).toBe(404)
  await ben.follow(ada)
  expect(await opens(first)).toBe(200)
  await ada.does('DELETE', `/v1/files/${first}`)
  const left = await eventually('the file has left the post', async () => {
    const post = await ben.does('GET', `/v1/posts/${made.id}`)
    return post.media.length === 1 && post
  })
  expect(left).toMatchObject({ version: 3, media: [{ object_id: second }] })
  await ada.block(ben)
  expect(await opens(second)).toBe(404)
})

test('a posted file that is quarantined leaves the post, and its version rises', async () => {
  const ada = await person()
  const ben = await person(ada)
  const bytes = Buffer.concat([pixel, Buffer.from(newId())])
  const order = { purpose: 'post_media', media_category: 'image', claimed_type: 'image/png' }
  const { file_id, state } = await world.store(ada, bytes, order)
  expect(state).toBe('available')
  const { id } = await ada.does('POST', '/v1/posts', { body: 'x', media: [{ object_id: file_id }] })
  const uploads = world.platform.opened['uploads']?.face as Uploads
  const hash = createHash('sha256').update(bytes).digest()
  await uploads.operator.blockHash(hash, { actor: 'test', reason: 'harmful' })
  const post = await eventually('the file has left the post', async () => {
    const { body } = await ben.ask('GET', `/v1/posts/${id}`)
    return body.media.length === 0 && body
  })
  expect(post.version).toBe(2)
  expect((await world.url(ben, file_id)).status).toBe(404)
})

test('an avatar is shown to all but those whom its owner blocks', async () => {
  const ada = await person()
  const ben = await person(ada)
  const avatar_file_id = await picture(ada, 'avatar')
  await ada.does('PATCH', '/v1/users/me', { avatar_file_id })
  expect((await ben.does('GET', `/v1/users/${ada.id}`)).avatar_file_id).toBe(avatar_file_id)
  expect((await world.url(ben, avatar_file_id)).status).toBe(200)
  await ada.block(ben)
  expect((await world.url(ben, avatar_file_id)).status).toBe(404)
})

test('lists of blocks and mutes have no profile of a person who blocks the reader or is suspended', async () => {
  const ada = await person()
  const ben = await person(ada)
  const avatar_file_id = await picture(ada, 'avatar')
  const profile = { handle: 'ada', display_name: 'Ada', avatar_file_id }
  await ada.does('PATCH', '/v1/users/me', profile)
  const lists = ['mutes', 'blocks'].map(list => `/v1/users/me/${list}`)
  const listed = () =>
    Promise.all(lists.map(async path => (await ben.does('GET', path)).data[0].user))
  const shown = { id: ada.id, ...profile }
  const hidden = {
    id: ada.id,
    handle: `user_${ada.id.slice(-12)}`,
    display_name: '',
    avatar_file_id: null,
  }
  await ada.block(ben)
  for (const path of lists) await ben.does('PUT', `${path}/${ada.id}`)
  expect(await listed()).toEqual([hidden, hidden])
  await ada.does('DELETE', `/v1/users/me/blocks/${ben.id}`)
  expect(await listed()).toEqual([shown, shown])
  await world.platform.kernel.db.run(sql`
    update social.users set moderation_state = 'suspended'
    where tenant_id = ${ada.tenant.id} and id = ${ada.id}`)
  expect(await listed()).toEqual([hidden, hidden])
})
