/** A post in replies, read with its text, files and counts in one statement. */
import { Type, type Static } from 'typebox'
import { count, Id, nullable, oneOf, sql, Time, Version } from '#dodeca/kernel'
import type { Reader, Sql } from '#dodeca/kernel'
import type { Person } from '../deps.ts'
import { problem } from '../errors.ts'
import { follows, visible } from '../may-see.ts'
import { Author, authorOf, AuthorRow } from '../schemas.ts'

export const visibilities = ['public', 'followers', 'private'] as const
const Count = count(0, Number.MAX_SAFE_INTEGER)
const Text = Type.String({ maxLength: 40_000 })
const Medium = Type.Object({ object_id: Id, position: count(0, 1000) }, { title: 'PostMedium' })

export const Post = Type.Object(
  {
    id: Id,
    author_id: Id,
    author: Author,
    body_ref: nullable(Id),
    body: nullable(Text),
    visibility: oneOf(...visibilities),
    media: Type.Array(Medium, { maxItems: 10 }),
    created_at: Time,
    edited_at: nullable(Time),
    deleted_at: nullable(Time),
    version: Version,
    counts: Type.Object({ likes: Count, comments: Count }),
    viewer: Type.Object({ liked: Type.Boolean(), following_author: Type.Boolean() }),
  },
  { title: 'Post' },
)
export type Post = Static<typeof Post>

export const PostRow = Type.Object({
  id: Type.String(),
  ...AuthorRow,
  body_ref: nullable(Type.String()),
  body: nullable(Type.String()),
  visibility: oneOf(...visibilities),
  media: Type.Array(Type.Object({ object_id: Type.String(), position: Type.Integer() })),
  created_at: Type.String(),
  edited_at: nullable(Type.String()),
  version: Type.Integer(),
  rank_or_time: Type.Integer(),
  likes: Type.Integer(),
  comments: Type.Integer(),
  liked: Type.Boolean(),
  following_author: Type.Boolean(),
})
export type PostRow = Static<typeof PostRow>

/**
 * For `p` (posts) and its author `u`. These are scalar subqueries, so that they run only for the
 * rows of the page.
 */
export function postColumns(viewer: Person, followed = follows(viewer, sql`p.author_id`)): Sql {
  const { tenant_id, id } = viewer
  const counted = (kind: Sql) => sql`
    coalesce((select greatest(k.value, 0) from social.counter_projections k
      where k.tenant_id = ${tenant_id} and k.subject_type = 'post' and k.subject_id = p.id
        and k.kind = ${kind}), 0)`
  return sql`
    p.id, p.author_id, u.handle, u.display_name, u.avatar_file_id, p.body_ref,
    (select b.body from social.post_bodies b
      where b.tenant_id = ${tenant_id} and b.id = p.body_ref) as body,
    p.visibility, p.created_at, p.edited_at, p.version, p.rank_or_time,
    coalesce((select jsonb_agg(jsonb_build_object('object_id', m.object_id, 'position', m.position)
        order by m.position)
      from social.post_media m where m.tenant_id = ${tenant_id} and m.post_id = p.id), '[]') as media,
    ${counted(sql`'likes'`)} as likes, ${counted(sql`'comments'`)} as comments,
    exists (select from social.likes l where l.tenant_id = ${tenant_id} and l.post_id = p.id
      and l.user_id = ${id}) as liked,
    ${followed} as following_author`
}

export function postOf(row: PostRow): Post {
  const { id, author_id, body_ref, body, visibility, media, created_at, edited_at, version } = row
  return {
    id,
    author_id,
    author: authorOf(row),
    body_ref,
    body,
    visibility,
    media,
    created_at,
    edited_at,
    deleted_at: null,
    version,
    counts: { likes: row.likes, comments: row.comments },
    viewer: { liked: row.liked, following_author: row.following_author },
  }
}

/** A post that the viewer may see. */
export async function requirePost(reader: Reader, viewer: Person, id: string): Promise<Post> {
  const row = await reader.maybe(PostRow, findStatement(viewer, id))
  if (!row) throw problem('post_not_found')
  return postOf(row)
}

const Created = Type.Object({ ...PostRow.properties, deleted_at: nullable(Type.String()) })

/** For the replay of a creation: a post that was deleted since is shown as deleted. */
export async function requireCreated(reader: Reader, author: Person, id: string): Promise<Post> {
  const row = await reader.maybe(
    Created,
    sql`
      select ${postColumns(author)}, p.deleted_at
      from social.posts p
      join social.users u on u.tenant_id = p.tenant_id and u.id = p.author_id
      where p.tenant_id = ${author.tenant_id} and p.id = ${id} and p.author_id = ${author.id}`,
  )
  if (!row) throw problem('post_not_found')
  return { ...postOf(row), deleted_at: row.deleted_at }
}

export function findStatement(viewer: Person, id: string): Sql {
  return sql`
    select ${postColumns(viewer)}
    from social.posts p
    join social.users u on u.tenant_id = p.tenant_id and u.id = p.author_id
    where p.tenant_id = ${viewer.tenant_id} and p.id = ${id} and ${visible(viewer)}`
}
