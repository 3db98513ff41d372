/** Locks the row of a post and checks that it belongs to the caller. */
import { Type, type Static } from 'typebox'
import { nullable, sql, type Tx } from '#dodeca/kernel'
import type { Person } from '../deps.ts'
import { problem } from '../errors.ts'
import { visible } from '../may-see.ts'

const Locked = Type.Object({
  author_id: Type.String(),
  body_ref: nullable(Type.String()),
  visibility: Type.String(),
  version: Type.Integer(),
  last_edit: Type.String(),
  deleted: Type.Boolean(),
  seen: Type.Boolean(),
})

/**
 * The caller's own post, deleted or not. Another person's post gets 403 if the caller can see it,
 * else 404.
 */
export async function lockOwnPost(
  tx: Tx,
  person: Person,
  id: string,
): Promise<Static<typeof Locked>> {
  const found = await tx.maybe(
    Locked,
    sql`
      select p.author_id, p.body_ref, p.visibility, p.version, p.deleted_at is not null as deleted,
        coalesce(p.edited_at, p.created_at)::text as last_edit, ${visible(person)} as seen
      from social.posts p
      join social.users u on u.tenant_id = p.tenant_id and u.id = p.author_id
      where p.tenant_id = ${person.tenant_id} and p.id = ${id}
      for no key update of p`,
  )
  if (found?.author_id === person.id) return found
  if (!found?.seen) throw problem('post_not_found')
  throw problem('permission_denied', { detail: 'Only the author may do this.' })
}
