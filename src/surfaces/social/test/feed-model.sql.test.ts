/**
 * Whatever people do and whatever the workers have done so far, a feed read from its entries, a feed collected
 * from the authors, and the plain list of all posts that the reader may see are the same.
 */
import fc from 'fast-check'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { drainQueue } from '../../../kernel/work/run-queue.ts'
import type { Person } from '../deps.ts'
import { fold } from '../counters/fold.ts'
import { newest, readFeed } from '../feeds/read-feed.ts'
import { sweepFeed } from '../feeds/sweep.ts'
import { inFeed } from '../may-see.ts'
import { openSocialWorld, postIds, type SocialWorld, type Someone } from './social-world.ts'

/** Small enough that every limit is reached: portions, pulled authors, floors, trimmed feeds. */
const keep = 20
let world: SocialWorld
let people: Someone[]
beforeAll(async () => {
  world = await openSocialWorld({
    ROLES: 'api',
    SOCIAL_FEED_KEEP: String(keep),
    SOCIAL_FANOUT_CHUNK: '2',
    SOCIAL_PUSH_MAX_FOLLOWERS: '3',
    SOCIAL_EDITS_PER_POST: '1000',
  })
  people = await world.people(6)
  for (const one of people) await one.post('first')
})
afterAll(() => world.close())

const Id = Type.Object({ id: Type.String() })

const personOf = ({ id, tenant }: Someone): Person => ({ tenant_id: tenant.id, id })

function expected(viewer: Person): Promise<string[]> {
  return world.platform.kernel.db
    .many(
      Id,
      sql`
        select p.id from social.posts p
        join social.users u on u.tenant_id = p.tenant_id and u.id = p.author_id
        where p.tenant_id = ${viewer.tenant_id} and ${inFeed(viewer)}
        order by p.rank_or_time desc, p.id desc`,
    )
    .then(rows => rows.map(row => row.id))
}

/** All pages, collected from the authors only. */
async function pulled(viewer: Person, limit: number): Promise<string[]> {
  const found: string[] = []
  for (let after = newest; ;) {
    const asked = { after, want: limit + 1, mode: 'pull' } as const
    const { posts, resume } = await readFeed(world.platform.kernel.db, viewer, asked)
    const page = posts.slice(0, limit)
    found.push(...page.map(post => post.id))
    const last = page.at(-1)
    if (posts.length > limit && last) after = last
    else if (resume) after = resume
    else return found
  }
}

type Step = readonly [what: string, who: number, whom: number]

async function act([what, who, whom]: Step): Promise<void> {
  const [one, other] = [people[who] as Someone, people[whom] as Someone]
  const { db } = world.platform.kernel
  const me = '/v1/users/me'
  const newest_post = async () => {
    const { data } = await one.does('GET', `${me}/posts?limit=${1 + whom}`)
    return data.at(-1)?.id as string | undefined
  }
  const deeds: Record<string, () => Promise<unknown>> = {
    post: () => one.ask('POST', '/v1/posts', { body: 'x' }),
    posts: async () => {
      for (let n = 0; n < 8; n++) await one.ask('POST', '/v1/posts', { body: 'x' })
    },
    follow: () => one.ask('PUT', `${me}/following/${other.id}`),
    unfollow: () => one.ask('DELETE', `${me}/following/${other.id}`),
    accept: () => one.ask('POST', `${me}/follow-requests/${other.id}/accept`),
    block: () => one.ask('PUT', `${me}/blocks/${other.id}`),
    unblock: () => one.ask('DELETE', `${me}/blocks/${other.id}`),
    mute: () => one.ask('PUT', `${me}/mutes/${other.id}`),
    unmute: () => one.ask('DELETE', `${me}/mutes/${other.id}`),
    delete: async () => one.ask('DELETE', `/v1/posts/${await newest_post()}`),
    visibility: async () => {
      const visibility = ['public', 'followers', 'private'][whom % 3]
      await one.ask('PATCH', `/v1/posts/${await newest_post()}`, { visibility })
    },
    privacy: () => one.ask('PATCH', me, { privacy_state: whom % 2 === 0 ? 'private' : 'public' }),
    suspend: () =>
      db.run(sql`
        update social.users set moderation_state = ${whom % 3 === 0 ? 'suspended' : 'active'}
        where tenant_id = ${one.tenant.id} and id = ${one.id}`),
    read: () => one.feed(5),
    work: async () => {
      const queues = world.platform.opened['social']?.queues ?? []
      const queue = queues[whom % queues.length]
      if (queue) await drainQueue(world.platform.kernel, queue)
    },
    sweep: () =>
      db.tx(tx =>
        sweepFeed(
          tx,
          { tenant_id: one.tenant.id, user_id: one.id },
          { keep: 5, active_days: whom === 0 ? 0 : 14 },
        ),
      ),
    fold: () => fold(db),
  }
  await deeds[what]?.()
}

