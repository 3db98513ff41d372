/** Follows, requests, blocks and mutes: what they allow, and that no race leaves a follow across a block. */
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { code, openSocialWorld, type Someone } from './social-world.ts'

const world = await openSocialWorld({
  ROLES: 'api',
  SOCIAL_FOLLOW_REQUESTS: '2',
  SOCIAL_FOLLOWS: '3',
  SOCIAL_BLOCKS: '3',
})
afterAll(() => world.close())

const ids = (list: readonly { user: { id: string } }[]) => list.map(one => one.user.id)

describe.concurrent('follows', () => {
  test('are made once, with the same time on repeats, and end once', async () => {
    const [ada, ben] = (await world.people(2)) as [Someone, Someone]
    const path = `/v1/users/${ben.id}/following/${ada.id}`
    const first = await ben.does('PUT', path)
    expect(first).toMatchObject({ follower_id: ben.id, followed_id: ada.id, state: 'active' })
    expect(await ben.does('PUT', path)).toEqual(first)
    expect(ids((await ada.does('GET', '/v1/users/me/followers')).data)).toEqual([ben.id])
    expect(ids((await ada.does('GET', `/v1/users/${ben.id}/following`)).data)).toEqual([ada.id])
    for (let n = 0; n < 2; n++) expect((await ben.ask('DELETE', path)).status).toBe(204)
    expect((await ada.does('GET', '/v1/users/me/followers')).data).toEqual([])
    const { data } = await ada
      .does('GET', `/v1/users/${ben.id}`)
      .then(profile => ({ data: profile }))
    expect(data.viewer).toEqual({
      following: 'none',
      followed_by: false,
      blocking: false,
      muting: false,
    })
  })

  test('are for oneself only, not of oneself, and not of strangers', async () => {
    const [ada, ben] = (await world.people(2)) as [Someone, Someone]
    const stranger = await world.someone()
    const follow = (who: string, whom: string) =>
      ada.ask('PUT', `/v1/users/${who}/following/${whom}`)
    expect(code(await follow(ben.id, ada.id))).toEqual([403, 'permission_denied'])
    expect(code(await follow('me', ada.id))).toEqual([422, 'cannot_follow_self'])
    expect(code(await follow('me', stranger.id))).toEqual([404, 'user_not_found'])
    expect(code(await follow('me', newId()))).toEqual([404, 'user_not_found'])
  })

  test('of a private account wait for an answer; when it goes public all that wait are active', async () => {
    const [ada, ben, cyd, dan] = (await world.people(4)) as [Someone, Someone, Someone, Someone]
    await ada.does('PATCH', '/v1/users/me', { privacy_state: 'private' })
    for (const one of [ben, cyd, dan]) expect(await one.follow(ada)).toBe('pending')
    expect(code(await ben.ask('GET', `/v1/users/${ada.id}/posts`))).toEqual([
      403,
      'account_private',
    ])
    expect(code(await ben.ask('GET', `/v1/users/${ada.id}/followers`))).toEqual([
      403,
      'account_private',
    ])
    const requests = await ada.does('GET', '/v1/users/me/follow-requests')
    expect(ids(requests.data)).toEqual([dan.id, cyd.id, ben.id])
    const one = `/v1/users/me/follow-requests/${ben.id}`
    expect(await ada.does('POST', `${one}/accept`)).toMatchObject({ state: 'active' })
    expect(code(await ada.ask('POST', `${one}/accept`))).toEqual([404, 'follow_request_not_found'])
    await ada.does('POST', `/v1/users/me/follow-requests/${cyd.id}/reject`)
    expect((await ben.does('GET', `/v1/users/${ada.id}/posts`)).data).toEqual([])
    await ada.does('PATCH', '/v1/users/me', { privacy_state: 'public' })
    // A repeated PUT turns one's own request active, without waiting for the queue.
    expect(await dan.follow(ada)).toBe('active')
    expect(await cyd.follow(ada)).toBe('active')
    await ada.does('PATCH', '/v1/users/me', { privacy_state: 'private' })
    const eve = await world.someone(ada.tenant)
    expect(await eve.follow(ada)).toBe('pending')
    await ada.does('PATCH', '/v1/users/me', { privacy_state: 'public' })
    await world.settle()
    expect(ids((await ada.does('GET', '/v1/users/me/followers')).data)).toEqual([
      eve.id,
      cyd.id,
      dan.id,
      ben.id,
    ])
  })

  test('that wait are active also if the account goes public while an earlier opening runs', async () => {
    const [ada, ben] = (await world.people(2)) as [Someone, Someone]
    await ada.does('PATCH', '/v1/users/me', { privacy_state: 'private' })
    expect(await ben.follow(ada)).toBe('pending')
    await world.tx(tx =>
      tx.run(sql`
        update social.users set due_at = kernel.now(), lease_token = ${newId()}, attempts = 1,
          leased_until = now() + interval '60 seconds'
        where id = ${ada.id}`),
    )
    await ada.does('PATCH', '/v1/users/me', { privacy_state: 'public' })
    await world.settle()
    const { viewer } = await ben.does('GET', `/v1/users/${ada.id}`)
    expect(viewer.following).toBe('active')
  })

  test('have limits, of active ones and of requests', async () => {
    const all = await world.people(6)
    const [ben, ...others] = all as [Someone, ...Someone[]]
    for (const other of others.slice(0, 3))
      await other.does('PATCH', '/v1/users/me', { privacy_state: 'private' })
    const follow = async (at: number) =>
      code(await ben.ask('PUT', `/v1/users/me/following/${others[at]?.id}`))
    expect(await follow(0)).toEqual([200, undefined])
    expect(await follow(1)).toEqual([200, undefined])
    expect(await follow(2)).toEqual([429, 'follow_limit_reached'])
    expect(await follow(0)).toEqual([200, undefined])
    expect(await follow(3)).toEqual([200, undefined])
  })

  test('can be ended by the followed', async () => {
    const [ada, ben] = (await world.people(2)) as [Someone, Someone]
    await ben.follow(ada)
    await ada.does('DELETE', `/v1/users/me/followers/${ben.id}`)
    expect((await ben.does('GET', `/v1/users/${ada.id}`)).viewer.following).toBe('none')
  })
})

