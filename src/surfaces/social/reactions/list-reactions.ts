/**
 * The comments and likes of a post that the viewer can see. People are left out if there is a block
 * between them and the viewer.
 */
import { Type, type Static } from 'typebox'
import { page, sql, type List, type Reader, type Sql } from '#dodeca/kernel'
import type { Person } from '../deps.ts'
import { blockedBetween, commentVisible, speaks } from '../may-see.ts'
import { Author, authorOf, AuthorRow } from '../schemas.ts'
import { commentColumns, commentOf, CommentRow } from './comment.ts'
import { Like } from './like.ts'

export type Order = 'asc' | 'desc'

export function commentsStatement(
  viewer: Person,
  post_id: string,
  order: Order,
  after: { readonly created_us: number | null; readonly id: string | null },
  n: number,
): Sql {
  const way = order === 'asc' ? sql`asc` : sql`desc`
  const beyond = order === 'asc' ? sql`>` : sql`<`
  return sql`
    select ${commentColumns}
    from social.comments c
    join social.users u on u.tenant_id = c.tenant_id and u.id = c.author_id
    where c.tenant_id = ${viewer.tenant_id} and c.post_id = ${post_id} and ${commentVisible(viewer)}
      and (${after.created_us}::bigint is null or (c.created_at, c.id) ${beyond} (
        timestamptz 'epoch' + ${after.created_us}::bigint * interval '1 microsecond',
        ${after.id}::uuid))
    order by c.created_at ${way}, c.id ${way} limit ${n}`
}

export function listComments(
  reader: Reader,
  scope: List,
  viewer: Person,
  post_id: string,
  order: Order,
) {
  return page(reader, {
    scope,
    row: CommentRow,
    place: ['created_us', 'id'],
    view: commentOf,
    fetch: (after, n) => commentsStatement(viewer, post_id, order, after, n),
  })
}

export const ListedLike = Type.Object({ ...Like.properties, user: Author }, { title: 'ListedLike' })
const LikeRow = Type.Object({ ...AuthorRow, created_at: Type.String() })

/** Sorted by the ids of the people. An index by time would cost each like a write. */
export function listLikes(reader: Reader, scope: List, viewer: Person, post_id: string) {
  const { tenant_id } = viewer
  return page(reader, {
    scope,
    row: LikeRow,
    place: ['author_id'],
    view: (row): Static<typeof ListedLike> => {
      const user = authorOf(row)
      return { post_id, user_id: user.id, created_at: row.created_at, user }
    },
    fetch: ({ author_id }, n) => sql`
      select u.id as author_id, u.handle, u.display_name, u.avatar_file_id, l.created_at
      from social.likes l
      join social.users u on u.tenant_id = l.tenant_id and u.id = l.user_id
      where l.tenant_id = ${tenant_id} and l.post_id = ${post_id}
        and (${author_id}::uuid is null or l.user_id > ${author_id}::uuid)
        and (u.id = ${viewer.id} or (${speaks} and not ${blockedBetween(viewer, sql`u.id`)}))
      order by l.user_id limit ${n}`,
  })
}
