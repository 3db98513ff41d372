/**
 * Comments. A person who can see the post may write a comment. The author of the comment and the
 * author of the post may delete it.
 */
import { Type, type Static } from 'typebox'
import { closed, Id, newId, nullable, sql, text, Time } from '#dodeca/kernel'
import type { Reader, Sql, Tx } from '#dodeca/kernel'
import { count } from '../counters/count.ts'
import type { Deps, Person } from '../deps.ts'
import { problem } from '../errors.ts'
import { requireWriter } from '../people/user-row.ts'
import { commentVisible, visible } from '../may-see.ts'
import { Author, authorOf, AuthorRow } from '../schemas.ts'
import { requireText } from '../text.ts'

export const CreateComment = closed({ body: text(10_000) }, { title: 'CreateComment' })
export const Comment = Type.Object(
  {
    id: Id,
    post_id: Id,
    author_id: Id,
    author: Author,
    body: nullable(Type.String({ maxLength: 20_000 })),
    created_at: Time,
    deleted_at: nullable(Time),
  },
  { title: 'Comment' },
)
export type Comment = Static<typeof Comment>

export const CommentRow = Type.Object({
  id: Type.String(),
  post_id: Type.String(),
  ...AuthorRow,
  body: nullable(Type.String()),
  created_at: Type.String(),
  created_us: Type.Integer(),
  deleted_at: nullable(Type.String()),
})

export function commentOf(row: Static<typeof CommentRow>): Comment {
  const { id, post_id, author_id, body, created_at, deleted_at } = row
  return { id, post_id, author_id, author: authorOf(row), body, created_at, deleted_at }
}

/** For `c` (comments) and its author `u`. */
export const commentColumns: Sql = sql`
  c.id, c.post_id, c.author_id, u.handle, u.display_name, u.avatar_file_id, c.body, c.created_at,
  (extract(epoch from c.created_at) * 1000000)::bigint as created_us, c.deleted_at`

/** Returns the id of the comment. */
export async function comment(
  tx: Tx,
  deps: Deps,
  author: Person,
  post_id: string,
  given: string,
): Promise<string> {
  const { tenant_id, id: author_id } = author
  const { settings, take } = deps.kernel
  const body = requireText(given, 'body', {
    graphemes: settings['social.comment_graphemes'],
    bytes: settings['social.comment_bytes'],
  })
  await requireWriter(tx, author)
  const id = newId()
  const made = await tx.run(sql`
    insert into social.comments (tenant_id, id, post_id, author_id, body)
    select ${tenant_id}, ${id}, p.id, ${author_id}, ${body}
    from social.posts p
    join social.users u on u.tenant_id = p.tenant_id and u.id = p.author_id
    where p.tenant_id = ${tenant_id} and p.id = ${post_id} and ${visible(author)}`)
  if (made === 0) throw problem('post_not_found')
  const many = settings['social.comments_per_5_minutes']
  await take(tx, [{ name: 'social.comments', of: author_id, many, per_seconds: 300 }])
  await count(tx, tenant_id, [
    { subject_type: 'post', subject_id: post_id, kind: 'comments', delta: 1 },
  ])
  announceComment(tx, 'comment.created', 1, { tenant_id, id, post_id, author_id })
  return id
}

/** Reads the author's own comment for a reply, even if the author cannot see the post any more. */
export async function ownComment(reader: Reader, author: Person, id: string): Promise<Comment> {
  const row = await reader.maybe(
    CommentRow,
    sql`
      select ${commentColumns} from social.comments c
      join social.users u on u.tenant_id = c.tenant_id and u.id = c.author_id
      where c.tenant_id = ${author.tenant_id} and c.id = ${id} and c.author_id = ${author.id}`,
  )
  if (!row) throw problem('comment_not_found')
  return commentOf(row)
}

/** A comment that the viewer can see, on a post that the viewer can see. */
export async function findComment(reader: Reader, viewer: Person, id: string): Promise<Comment> {
  const row = await reader.maybe(
    CommentRow,
    sql`
      select ${commentColumns} from social.comments c
      join social.users u on u.tenant_id = c.tenant_id and u.id = c.author_id
      where c.tenant_id = ${viewer.tenant_id} and c.id = ${id} and ${commentVisible(viewer)}
        and exists (select from social.posts p
          join social.users u on u.tenant_id = p.tenant_id and u.id = p.author_id
          where p.tenant_id = c.tenant_id and p.id = c.post_id and ${visible(viewer)})`,
  )
  if (!row) throw problem('comment_not_found')
  return commentOf(row)
}

const Before = Type.Object({ author_id: Type.String(), mine: Type.Boolean(), seen: Type.Boolean() })

export async function deleteComment(tx: Tx, person: Person, id: string): Promise<void> {
  const { tenant_id } = person
  const before = await tx.maybe(
    Before,
    sql`
      select c.author_id, c.author_id = ${person.id} or p.author_id = ${person.id} as mine,
        ${visible(person)} and exists (select from social.users u
          where u.tenant_id = c.tenant_id and u.id = c.author_id
            and ${commentVisible(person)}) as seen
      from social.comments c
      join social.posts p on p.tenant_id = c.tenant_id and p.id = c.post_id
      join social.users u on u.tenant_id = p.tenant_id and u.id = p.author_id
      where c.tenant_id = ${tenant_id} and c.id = ${id}`,
  )
  if (!before || (!before.mine && !before.seen)) throw problem('comment_not_found')
  if (!before.mine) {
    throw problem('permission_denied', {
      detail: 'Only the author of the comment or of the post may delete it.',
    })
  }
  await deleteComments(tx, tenant_id, [id], person.id)
}

const Gone = Type.Object({
  id: Type.String(),
  post_id: Type.String(),
  author_id: Type.String(),
  counted: Type.Boolean(),
})

/** Deletes the comments that are not deleted yet. Returns how many were deleted. */
export async function deleteComments(
  tx: Tx,
  tenant_id: string,
  ids: readonly string[],
  deleted_by: string,
): Promise<number> {
  const gone = await tx.many(
    Gone,
    sql`
      update social.comments
      set body = null, deleted_at = kernel.now(), deleted_by = ${deleted_by}
      where tenant_id = ${tenant_id} and id = any(${ids}::uuid[]) and deleted_at is null
      returning id, post_id, author_id, moderation_state = 'none' as counted`,
  )
  const kind = 'comments'
  await count(
    tx,
    tenant_id,
    gone
      .filter(one => one.counted)
      .map(one => ({ subject_type: 'post', subject_id: one.post_id, kind, delta: -1 })),
  )
  for (const one of gone) announceComment(tx, 'comment.deleted', 2, { tenant_id, ...one })
  return gone.length
}

type Announced = {
  readonly tenant_id: string
  readonly id: string
  readonly post_id: string
  readonly author_id: string
}

function announceComment(
  tx: Tx,
  type: 'comment.created' | 'comment.deleted',
  aggregate_version: number,
  { tenant_id, id, post_id, author_id }: Announced,
): void {
  tx.emit({
    type,
    tenant_id,
    aggregate_type: 'comment',
    aggregate_id: id,
    aggregate_version,
    data: { comment_id: id, post_id, author_id },
  })
}