describe.concurrent('a block', () => {
  test('ends follows in both directions, is not shown to the blocked, and is undone', async () => {
    const [ada, ben] = (await world.people(2)) as [Someone, Someone]
    await ada.follow(ben)
    await ben.follow(ada)
    const post = await ada.post('x')
    const made = await ada.does('PUT', `/v1/users/me/blocks/${ben.id}`)
    expect(await ada.does('PUT', `/v1/users/me/blocks/${ben.id}`)).toEqual(made)
    expect(ids((await ada.does('GET', '/v1/users/me/blocks')).data)).toEqual([ben.id])
    for (const who of [ada, ben]) {
      expect((await who.does('GET', '/v1/users/me/following')).data).toEqual([])
    }
    expect(code(await ben.ask('GET', `/v1/users/${ada.id}`))).toEqual([404, 'user_not_found'])
    expect(code(await ben.ask('PUT', `/v1/users/me/following/${ada.id}`))).toEqual([
      404,
      'user_not_found',
    ])
    expect(code(await ben.ask('GET', `/v1/posts/${post}`))).toEqual([404, 'post_not_found'])
    expect(code(await ada.ask('PUT', `/v1/users/me/following/${ben.id}`))).toEqual([
      409,
      'blocked_by_you',
    ])
    expect((await ada.does('GET', `/v1/users/${ben.id}`)).viewer.blocking).toBe(true)
    await ada.does('DELETE', `/v1/users/me/blocks/${ben.id}`)
    expect(await ben.follow(ada)).toBe('active')
  })

  test('filters by the pair of the viewer only: own posts, comments and likes of others stay', async () => {
    const [ada, ben, cyd] = (await world.people(3)) as [Someone, Someone, Someone]
    const post = await cyd.post('x')
    for (const who of [ada, ben]) {
      await who.does('POST', `/v1/posts/${post}/comments`, { body: `of ${who.id}` })
      await who.does('PUT', `/v1/posts/${post}/likes/me`)
    }
    await ada.block(ben)
    const seen = async (who: Someone) => {
      const comments = await who.does('GET', `/v1/posts/${post}/comments`)
      const likes = await who.does('GET', `/v1/posts/${post}/likes`)
      return [comments, likes].map(list => list.data.length as number)
    }
    expect(await seen(cyd)).toEqual([2, 2])
    expect(await seen(ada)).toEqual([1, 1])
    expect(await seen(ben)).toEqual([1, 1])
    const answers = await world.tx(tx =>
      world.social.blockedPairs(tx, ada.tenant.id, [
        [ada.id, ben.id],
        [ada.id, cyd.id],
        [ben.id, ada.id],
      ]),
    )
    expect(answers).toEqual([true, false, true])
  })

  test.each(['blocks', 'mutes'])(
    'and the limit of %s: a repeated one needs no room',
    async kind => {
      const [ben, ...others] = (await world.people(5)) as [Someone, ...Someone[]]
      const body = kind === 'mutes' ? {} : undefined
      const put = async (id = '') => code(await ben.ask('PUT', `/v1/users/me/${kind}/${id}`, body))
      expect(await put(ben.id)).toEqual([422, 'cannot_block_self'])
      for (const { id } of others.slice(0, 3)) expect(await put(id)).toEqual([200, undefined])
      expect(await put(others[3]?.id)).toEqual([429, 'quota_exceeded'])
      expect(await put(others[2]?.id)).toEqual([200, undefined])
    },
  )

  test('and a follow at once: never both, in five hundred races', async () => {
    const people = await world.people(8)
    const { tenant } = people[0] as Someone
    for (let round = 0; round < 63; round++) {
      await Promise.all(
        people.map(async (one, at) => {
          const other = people[(at + 1 + (round % 7)) % people.length] as Someone
          const [f, b] = [`/v1/users/me/following/${other.id}`, `/v1/users/me/blocks/${one.id}`]
          await Promise.all([one.ask('PUT', f), other.ask('PUT', b)])
          if (round % 2 === 0) await other.ask('DELETE', b)
        }),
      )
    }
    expect(tenant.id).toBeTruthy()
    const checks = world.platform.opened['social']?.checks ?? []
    const blocks = checks.find(check => check.name === 'social.blocks')
    expect(await blocks?.run()).toEqual([])
  })
})

