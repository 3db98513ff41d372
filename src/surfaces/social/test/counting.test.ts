/** Counters: exact after a storm of likes, never a row that all wait for, and repaired if they are wrong. */
import fc from 'fast-check'
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { openSocialWorld, type Someone } from './social-world.ts'

const world = await openSocialWorld()
const { db } = world.platform.kernel
afterAll(() => world.close())

const Count = Type.Object({ n: Type.Integer() })

test('a storm of likes and unlikes ends in the exact state, and the counter follows', async () => {
  const people = await world.people(16)
  const author = people[0] as Someone
  const post = await author.post('x')
  const path = `/v1/posts/${post}/likes/me`
  await Promise.all(
    people.map(async (one, at) => {
      for (let n = 0; n < 4; n++) {
        const method = (n + at) % 2 === 0 ? 'PUT' : 'DELETE'
        // Two clients of one person at once.
        await Promise.all([one.ask(method, path), one.ask(method, path)])
      }
    }),
  )
  const { n } = await db.one(
    Count,
    sql`
      select count(*)::int as n from social.likes
      where tenant_id = ${author.tenant.id} and post_id = ${post}`,
  )
  expect(n).toBe(8)
  await eventually('the counter is right', async () => {
    const { counts } = await author.does('GET', `/v1/posts/${post}`)
    return counts.likes === n
  })
})

test('likes and unlikes of one person at the same moment all succeed', async () => {
  const [ada, ben] = (await world.people(2)) as [Someone, Someone]
  const path = `/v1/posts/${await ada.post('x')}/likes/me`
  const seen = new Set<number>()
  for (let round = 0; round < 30; round++) {
    const methods = Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? 'PUT' : 'DELETE'))
    const answers = await Promise.all(methods.map(method => ben.ask(method, path)))
    for (const { status } of answers) seen.add(status)
  }
  expect(seen).toEqual(new Set([200, 204]))
})

test('profiles count followers, followed and posts; comments count', async () => {
  const [ada, ben] = (await world.people(2)) as [Someone, Someone]
  await ben.follow(ada)
  const post = await ada.post('x')
  const comments = `/v1/posts/${post}/comments`
  for (let n = 0; n < 2; n++) await ben.does('POST', comments, { body: 'y' })
  const { data } = await ben.does('GET', comments)
  await ben.does('DELETE', `/v1/comments/${data[0].id}`)
  const counted = await eventually('all is counted', async () => {
    const profile = await ben.does('GET', `/v1/users/${ada.id}`)
    const mine = await ben.does('GET', '/v1/users/me')
    const shown = await ben.does('GET', `/v1/posts/${post}`)
    return (
      JSON.stringify([profile.counts, mine.counts, shown.counts]) ===
      JSON.stringify([
        { followers: 1, following: 0, posts: 1 },
        { followers: 0, following: 1, posts: 0 },
        { likes: 0, comments: 1 },
      ])
    )
  })
  expect(counted).toBe(true)
})

test('a wrong counter is found and repaired, while others are written', async () => {
  const [ada, ben] = (await world.people(2)) as [Someone, Someone]
  const post = await ada.post('x')
  await ada.does('PUT', `/v1/posts/${post}/likes/me`)
  const likes = async () => (await ada.does('GET', `/v1/posts/${post}`)).counts.likes as number
  await eventually('it is counted', async () => (await likes()) === 1)
  await db.run(sql`
    update social.counter_projections set value = 41
    where tenant_id = ${ada.tenant.id} and subject_id = ${post}`)
  const projection = world.platform.opened['social']?.projections?.find(
    one => one.name === 'social.counters',
  )
  await Promise.all([
    projection?.rebuild(() => {}, new AbortController().signal),
    ben.does('PUT', `/v1/posts/${post}/likes/me`),
  ])
  expect(await eventually('it is repaired', async () => (await likes()) === 2)).toBe(true)
})

test('the nightly audit repairs what is wrong, and its metric says by how much', async () => {
  const ada = (await world.people(1))[0] as Someone
  const post = await ada.post('x')
  await ada.does('PUT', `/v1/posts/${post}/likes/me`)
  const likes = async () => (await ada.does('GET', `/v1/posts/${post}`)).counts.likes as number
  await eventually('it is counted', async () => (await likes()) === 1)
  const audit = world.platform.opened['social']?.loops?.find(
    one => one.name === 'social.counter_audit',
  )
  const { registry } = world.platform.kernel.metrics
  const audited = async () => {
    await audit?.run(new AbortController().signal)
    return Number(/^social_counter_drift (\d+)$/m.exec(await registry.metrics())?.[1])
  }
  await audited()
  expect(await audited()).toBe(0)
  await db.run(sql`
    update social.counter_projections set value = value + 6
    where tenant_id = ${ada.tenant.id} and subject_id = ${post} and kind = 'likes'`)
  expect(await audited()).toBe(6)
  await eventually('it is repaired', async () => (await likes()) === 1)
  expect(await audited()).toBe(0)
})

