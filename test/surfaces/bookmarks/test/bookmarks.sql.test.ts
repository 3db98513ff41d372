/** Bookmarks over HTTP: keys, versions, owners, the limit, time, export and erasure. */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { count } from '../../../../src/kernel/events/test/process.ts'
import { retain } from '../../../../src/kernel/work/retention.ts'
import { eventually, newKey, openWorld, type Person, type World } from '../../../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ BOOKMARKS_BOOKMARKS_MOST: '5' })
})
afterAll(() => world.close())

const list = '/v1/bookmarks'
const example = { url: 'https://www.example.com/', title: 'Example', tags: ['a'] }
const at = (id: string) => `${list}/${id}`
const create = ({ token }: Person, body: object = example, key = newKey()) =>
  world.call('POST', list, { token, key, body })
const read = ({ token }: Person, id: string) => world.call('GET', at(id), { token })
const change = ({ token }: Person, id: string, body: object, version?: number) =>
  world.call('PATCH', at(id), {
    token,
    body,
    headers: version ? { 'if-match': `"${version}"` } : {},
  })
const remove = ({ token }: Person, id: string, headers = {}) =>
  world.call('DELETE', at(id), { token, headers })
const db = () => world.platform.kernel.db
const rows = (id: string) => count(db(), sql`from bookmarks.bookmarks where id = ${id}`)

test('a repeated key creates one bookmark', async () => {
  const who = world.person()
  const key = newKey()
  const [first, again] = [await create(who, example, key), await create(who, example, key)]
  expect([first.status, again.status]).toEqual([201, 201])
  expect(again.body).toEqual(first.body)
  expect(first.body).toMatchObject({ ...example, stale: false, version: 1 })
  expect(first.headers.get('location')).toBe(at(first.body.id))
  expect((await world.call('GET', list, { token: who.token })).body.data).toHaveLength(1)
})

test('an address that is not of the web is refused', async () => {
  const { status, body } = await create(world.person(), { url: 'javascript:alert(1)', title: 'x' })
  expect([status, body.code]).toEqual([422, 'validation_failed'])
})

test('10 at once: as many as the limit allows, and one more after a deletion', async () => {
  const who = world.person()
  const answers = await Promise.all(Array.from({ length: 10 }, () => create(who)))
  const created = answers.filter(one => one.status === 201)
  expect(created).toHaveLength(5)
  await remove(who, created[0]?.body.id)
  expect((await create(who)).status).toBe(201)
})

test('of two changes of one version one wins, and a change keeps what it does not name', async () => {
  const who = world.person()
  const { id } = (await create(who)).body
  const both = await Promise.all([
    change(who, id, { title: 'A' }, 1),
    change(who, id, { title: 'B' }, 1),
  ])
  expect(both.map(one => one.status).toSorted((a, b) => a - b)).toEqual([200, 412])
  const won = both.find(one => one.status === 200)
  expect(won?.body).toMatchObject({ url: example.url, tags: ['a'], version: 2 })
  expect(won?.headers.get('etag')).toBe('"2"')
})

test('a deletion checks If-Match and can be repeated', async () => {
  const who = world.person()
  const { id } = (await create(who)).body
  expect((await remove(who, id, { 'if-match': '"7"' })).status).toBe(412)
  expect((await remove(who, id, { 'if-match': '"1"' })).status).toBe(204)
  expect((await remove(who, id, { 'if-match': '"1"' })).status).toBe(204)
  expect([(await read(who, id)).status, (await change(who, id, {})).status]).toEqual([404, 404])
})

test('another person gets the same refusals as for a missing bookmark', async () => {
  const who = world.person()
  const other = world.person(who.principal.tenant_id)
  const { id } = (await create(who)).body
  const answers = [await read(other, id), await change(other, id, {}), await remove(other, id)]
  expect(answers.map(one => one.body.code)).toEqual(Array(3).fill('bookmark_not_found'))
  expect((await world.call('GET', list, { token: other.token })).body.data).toEqual([])
})

