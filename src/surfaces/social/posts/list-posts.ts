/**
 * The posts of one author as the viewer sees them, newest first, and the earlier texts of a post.
 */
import { Type } from 'typebox'
import { nullable, page, sql, Time, Version } from '#dodeca/kernel'
import type { List, Reader, Sql } from '#dodeca/kernel'
import type { Person } from '../deps.ts'
import { among, follows, visible } from '../may-see.ts'
import { postColumns, postOf, PostRow } from './post-view.ts'

export function authorStatement(
  viewer: Person,
  author_id: string,
  after: { readonly rank_or_time: number | null; readonly id: string | null },
  n: number,
): Sql {
  return sql`
    select ${postColumns(viewer)}
    from social.posts p
    join social.users u on u.tenant_id = p.tenant_id and u.id = p.author_id
    where p.tenant_id = ${viewer.tenant_id} and p.author_id = ${author_id} and ${visible(viewer)}
      and (p.rank_or_time, p.id) < (
        coalesce(${after.rank_or_time}::bigint, ${Number.MAX_SAFE_INTEGER}::bigint),
        coalesce(${after.id}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
    order by p.rank_or_time desc, p.id desc limit ${n}`
}

export function listPosts(reader: Reader, scope: List, viewer: Person, author_id: string) {
  return page(reader, {
    scope,
    row: PostRow,
    place: ['rank_or_time', 'id'],
    view: postOf,
    fetch: (after, n) => authorStatement(viewer, author_id, after, n),
  })
}

export const PostVersion = Type.Object(
  { version: Version, body: nullable(Type.String({ maxLength: 40_000 })), edited_at: Time },
  { title: 'PostVersion' },
)

/** The current text comes first. Others see an earlier text only if it was shown to such as them. */
export function listVersions(reader: Reader, scope: List, viewer: Person, id: string) {
  const { tenant_id } = viewer
  return page(reader, {
    scope,
    row: PostVersion,
    place: ['version'],
    fetch: ({ version }, n) => sql`
      select v.version, b.body, v.edited_at
      from social.posts p
      join social.users u on u.tenant_id = p.tenant_id and u.id = p.author_id
      cross join lateral (
        select p.version, p.body_ref, coalesce(p.edited_at, p.created_at) as edited_at
        union all
        select w.version, w.body_ref, w.edited_at from social.post_versions w
        where w.tenant_id = ${tenant_id} and w.post_id = p.id and (p.author_id = ${viewer.id}
          or ${among(sql`w.visibility`, follows(viewer, sql`p.author_id`))})) v
      left join social.post_bodies b on b.tenant_id = ${tenant_id} and b.id = v.body_ref
      where p.tenant_id = ${tenant_id} and p.id = ${id} and ${visible(viewer)}
        and (${version}::bigint is null or v.version < ${version})
      order by v.version desc limit ${n}`,
  })
}
