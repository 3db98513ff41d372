/**
 * Deletes posts. The row stays as a tombstone and all its texts are deleted. Projections need no
 * change.
 */
import { Type } from 'typebox'
import { dueAt, sql, type Tx } from '#dodeca/kernel'
import { delta_columns } from '../counters/count.ts'
import { topics } from '../deps.ts'
import { announcePost } from '../events.ts'

const Gone = Type.Object({
  id: Type.String(),
  author_id: Type.String(),
  visibility: Type.String(),
  version: Type.Integer(),
  at: Type.String(),
})

/** Returns how many posts were deleted now. */
export async function deletePosts(
  tx: Tx,
  tenant_id: string,
  ids: readonly string[],
): Promise<number> {
  // The posts are locked first, because an edit that commits meanwhile must not leave its text
  // behind.
  await tx.run(sql`
    select from social.posts where tenant_id = ${tenant_id} and id = any(${ids}::uuid[])
    order by id for no key update`)
  const no_more = dueAt(sql`null`)
  const gone = await tx.many(
    Gone,
    sql`
      with gone as (
        update social.posts
        set deleted_at = kernel.now(), version = version + 1, body_ref = null,
          fanout_state = 'done', ${no_more}
        where tenant_id = ${tenant_id} and id = any(${ids}::uuid[]) and deleted_at is null
        returning id, author_id, visibility, version, deleted_at as at
      ), bodies as (
        delete from social.post_bodies b using gone
        where b.tenant_id = ${tenant_id} and b.post_id = gone.id
      ), versions as (
        delete from social.post_versions v using gone
        where v.tenant_id = ${tenant_id} and v.post_id = gone.id
      ), media as (
        delete from social.post_media m using gone
        where m.tenant_id = ${tenant_id} and m.post_id = gone.id
      ), counted as (
        insert into social.counter_deltas ${delta_columns}
        select ${tenant_id}, 'user', author_id, 'posts', -count(*) from gone group by author_id
      )
      select id, author_id, visibility, version, at from gone`,
  )
  for (const post of gone) announcePost(tx, 'post.deleted', { tenant_id, ...post })
  if (gone.length > 0) tx.wake(topics.counters)
  return gone.length
}