const often = ['post', 'posts', 'follow', 'read', 'work', 'work']
// prettier-ignore
const rare = ['unfollow', 'accept', 'block', 'unblock', 'mute', 'unmute', 'delete', 'visibility',
  'privacy', 'suspend', 'sweep', 'fold']

const step = fc.tuple(
  fc.constantFrom(...often, ...often, ...rare),
  fc.integer({ min: 0, max: 5 }),
  fc.integer({ min: 0, max: 5 }),
)

test('pushed, collected and plain feeds are the same', async () => {
  let warm = 0
  const property = fc.asyncProperty(
    fc.array(fc.tuple(step, step), { minLength: 6, maxLength: 16 }),
    fc.integer({ min: 1, max: 9 }),
    async (pairs, limit) => {
      // Two at a time, so that workers and people meet.
      for (const pair of pairs) await Promise.all(pair.map(act))
      for (const reader of people) {
        const viewer = personOf(reader)
        const plain = await expected(viewer)
        const pushed = await reader.walk('/v1/feed', limit, postIds)
        expect({ of: reader.id, ids: pushed }).toEqual({ of: reader.id, ids: plain })
        expect(await pulled(viewer, limit)).toEqual(plain)
        const first = await readFeed(world.platform.kernel.db, viewer, { after: newest, want: 1 })
        if (first.warm) warm++
      }
    },
  )
  await fc.assert(property, { numRuns: 12, endOnFailure: true, seed: 20_260_302 })
  // The entries were read, and not only the authors.
  expect(warm).toBeGreaterThan(10)
  await world.settle()
  for (const check of world.platform.opened['social']?.checks ?? []) {
    expect([check.name, await check.run()]).toEqual([check.name, []])
  }
})

test('an author who crosses the limit of pushing loses and repeats no post', async () => {
  const [author, ...readers] = (await world.people(6)) as [Someone, ...Someone[]]
  const posted: string[] = []
  const say = async () => {
    posted.unshift(await author.post(`${posted.length}`))
    await fold(world.platform.kernel.db)
  }
  for (const reader of readers) {
    await reader.follow(author)
    await reader.feed()
    await world.settle()
    await fold(world.platform.kernel.db)
    await say()
  }
  for (const reader of readers.slice(2)) {
    await reader.unfollow(author)
    await fold(world.platform.kernel.db)
    await say()
  }
  const routes = await world.platform.kernel.db.many(
    Type.Object({ route: Type.String() }),
    sql`
      select distinct fanout_state as route from social.posts
      where tenant_id = ${author.tenant.id} and author_id = ${author.id} order by 1`,
  )
  expect(routes.map(row => row.route)).toContain('pull')
  expect(routes.length).toBeGreaterThan(1)
  for (const reader of readers.slice(0, 2)) expect(await reader.feed(100)).toEqual(posted)
  await world.settle()
  for (const reader of readers.slice(0, 2)) {
    expect(await reader.walk('/v1/feed', 3, postIds)).toEqual(posted)
  }
})

test('a rebuild from the command is behind live reads, and changes no feed', async () => {
  const reader = people[0] as Someone
  const before = await reader.walk('/v1/feed', 7, postIds)
  const projections = world.platform.opened['social']?.projections ?? []
  const seen: number[] = []
  for (const projection of projections) {
    const reads = Promise.all([reader.feed(7), reader.feed(7)])
    await projection.rebuild(done => void seen.push(done), new AbortController().signal)
    for (const ids of await reads) expect(ids).toEqual(before.slice(0, 7))
  }
  expect(seen.length).toBeGreaterThan(projections.length)
  expect(await reader.walk('/v1/feed', 7, postIds)).toEqual(before)
})
