/** Who sees which uploads that are not complete. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Member } from '../../../../../test/product-world.ts'
import { openUploadWorld, type UploadWorld } from '../../test/upload-world.ts'

let world: UploadWorld
beforeAll(async () => {
  world = await openUploadWorld()
})
afterAll(() => world.close())

const idOf = ({ id }: { readonly id: string }) => id

test('an upload is listed until it is complete: to its owner, and to those who may see all', async () => {
  const who = await world.member()
  const [neighbour, support] = [await world.member(who.tenant), await world.member(who.tenant)]
  await world.give(support, 'support_viewer')
  const bytes = randomBytes(100)
  const ids: string[] = []
  for (let at = 0; at < 3; at++) ids.unshift((await world.begin(who, bytes)).body.id)
  await world.store(who, bytes)
  const list = (by: Member, query = '') =>
    world.call('GET', `/v1/uploads?${query}`, { token: by.token })
  const first = (await list(who, 'limit=2')).body
  expect(first.data.map(idOf)).toEqual(ids.slice(0, 2))
  expect(first.data[0]).toMatchObject({ owner_id: who.id, state: 'initiated', part_count: 1 })
  const rest = (await list(who, `cursor=${first.next_cursor}`)).body
  expect([rest.data.map(idOf), rest.has_more]).toEqual([ids.slice(2), false])
  expect((await list(neighbour)).body.data).toEqual([])
  const refused = await list(neighbour, 'scope=tenant')
  expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied'])
  expect((await list(support, 'scope=tenant')).body.data.map(idOf)).toEqual(ids)
  const stranger = await world.member()
  await world.give(stranger, 'support_viewer')
  expect((await list(stranger, 'scope=tenant')).body.data).toEqual([])
})