test('two repairs of one counter at once repair it once', async () => {
  const [ada] = (await world.people(1)) as [Someone]
  const post = await ada.post('x')
  await ada.does('PUT', `/v1/posts/${post}/likes/me`)
  const likes = async () => (await ada.does('GET', `/v1/posts/${post}`)).counts.likes as number
  await eventually('it is counted', async () => (await likes()) === 1)
  const counters = world.platform.opened['social']?.projections?.find(
    one => one.name === 'social.counters',
  )
  const rebuild = () => counters?.rebuild(() => {}, new AbortController().signal)
  await db.run(sql`
    create function public.wait_here() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(4711); return new; end $$`)
  await db.run(sql`
    create trigger wait_here before insert on social.counter_deltas
    for each row execute function public.wait_here()`)
  await db.run(sql`
    update social.counter_projections set value = value + 6
    where tenant_id = ${ada.tenant.id} and subject_id = ${post} and kind = 'likes'`)
  const [held, released] = [Promise.withResolvers<boolean>(), Promise.withResolvers<boolean>()]
  const holding = db.tx(async tx => {
    await tx.run(sql`select pg_advisory_xact_lock(4711)`)
    held.resolve(true)
    await released.promise
  })
  await held.promise
  const both = Promise.all([rebuild(), rebuild()])
  const waits = sql`
    select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  await eventually('both wait', async () => (await db.run(waits)) > 1)
  released.resolve(true)
  await Promise.all([holding, both])
  await db.run(sql`drop trigger wait_here on social.counter_deltas`)
  expect(await likes()).toBe(1)
})

test('people are notified of what others did to them, not across a mute, and never of themselves', async () => {
  const [ada, ben, cyd] = (await world.people(3)) as [Someone, Someone, Someone]
  await ada.does('PUT', `/v1/users/me/mutes/${cyd.id}`)
  await cyd.follow(ada)
  await ben.follow(ada)
  const titles = async () => {
    const { data } = await ada.does('GET', '/v1/inbox')
    return data.map((item: { title: string }) => item.title) as string[]
  }
  await eventually('the follow is announced', async () => (await titles()).length > 0)
  expect(await titles()).toEqual(['You have a new follower'])
  await ben.unfollow(ada)
  await ben.follow(ada)
  await ada.does('PATCH', '/v1/users/me', { privacy_state: 'private' })
  const dan = await world.someone(ada.tenant)
  await dan.follow(ada)
  await eventually('the request is announced', async () => (await titles()).length > 1)
  expect(await titles()).toEqual(['You have a follow request', 'You have a new follower'])
})

const Event = Type.Object({
  position: Type.Integer(),
  id: Type.String(),
  tenant_id: Type.String(),
  type: Type.String(),
  schema_version: Type.Integer(),
  aggregate_type: Type.String(),
  aggregate_id: Type.String(),
  aggregate_version: Type.Integer(),
  payload: Type.Unknown(),
  payload_ref: Type.Union([Type.String(), Type.Null()]),
  traceparent: Type.Union([Type.String(), Type.Null()]),
  occurred_at: Type.String(),
  created_at: Type.String(),
})

test('events that arrive again and in any order bring nothing back', async () => {
  const [ada, ben] = (await world.people(2)) as [Someone, Someone]
  await ben.follow(ada)
  const [kept, gone] = [await ada.post('kept'), await ada.post('gone')]
  await ada.does('PATCH', `/v1/posts/${gone}`, { body: 'changed' })
  await ben.does('PUT', `/v1/posts/${gone}/likes/me`)
  await ben.feed()
  await ada.does('DELETE', `/v1/posts/${gone}`)
  const events = await eventually('all are in the log', async () => {
    const found = await db.many(
      Event,
      sql`
        select position, id, tenant_id, type, schema_version, aggregate_type, aggregate_id,
          aggregate_version, payload, payload_ref, traceparent, occurred_at, created_at
        from kernel.events where tenant_id = ${ada.tenant.id}`,
    )
    return found.some(event => event.type === 'post.deleted') && found
  })
  const consumers = world.platform.opened['social']?.consumers ?? []
  const shuffled = fc.shuffledSubarray(events, { minLength: events.length })
  const before = JSON.stringify(await ben.does('GET', '/v1/feed'))
  await fc.assert(
    fc.asyncProperty(shuffled, async order => {
      await db.tx(async tx => {
        for (const event of order) {
          const interested = consumers.filter(one => one.events.includes(event.type))
          for (const consumer of interested) await consumer.run(tx, event)
        }
      })
    }),
    { numRuns: 100 },
  )
  expect(await ben.feed()).toEqual([kept])
  expect(JSON.parse(before).data).toHaveLength(1)
  expect(JSON.stringify(await ben.does('GET', '/v1/feed'))).toBe(before)
})

test('an export has every row once, also where the same ids recur in two tenants', async () => {
  const ada = (await world.people(1))[0] as Someone
  // The first page of 200 rows ends between the rows of one id.
  await db.run(sql`
    -- any tenant: one person in two
    insert into social.mutes (tenant_id, muter_id, muted_id)
    select t, ${ada.id}, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid
    from unnest(${[ada.tenant.id, newId()]}::uuid[]) with ordinality s (t, at)
    cross join generate_series(1, 301) n where n > 1 or s.at = 1`)
  const account = { account_id: ada.id, tenant_id: ada.tenant.id, principal_ids: [ada.id] }
  const exported = world.platform.opened['social']?.personal?.export(
    account,
    new AbortController().signal,
  )
  const found: string[] = []
  for await (const { kind, data } of exported ?? []) {
    if (kind === 'mute') found.push((data as { muted_id: string }).muted_id)
  }
  expect(found).toHaveLength(601)
  expect(new Set(found).size).toBe(301)
})