test('simultaneous follows keep the limit', async () => {
  const [ada, ...others] = (await world.people(9)) as [Someone, ...Someone[]]
  const made = await Promise.all(
    others.map(({ id }) => ada.ask('PUT', `/v1/users/me/following/${id}`)),
  )
  expect(made.filter(one => one.status === 200)).toHaveLength(3)
  expect(new Set(made.filter(one => one.status !== 200).map(one => one.body.code))).toEqual(
    new Set(['follow_limit_reached']),
  )
})

test('a request that is accepted while its sender repeats it becomes one follow', async () => {
  const [ada, ben] = (await world.people(2)) as [Someone, Someone]
  const { db } = world.platform.kernel
  await ada.does('PATCH', '/v1/users/me', { privacy_state: 'private' })
  expect(await ben.follow(ada)).toBe('pending')
  await db.run(sql`
    update social.users set privacy_state = 'public'
    where tenant_id = ${ada.tenant.id} and id = ${ada.id}`)
  const { again } = await db.tx(async tx => {
    await tx.run(sql`
      update social.follows set state = 'active'
      where tenant_id = ${ada.tenant.id} and follower_id = ${ben.id}`)
    const again = ben.follow(ada)
    const waits = sql`
      select 1 from pg_stat_activity
      where wait_event_type = 'Lock' and query like '%insert into social.follows%'`
    await eventually('it waits for the row', async () => (await db.run(waits)) > 0)
    return { again }
  })
  expect(await again).toBe('active')
  // The other transaction counts it.
  const { counted } = await db.one(
    Type.Object({ counted: Type.Integer() }),
    sql`
      select (select count(*) from social.counter_deltas
          where tenant_id = ${ada.tenant.id} and kind = 'followers')::int
        + (select count(*) from social.counter_projections
          where tenant_id = ${ada.tenant.id} and kind = 'followers')::int as counted`,
  )
  expect(counted).toBe(0)
})

test('a mute ends by itself, and is known to its owner only', async () => {
  const [ada, ben] = (await world.people(2)) as [Someone, Someone]
  await ben.follow(ada)
  const post = await ada.post('x')
  const path = `/v1/users/me/mutes/${ada.id}`
  const past = new Date(Date.now() - 60_000).toISOString()
  const soon = new Date(Date.now() + 60_000).toISOString()
  expect(await ben.does('PUT', path, { expires_at: soon })).toMatchObject({ expires_at: soon })
  expect(await ben.feed()).toEqual([])
  expect(ids((await ben.does('GET', '/v1/users/me/mutes')).data)).toEqual([ada.id])
  expect((await ada.does('GET', `/v1/users/${ben.id}`)).viewer.muting).toBe(false)
  await ben.does('PUT', path, { expires_at: past })
  expect(await ben.feed()).toEqual([post])
  expect((await ben.does('GET', '/v1/users/me/mutes')).data).toEqual([])
})

test('a profile shows what it was given, with a version; handles are unique', async () => {
  const [ada, ben] = (await world.people(2)) as [Someone, Someone]
  const before = await ada.ask('GET', '/v1/users/me')
  const etag = before.headers.get('etag') ?? ''
  const given = { handle: 'ada.lovelace', display_name: 'Ada', bio: 'Engines.\nPoems.' }
  const changed = await ada.ask('PATCH', `/v1/users/${ada.id}`, given, { 'if-match': etag })
  expect([changed.status, changed.body]).toMatchObject([200, { ...given, profile_version: 2 }])
  const same = await ada.ask('PATCH', '/v1/users/me', given)
  expect([same.status, same.body.profile_version]).toEqual([200, 2])
  const stale = await ada.ask('PATCH', '/v1/users/me', { bio: 'x' }, { 'if-match': etag })
  expect(code(stale)).toEqual([412, 'precondition_failed'])
  expect(await ben.does('GET', `/v1/users/${ada.id}`)).toMatchObject(given)
  const take = async (handle: string) => code(await ben.ask('PATCH', '/v1/users/me', { handle }))
  expect(await take('ada.lovelace')).toEqual([409, 'handle_taken'])
  const found = await ben.does('GET', '/v1/handles/@Ada.Lovelace')
  expect(found).toMatchObject({ id: ada.id, handle: 'ada.lovelace' })
  expect(code(await ben.ask('GET', '/v1/handles/nobody.here'))).toEqual([404, 'user_not_found'])
  // The handle that another person will begin with.
  expect(await take(`user_${newId().slice(-12)}`)).toEqual([409, 'handle_taken'])
  expect(code(await ben.ask('PATCH', `/v1/users/${ada.id}`, { bio: 'x' }))).toEqual([
    403,
    'permission_denied',
  ])
  const avatar = await ben.ask('PATCH', '/v1/users/me', { avatar_file_id: newId() })
  expect(code(avatar)).toEqual([422, 'media_not_available'])
})
