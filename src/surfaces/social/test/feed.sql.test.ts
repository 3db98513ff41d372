/** A feed is right at the commit of what changes it, with every worker stopped; its pages are full to the end. */
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { eventually } from '../../../../test/world.ts'
import { code, openSocialWorld, postIds, type Someone } from './social-world.ts'

const world = await openSocialWorld({ ROLES: 'api' })
const { db } = world.platform.kernel
afterAll(() => world.close())

const State = Type.Object({ state: Type.String() })

/** A feed that is kept, and everything in it. */
async function warm(reader: Someone): Promise<void> {
  await reader.feed()
  // Another test may be building it: then nothing is left to claim here.
  await eventually('the feed is kept', async () => {
    await world.settle()
    const { state } = await db.one(
      State,
      sql`select state from social.feed_state where user_id = ${reader.id}`,
    )
    return state === 'warm'
  })
}

/** Posts without requests: their times are what the test says. */
async function posted(author: Someone, count: number, at_us: (n: number) => number) {
  const rows = Array.from({ length: count }, (_, n) => ({ id: newId(), at: at_us(n) }))
  await db.run(sql`
    insert into social.posts (tenant_id, id, author_id, visibility, created_at, rank_or_time, fanout_state, due_at)
    select ${author.tenant.id}, r.id, ${author.id}, 'public',
      timestamptz 'epoch' + r.at * interval '1 microsecond', r.at, 'pending', kernel.now()
    from ${sql.table(rows, { id: 'uuid', at: 'int8' })} r`)
  return rows.map(row => row.id)
}

const long_ago_us = 1_700_000_000_000_000

