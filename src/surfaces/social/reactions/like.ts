/**
 * Likes. One statement checks whether the caller may like the post and writes the like. The row of
 * the post is not locked, so that likes of a popular post do not wait for each other.
 */
import { Type, type Static } from 'typebox'
import { Id, nullable, sql, Time, type Tx } from '#dodeca/kernel'
import { delta_columns } from '../counters/count.ts'
import { topics, type Deps, type Person } from '../deps.ts'
import { problem } from '../errors.ts'
import { announcePair } from '../events.ts'
import { now_us } from '../graph/pairs.ts'
import { requireWriter } from '../people/user-row.ts'
import { visible } from '../may-see.ts'

export const Like = Type.Object({ post_id: Id, user_id: Id, created_at: Time }, { title: 'Like' })
export type Like = Static<typeof Like>

const Made = Type.Object({
  author_id: Type.String(),
  created_at: nullable(Type.String()),
  at_us: nullable(Type.Integer()),
})
const Known = Type.Object({ created_at: Type.String() })

export async function like(tx: Tx, deps: Deps, user: Person, post_id: string): Promise<Like> {
  const { tenant_id, id: user_id } = user
  const [, , made] = await Promise.all([
    takeLike(tx, deps, user_id),
    requireWriter(tx, user),
    insertLike(tx, user, post_id),
  ])
  if (!made) throw problem('post_not_found')
  const { author_id, created_at, at_us } = made
  if (created_at === null || at_us === null) {
    const known = await tx.one(
      Known,
      sql`
        select created_at from social.likes
        where tenant_id = ${tenant_id} and post_id = ${post_id} and user_id = ${user_id}`,
    )
    return { post_id, user_id, created_at: known.created_at }
  }
  const pair = { tenant_id, ids: [post_id, user_id], at_us } as const
  announcePair(tx, 'post.liked', pair, { post_id, user_id, author_id })
  tx.wake(topics.counters)
  return { post_id, user_id, created_at }
}

/**
 * No row means that there is no such post for the caller. No time means that the like existed
 * already. It is then locked and not changed, so an unlike at the same moment cannot remove it
 * before it is read.
 */
function insertLike(tx: Tx, user: Person, post_id: string) {
  const { tenant_id, id: user_id } = user
  return tx.maybe(
    Made,
    sql`
      with post as materialized (
        select p.author_id from social.posts p
        join social.users u on u.tenant_id = p.tenant_id and u.id = p.author_id
        where p.tenant_id = ${tenant_id} and p.id = ${post_id} and ${visible(user)}
      ), made as (
        insert into social.likes as l (tenant_id, post_id, user_id)
        select ${tenant_id}, ${post_id}, ${user_id} from post
        on conflict (tenant_id, post_id, user_id) do update set created_at = l.created_at where false
        returning created_at
      ), counted as (
        insert into social.counter_deltas ${delta_columns}
        select ${tenant_id}, 'post', ${post_id}, 'likes', 1 from made
      )
      select post.author_id, made.created_at, case when made.created_at is not null then ${now_us} end as at_us
      from post left join made on true`,
  )
}

const Gone = Type.Object({ author_id: nullable(Type.String()), at_us: Type.Integer() })

/** Also for a deleted post, so that the reply does not show whether the post exists. */
export async function unlike(tx: Tx, user: Person, post_id: string): Promise<void> {
  const { tenant_id, id: user_id } = user
  const gone = await tx.maybe(
    Gone,
    sql`
      with gone as (
        delete from social.likes
        where tenant_id = ${tenant_id} and post_id = ${post_id} and user_id = ${user_id}
        returning post_id
      ), counted as (
        insert into social.counter_deltas ${delta_columns}
        select ${tenant_id}, 'post', post_id, 'likes', -1 from gone
      )
      select (select p.author_id from social.posts p
          where p.tenant_id = ${tenant_id} and p.id = gone.post_id) as author_id, ${now_us} as at_us
      from gone`,
  )
  if (!gone) return
  tx.wake(topics.counters)
  const pair = { tenant_id, ids: [post_id, user_id], at_us: gone.at_us } as const
  announcePair(tx, 'post.unliked', pair, { post_id, user_id, author_id: gone.author_id })
}

async function takeLike(tx: Tx, { kernel: { settings, take } }: Deps, of: string): Promise<void> {
  const many = settings['social.likes_per_5_minutes']
  await take(tx, [{ name: 'social.likes', of, many, per_seconds: 300 }])
}
