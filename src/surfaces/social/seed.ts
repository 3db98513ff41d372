/**
 * Creates a small network for each demo tenant: 200 people, some with many followers, and posts,
 * comments, likes and a reported post of the last two weeks. The people have no accounts. The demo member follows
 * some of them.
 */
import { Type } from 'typebox'
import { newId, sql, type DemoTenant, type Tx } from '#dodeca/kernel'
import { delta_columns } from './counters/count.ts'
import { topics, type Deps } from './deps.ts'
import { report } from './moderation/report.ts'
import { ensureUser } from './people/user-row.ts'
import { bios, comments, firsts, lasts, posts } from './seed-data.ts'

const people_count = 200
const Held = Type.Object({ posts: Type.Integer() })

export async function seed(
  { kernel }: Pick<Deps, 'kernel'>,
  tenants: readonly DemoTenant[],
): Promise<string[]> {
  const { db } = kernel
  const made: string[] = []
  for (const { id: tenant_id, slug, member } of tenants) {
    const held = await db.one(
      Held,
      sql`select count(*)::int as posts from social.posts where tenant_id = ${tenant_id}`,
    )
    if (held.posts > 0) continue
    await db.tx(async tx => {
      const ids = Array.from({ length: people_count }, newId)
      await seedPeople(tx, tenant_id, ids)
      await ensureUser(tx, { tenant_id, id: member })
      await seedFollows(tx, tenant_id, ids, member)
      const made_posts = await seedPosts(tx, tenant_id, ids)
      await seedReactions(tx, tenant_id, ids, made_posts)
      await countAll(tx, tenant_id)
      await seedReports(tx, { kernel }, tenant_id, made_posts)
      tx.wake(topics.counters)
    })
    made.push(`${people_count} people with posts of ${slug}`)
  }
  return made
}

/** A fraction in [0, 1) that looks random but is the same in each run. */
function scattered(...parts: readonly number[]): number {
  let state = 2_166_136_261
  for (const part of parts) state = Math.imul(state ^ (part + 0x9e37), 16_777_619)
  state ^= state >>> 15
  return ((Math.imul(state, 0x2c1b3c6d) >>> 0) % 1_000_003) / 1_000_003
}

const pick = <T>(all: readonly T[], ...by: readonly number[]): T =>
  all[Math.floor(scattered(...by) * all.length)] as T

async function seedPeople(tx: Tx, tenant_id: string, ids: readonly string[]): Promise<void> {
  const rows = ids.map((id, n) => {
    const [first, last] = [pick(firsts, n, 1), pick(lasts, n, 2)]
    const display_name = `${first} ${last}`
    const handle = `${first}.${last}`
      .normalize('NFD')
      .toLowerCase()
      .replaceAll(/[^a-z.]/g, '')
    return { id, handle: `${handle.slice(0, 24)}_${n}`, display_name, bio: pick(bios, n, 3) }
  })
  await tx.run(sql`
    insert into social.users (tenant_id, id, handle, display_name, bio, created_at)
    select ${tenant_id}, r.id, r.handle, r.display_name, r.bio, kernel.now() - interval '30 days'
    from ${sql.table(rows, { id: 'uuid', handle: 'text', display_name: 'text', bio: 'text' })} r`)
}

/** Zipf's law: the n-th person has n times fewer followers than the first. */
async function seedFollows(
  tx: Tx,
  tenant_id: string,
  ids: readonly string[],
  member_id: string | undefined,
): Promise<void> {
  const followers = member_id ? [...ids, member_id] : ids
  const rows = followers.flatMap((follower_id, n) =>
    ids.flatMap((followed_id, rank) => {
      const share = Math.min(0.8, 12 / (rank + 3)) * 0.6
      const wanted = followed_id !== follower_id && scattered(n, rank, 4) < share
      return wanted
        ? [{ follower_id, followed_id, ago: Math.floor(scattered(n, rank, 5) * 28) }]
        : []
    }),
  )
  await tx.run(sql`
    insert into social.follows (tenant_id, follower_id, followed_id, state, created_at)
    select ${tenant_id}, r.follower_id, r.followed_id, 'active',
      kernel.now() - make_interval(days => r.ago)
    from ${sql.table(rows, { follower_id: 'uuid', followed_id: 'uuid', ago: 'int4' })} r`)
}

type SeededPost = { readonly id: string; readonly author_id: string; readonly minutes: number }