test('a person with the permission sees the bookmarks of another, and changes none', async () => {
  const who = world.person()
  const other = world.person(who.principal.tenant_id)
  const { id } = (await create(who)).body
  const listOf = ({ token }: Person, account_id: string) =>
    world.call('GET', `${list}?account_id=${account_id}`, { token })
  expect((await listOf(who, who.principal.id)).body.data).toMatchObject([{ id }])
  const { status, body } = await listOf(other, who.principal.id)
  expect([status, body.code, body.permission]).toEqual([
    403,
    'permission_denied',
    'bookmarks.bookmarks.read_any',
  ])
  await world.grant(other, 'bookmarks.bookmarks.read_any')
  expect((await listOf(other, who.principal.id)).body.data).toMatchObject([{ id }])
  expect((await world.call('GET', list, { token: other.token })).body.data).toEqual([])
  expect((await read(other, id)).body).toMatchObject({ id, version: 1 })
  expect((await change(other, id, { title: 'Mine' })).status).toBe(404)
  expect((await remove(other, id)).status).toBe(404)
  const stranger = world.person()
  await world.grant(stranger, 'bookmarks.bookmarks.read_any')
  expect((await read(stranger, id)).status).toBe(404)
  expect((await listOf(stranger, who.principal.id)).body.data).toEqual([])
})

test('each change emits its event once, with the owner', async () => {
  const who = world.person()
  const key = newKey()
  const { id } = (await create(who, example, key)).body
  await create(who, example, key)
  await change(who, id, { title: 'B' })
  await remove(who, id)
  await remove(who, id)
  const emitted = await eventually('the events are in the log', async () => {
    const found = await db().many(
      Type.Object({
        type: Type.String(),
        aggregate_version: Type.Integer(),
        payload: Type.Unknown(),
      }),
      sql`
        select type, aggregate_version, payload from kernel.events
        where aggregate_id = ${id} order by aggregate_version`,
    )
    return found.length >= 3 && found
  })
  const payload = { bookmark_id: id, owner_id: who.principal.id }
  expect(emitted).toEqual([
    { type: 'bookmark.created', aggregate_version: 1, payload },
    { type: 'bookmark.changed', aggregate_version: 2, payload },
    { type: 'bookmark.deleted', aggregate_version: 3, payload },
  ])
})

test('a bookmark that is due becomes stale, and a change ends that', async () => {
  const who = world.person()
  const { id } = (await create(who)).body
  const days = await db().run(sql`
    update bookmarks.bookmarks set due_at = kernel.now()
    where id = ${id} and due_at = updated_at + interval '30 days'`)
  expect(days).toBe(1)
  await eventually('it is stale', async () => (await read(who, id)).body.stale)
  expect((await change(who, id, { title: 'B' })).body).toMatchObject({ stale: false, version: 3 })
})

test('a deleted bookmark is removed after its retention', async () => {
  const who = world.person()
  const [kept, deleted] = [(await create(who)).body.id, (await create(who)).body.id]
  await remove(who, deleted)
  const { kernel, opened } = world.platform
  const leftAfter = async (days: number) => {
    await db().run(sql`
      update bookmarks.bookmarks set deleted_at = kernel.now() - make_interval(days => ${days}::int)
      where id = ${deleted}`)
    await retain(kernel, opened['bookmarks']?.retention ?? [], new AbortController().signal)
    return [await rows(kept), await rows(deleted)]
  }
  expect(await leftAfter(29)).toEqual([1, 1])
  expect(await leftAfter(31)).toEqual([1, 0])
})

test('an export has the bookmarks of the person, and an erasure leaves none', async () => {
  const who = world.person()
  const other = world.person(who.principal.tenant_id)
  const { id } = (await create(who)).body
  const { id: foreign } = (await create(other)).body
  const { id: account_id, tenant_id } = who.principal
  const account = { account_id, tenant_id, principal_ids: [account_id] }
  const { personal } = world.platform.kernel
  const exported: unknown[] = []
  for await (const { data } of personal.export(account, new AbortController().signal)) {
    exported.push(data)
  }
  expect(exported).toMatchObject([{ id }])
  await db().tx(tx => personal.erase(tx, account))
  await eventually('the bookmark is erased', async () => (await rows(id)) === 0)
  expect(await rows(foreign)).toBe(1)
})

test('demo bookmarks are created once', async () => {
  const { seed } = world.platform.opened['bookmarks'] ?? {}
  const demo = { id: newId(), slug: 'acme', member: newId(), owner: newId(), accounts: [] }
  expect(await seed?.([demo])).toEqual(['3 bookmarks (acme)'])
  expect(await seed?.([demo])).toEqual([])
})
