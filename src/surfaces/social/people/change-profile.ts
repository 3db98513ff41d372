/**
 * Changes the profile of a person. If a private account becomes public, its waiting requests become
 * follows.
 */
import { Type, type Static } from 'typebox'
import { closed, dueNow, expectVersion, Id, nullable, oneOf, sql, violates } from '#dodeca/kernel'
import type { Tx } from '#dodeca/kernel'
import { topics, type Deps, type Person } from '../deps.ts'
import { problem } from '../errors.ts'
import { requireMedia } from '../posts/media.ts'
import { cleanText } from '../text.ts'
import { privacy_states } from './show-profile.ts'
import { requireWriter } from './user-row.ts'

export const ChangeProfile = closed(
  {
    handle: Type.Optional(
      Type.String({ pattern: '^[a-z0-9_.]{3,30}$', minLength: 3, maxLength: 30 }),
    ),
    display_name: Type.Optional(Type.String({ maxLength: 200 })),
    bio: Type.Optional(Type.String({ maxLength: 2000 })),
    avatar_file_id: Type.Optional(nullable(Id)),
    privacy_state: Type.Optional(oneOf(...privacy_states)),
  },
  { title: 'ChangeProfile' },
)
export type ChangeProfile = Static<typeof ChangeProfile>

const Before = Type.Object({
  profile_version: Type.Integer(),
  privacy_state: Type.String(),
  avatar_file_id: nullable(Type.String()),
})

export async function changeProfile(
  tx: Tx,
  deps: Pick<Deps, 'files'>,
  person: Person,
  given: ChangeProfile,
  if_match: string | string[] | undefined,
): Promise<void> {
  await requireWriter(tx, person)
  const { tenant_id, id } = person
  const before = await tx.maybe(
    Before,
    sql`
      select profile_version, privacy_state, avatar_file_id from social.users
      where tenant_id = ${tenant_id} and id = ${id} and deleted_at is null for no key update`,
  )
  // The person was erased while this request waited for the row.
  if (!before) throw problem('account_suspended')
  expectVersion(if_match, before.profile_version)
  const { handle, avatar_file_id, privacy_state } = given
  const display_name = optionalText(given.display_name, 'display_name', 64)
  const bio = optionalText(given.bio, 'bio', 500)
  if (avatar_file_id && avatar_file_id !== before.avatar_file_id) {
    await requireMedia(tx, deps, person, [avatar_file_id], 'avatar')
  }
  const opens = privacy_state === 'public' && before.privacy_state === 'private'
  const avatar = avatar_file_id === undefined ? before.avatar_file_id : avatar_file_id
  try {
    const changed = await tx.run(sql`
      update social.users
      set handle = coalesce(${handle ?? null}, handle),
        display_name = coalesce(${display_name}, display_name), bio = coalesce(${bio}, bio),
        avatar_file_id = ${avatar}::uuid, privacy_state = coalesce(${privacy_state ?? null}, privacy_state),
        ${opens ? sql`${dueNow()},` : sql.empty}
        profile_version = profile_version + 1
      where tenant_id = ${tenant_id} and id = ${id}
        and (handle, display_name, bio, avatar_file_id, privacy_state) is distinct from (
          coalesce(${handle ?? null}, handle), coalesce(${display_name}, display_name),
          coalesce(${bio}, bio), ${avatar}::uuid, coalesce(${privacy_state ?? null}, privacy_state))`)
    if (changed === 0) return
  } catch (error) {
    if (violates(error, 'users_handle')) throw handleTaken()
    throw error
  }
  // Now and not before: the update waits for an erasure that gives the handle up and keeps it taken.
  if (handle) await requireFree(tx, person, handle)
  if (opens) tx.wake(topics.openings)
  const profile_version = before.profile_version + 1
  tx.emit({
    type: 'profile.updated',
    tenant_id,
    aggregate_type: 'profile',
    aggregate_id: id,
    aggregate_version: profile_version,
    data: { user_id: id, profile_version },
  })
}

function optionalText(text: string | undefined, member: string, graphemes: number): string | null {
  return text === undefined ? null : cleanText(text, member, { graphemes, bytes: graphemes * 8 })
}

const Free = Type.Object({ taken: Type.Boolean() })

/** Default handles, and handles of deleted people, cannot be chosen. */
async function requireFree(tx: Tx, { tenant_id, id }: Person, handle: string): Promise<void> {
  const { taken } = await tx.one(
    Free,
    sql`
      select (${handle} ~ '^(user_[0-9a-f]{12}|x[0-9a-f]{29})$'
          and ${handle} <> social.first_handle(${id}))
        or exists (select from social.users where tenant_id = ${tenant_id}
          and handle = social.reserved_handle(${handle})) as taken`,
  )
  if (taken) throw handleTaken()
}

function handleTaken() {
  return problem('handle_taken', { detail: 'Choose another handle.' })
}