async function seedPosts(tx: Tx, tenant_id: string, ids: readonly string[]): Promise<SeededPost[]> {
  const rows = ids.flatMap((author_id, n) =>
    Array.from({ length: 1 + Math.floor(scattered(n, 6) * 6) }, (_, at) => ({
      id: newId(),
      author_id,
      body_ref: newId(),
      body: pick(posts, n, at, 7),
      minutes: 5 + Math.floor(scattered(n, at, 8) * 20_000),
    })),
  )
  await tx.run(sql`
    insert into social.post_bodies (tenant_id, id, post_id, body)
    select ${tenant_id}, r.body_ref, r.id, r.body
    from ${sql.table(rows, { body_ref: 'uuid', id: 'uuid', body: 'text' })} r`)
  await tx.run(sql`
    insert into social.posts (
      tenant_id, id, author_id, body_ref, visibility, created_at, rank_or_time, fanout_state)
    select ${tenant_id}, r.id, r.author_id, r.body_ref, 'public', m.at,
      (extract(epoch from m.at) * 1000000)::bigint, 'done'
    from ${sql.table(rows, { id: 'uuid', author_id: 'uuid', body_ref: 'uuid', minutes: 'int4' })} r
    cross join lateral (select kernel.now() - make_interval(mins => r.minutes) as at) m`)
  return rows
}

async function seedReactions(
  tx: Tx,
  tenant_id: string,
  ids: readonly string[],
  made: readonly SeededPost[],
): Promise<void> {
  const likes = made.flatMap(({ id: post_id, minutes }, at) =>
    ids.flatMap((user_id, n) =>
      scattered(at, n, 9) < 0.12 * scattered(at, 10)
        ? [{ post_id, user_id, minutes: Math.floor(minutes * scattered(at, n, 11)) }]
        : [],
    ),
  )
  await tx.run(sql`
    insert into social.likes (tenant_id, post_id, user_id, created_at)
    select ${tenant_id}, r.post_id, r.user_id, kernel.now() - make_interval(mins => r.minutes)
    from ${sql.table(likes, { post_id: 'uuid', user_id: 'uuid', minutes: 'int4' })} r`)
  const rows = made.flatMap(({ id: post_id, minutes }, at) =>
    Array.from({ length: Math.floor(scattered(at, 12) * 4) }, (_, n) => ({
      id: newId(),
      post_id,
      author_id: pick(ids, at, n, 13),
      body: pick(comments, at, n, 14),
      minutes: Math.floor(minutes * scattered(at, n, 15)),
    })),
  )
  const columns = { id: 'uuid', post_id: 'uuid', author_id: 'uuid', body: 'text', minutes: 'int4' }
  await tx.run(sql`
    insert into social.comments (tenant_id, id, post_id, author_id, body, created_at)
    select ${tenant_id}, r.id, r.post_id, r.author_id, r.body,
      kernel.now() - make_interval(mins => r.minutes)
    from ${sql.table(rows, columns)} r`)
}

/** A case that two people reported, for the moderator. */
async function seedReports(
  tx: Tx,
  deps: Pick<Deps, 'kernel'>,
  tenant_id: string,
  made: readonly SeededPost[],
): Promise<void> {
  const [reported, ...others] = made
  if (!reported) return
  const authors = [...new Set(others.map(one => one.author_id))]
  const reporters = authors.filter(id => id !== reported.author_id).slice(0, 2)
  for (const id of reporters) {
    const note = 'The same text is under ten posts of other people.'
    const about = { subject_type: 'post', subject_id: reported.id, category: 'spam', note } as const
    await report(tx, deps, { tenant_id, id }, about)
  }
}

async function countAll(tx: Tx, tenant_id: string): Promise<void> {
  await tx.run(sql`
    insert into social.counter_deltas ${delta_columns}
    select ${tenant_id}::uuid, 'post', post_id, 'likes', count(*) from social.likes
      where tenant_id = ${tenant_id} group by post_id
    union all select ${tenant_id}::uuid, 'post', post_id, 'comments', count(*) from social.comments
      where tenant_id = ${tenant_id} group by post_id
    union all select ${tenant_id}::uuid, 'user', followed_id, 'followers', count(*) from social.follows
      where tenant_id = ${tenant_id} group by followed_id
    union all select ${tenant_id}::uuid, 'user', follower_id, 'following', count(*) from social.follows
      where tenant_id = ${tenant_id} group by follower_id
    union all select ${tenant_id}::uuid, 'user', author_id, 'posts', count(*) from social.posts
      where tenant_id = ${tenant_id} group by author_id`)
}