describe.concurrent('a feed', () => {
  test('has a post at its commit, while nothing is pushed; and the own posts', async () => {
    const [ada, ben] = (await world.people(2)) as [Someone, Someone]
    await ben.follow(ada)
    const first = await ada.post('first')
    // Cold, building and warm feeds have the same answer.
    expect(await ben.feed()).toEqual([first])
    const second = await ada.post('second')
    expect(await ben.feed()).toEqual([second, first])
    await warm(ben)
    const third = await ada.post('third')
    const own = await ben.post('own')
    expect(await ben.feed()).toEqual([own, third, second, first])
    const { data } = await ben.does('GET', '/v1/feed')
    expect(data.map((item: { reason: unknown }) => item.reason)).toEqual([
      { kind: 'self' },
      ...Array.from({ length: 3 }, () => ({ kind: 'following' })),
    ])
    expect(data[1]).toMatchObject({
      post_id: third,
      source_author_id: ada.id,
      post: { body: 'third', author: { id: ada.id }, viewer: { following_author: true } },
    })
    await world.settle()
    expect(await ben.feed()).toEqual([own, third, second, first])
  })

  test('is never cached as public', async () => {
    const [ada] = (await world.people(1)) as [Someone]
    const { headers } = await ada.ask('GET', '/v1/feed')
    expect(headers.get('cache-control')).toBe('private, no-store')
  })

  test('has the earlier posts of a new follow at once, and none after an unfollow, also when it is warm', async () => {
    const [ada, ben] = (await world.people(2)) as [Someone, Someone]
    const earlier = await ada.post('earlier')
    await warm(ben)
    expect(await ben.feed()).toEqual([])
    await ben.follow(ada)
    expect(await ben.feed()).toEqual([earlier])
    await world.settle()
    expect(await ben.feed()).toEqual([earlier])
    await ben.unfollow(ada)
    expect(await ben.feed()).toEqual([])
    await ben.follow(ada)
    expect(await ben.feed()).toEqual([earlier])
  })

  test('loses what a block, a mute, a deletion, privacy or visibility hides, at the next read', async () => {
    const [ada, ben] = (await world.people(2)) as [Someone, Someone]
    await ben.follow(ada)
    const id = await ada.post('x')
    await warm(ben)
    const shows = async (wanted: boolean) => expect(await ben.feed()).toEqual(wanted ? [id] : [])
    await shows(true)
    await ben.does('PUT', `/v1/users/me/mutes/${ada.id}`)
    await shows(false)
    await ben.does('DELETE', `/v1/users/me/mutes/${ada.id}`)
    await shows(true)
    await ada.does('PATCH', `/v1/posts/${id}`, { visibility: 'private' })
    await shows(false)
    await ada.does('PATCH', `/v1/posts/${id}`, { visibility: 'followers' })
    await shows(true)
    await ada.does('PATCH', '/v1/users/me', { privacy_state: 'private' })
    await shows(true)
    await ada.block(ben)
    await shows(false)
    await ada.does('DELETE', `/v1/users/me/blocks/${ben.id}`)
    await shows(false)
    expect(await ben.follow(ada)).toBe('pending')
    await shows(false)
    await ada.does('POST', `/v1/users/me/follow-requests/${ben.id}/accept`)
    await shows(true)
    await ada.does('DELETE', `/v1/posts/${id}`)
    await shows(false)
  })

  test('fills its page although the newest two hundred posts are hidden', async () => {
    const [ada, mute, ben] = (await world.people(3)) as [Someone, Someone, Someone]
    await ben.follow(ada)
    await ben.follow(mute)
    await mute.post('makes the row')
    const shown = await posted(ada, 30, n => long_ago_us + n)
    await posted(mute, 200, n => long_ago_us + 1000 + n)
    await ben.does('PUT', `/v1/users/me/mutes/${mute.id}`)
    const expected = shown.toReversed()
    for (const state of ['pull', 'push']) {
      const { data, has_more, next_cursor } = await ben.does('GET', '/v1/feed')
      expect([state, data.map(postIds)]).toEqual([state, expected.slice(0, 20)])
      expect([has_more, typeof next_cursor]).toEqual([true, 'string'])
      expect(await ben.walk('/v1/feed', 7, postIds)).toEqual(expected)
      await warm(ben)
    }
  })

  test('orders posts of one microsecond by id, and skips none at the edge of a page', async () => {
    const [ada, ben] = (await world.people(2)) as [Someone, Someone]
    await ben.follow(ada)
    await ada.does('GET', '/v1/users/me')
    const ids = await posted(ada, 50, () => long_ago_us)
    const expected = ids.toSorted().toReversed()
    expect(await ben.walk('/v1/feed', 7, postIds)).toEqual(expected)
    await warm(ben)
    expect(await ben.walk('/v1/feed', 7, postIds)).toEqual(expected)
    expect(await ben.walk(`/v1/users/${ada.id}/posts`, 7, item => item.id)).toEqual(expected)
  })

  test('a walk sees each post that stays exactly once, while others come and go', async () => {
    const [ada, ben] = (await world.people(2)) as [Someone, Someone]
    await ben.follow(ada)
    await ada.does('GET', '/v1/users/me')
    const ids = await posted(ada, 60, n => long_ago_us + n)
    await warm(ben)
    const doomed = ids.filter((_, n) => n % 5 === 0)
    const found: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const query: string = cursor ? `&cursor=${cursor}` : ''
      const page = await ben.does('GET', `/v1/feed?limit=9${query}`)
      found.push(...page.data.map(postIds))
      cursor = page.next_cursor
      await ada.post('meanwhile')
      const gone = doomed.pop()
      if (gone) await ada.does('DELETE', `/v1/posts/${gone}`)
      await world.settle()
    }
    expect(new Set(found).size).toBe(found.length)
    const stable = ids.filter((_, n) => n % 5 !== 0)
    expect(found.filter(id => stable.includes(id))).toEqual(stable.toReversed())
  })

  test('a cursor opens only the feed of its reader, and nothing if a byte of it is changed', async () => {
    const [ada, ben] = (await world.people(2)) as [Someone, Someone]
    for (let n = 0; n < 3; n++) await ada.post(`${n}`)
    const { next_cursor } = await ada.does('GET', '/v1/feed?limit=1')
    const refused = [400, 'invalid_cursor']
    expect(code(await ben.ask('GET', `/v1/feed?cursor=${next_cursor}`))).toEqual(refused)
    const bytes = Buffer.from(next_cursor, 'base64url')
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed.writeUInt8((changed.readUInt8(at) ^ 1) & 0xff, at)
      const cursor = changed.toString('base64url')
      expect(code(await ada.ask('GET', `/v1/feed?cursor=${cursor}`))).toEqual(refused)
    }
    expect((await ada.ask('GET', `/v1/feed?cursor=${next_cursor}`)).status).toBe(200)
  })
})
