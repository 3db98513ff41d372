/**
 * A profile as the viewer sees it. The relationship to the viewer is exact; counts may lag for
 * seconds.
 */
import { Type, type Static } from 'typebox'
import { count, Id, nullable, oneOf, sql, Version, type Reader } from '#dodeca/kernel'
import type { Person } from '../deps.ts'
import { problem } from '../errors.ts'
import { follows, knowable } from '../may-see.ts'

const Count = count(0, Number.MAX_SAFE_INTEGER)
export const privacy_states = ['public', 'private'] as const

export const Profile = Type.Object(
  {
    id: Id,
    handle: Type.String({ maxLength: 30 }),
    display_name: Type.String({ maxLength: 200 }),
    bio: Type.String({ maxLength: 2000 }),
    avatar_file_id: nullable(Id),
    privacy_state: oneOf(...privacy_states),
    profile_version: Version,
    counts: Type.Object({ followers: Count, following: Count, posts: Count }),
    viewer: Type.Object({
      following: oneOf('none', 'pending', 'active'),
      followed_by: Type.Boolean(),
      blocking: Type.Boolean(),
      muting: Type.Boolean(),
    }),
  },
  { title: 'Profile' },
)
export type Profile = Static<typeof Profile>

const Row = Type.Object({
  id: Type.String(),
  handle: Type.String(),
  display_name: Type.String(),
  bio: Type.String(),
  avatar_file_id: nullable(Type.String()),
  privacy_state: oneOf(...privacy_states),
  profile_version: Type.Integer(),
  followers: Type.Integer(),
  following: Type.Integer(),
  posts: Type.Integer(),
  viewer_follows: oneOf('none', 'pending', 'active'),
  followed_by: Type.Boolean(),
  blocking: Type.Boolean(),
  muting: Type.Boolean(),
})

export async function showProfile(reader: Reader, viewer: Person, id: string): Promise<Profile> {
  const { tenant_id } = viewer
  const counted = (kind: string) => sql`
    coalesce((select greatest(k.value, 0) from social.counter_projections k
      where k.tenant_id = ${tenant_id} and k.subject_type = 'user' and k.subject_id = u.id
        and k.kind = ${kind}), 0)`
  const row = await reader.maybe(
    Row,
    sql`
      select u.id, u.handle, u.display_name, u.bio, u.avatar_file_id, u.privacy_state,
        u.profile_version, ${counted('followers')} as followers,
        ${counted('following')} as following, ${counted('posts')} as posts,
        coalesce((select f.state from social.follows f where f.tenant_id = ${tenant_id}
          and f.follower_id = ${viewer.id} and f.followed_id = u.id), 'none') as viewer_follows,
        ${follows({ tenant_id, id }, sql`${viewer.id}::uuid`)} as followed_by,
        exists (select from social.blocks b where b.tenant_id = ${tenant_id}
          and b.blocker_id = ${viewer.id} and b.blocked_id = u.id) as blocking,
        exists (select from social.mutes m where m.tenant_id = ${tenant_id}
          and m.muter_id = ${viewer.id} and m.muted_id = u.id
          and (m.expires_at is null or m.expires_at > kernel.now())) as muting
      from social.users u
      where u.tenant_id = ${tenant_id} and u.id = ${id} and ${knowable(viewer)}`,
  )
  if (!row) throw problem('user_not_found')
  const { followers, following, posts, viewer_follows, followed_by, blocking, muting, ...own } = row
  return {
    ...own,
    counts: { followers, following, posts },
    viewer: { following: viewer_follows, followed_by, blocking, muting },
  }
}
