/**
 * The consumers of social: they create rows for new accounts, remove deleted files, and send
 * notices.
 */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { Id, sql, type Consumer } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { announcePost } from './events.ts'
import { noticeConsumer } from './notices.ts'
import { ensureUser } from './people/user-row.ts'

export function consumers(deps: Deps): readonly Consumer[] {
  return [people, files, noticeConsumer(deps)]
}

const Registered = Type.Object({ account_id: Id, tenant_id: Id })

const people: Consumer = {
  name: 'social.people',
  events: ['account.registered'],
  run: async (tx, { payload }) => {
    if (!Value.Check(Registered, payload)) throw new Error('not an event of an account')
    await ensureUser(tx, { tenant_id: payload.tenant_id, id: payload.account_id })
  },
}

const Gone = Type.Object({ file_id: Id })
const Changed = Type.Object({
  id: Type.String(),
  author_id: Type.String(),
  visibility: Type.String(),
  version: Type.Integer(),
  at: Type.String(),
})
const Profile = Type.Object({ id: Type.String(), profile_version: Type.Integer() })

/**
 * A file that is deleted or found harmful is removed from its posts and profiles, and their
 * versions increase.
 */
const files: Consumer = {
  name: 'social.files',
  events: ['file.quarantined', 'file.deleted'],
  run: async (tx, { tenant_id, payload }) => {
    if (!Value.Check(Gone, payload)) throw new Error('not an event of a file')
    const { file_id } = payload
    const posts = await tx.many(
      Changed,
      sql`
        with gone as (
          delete from social.post_media where tenant_id = ${tenant_id} and object_id = ${file_id}
          returning post_id
        )
        update social.posts p set version = version + 1, edited_at = kernel.now()
        from gone where p.tenant_id = ${tenant_id} and p.id = gone.post_id and p.deleted_at is null
        returning p.id, p.author_id, p.visibility, p.version, p.edited_at as at`,
    )
    for (const post of posts) announcePost(tx, 'post.updated', { tenant_id, ...post })
    const people = await tx.many(
      Profile,
      sql`
        update social.users set avatar_file_id = null, profile_version = profile_version + 1
        where tenant_id = ${tenant_id} and avatar_file_id = ${file_id}
        returning id, profile_version`,
    )
    for (const { id, profile_version } of people) {
      tx.emit({
        type: 'profile.updated',
        tenant_id,
        aggregate_type: 'profile',
        aggregate_id: id,
        aggregate_version: profile_version,
        data: { user_id: id, profile_version },
      })
    }
  },
}
