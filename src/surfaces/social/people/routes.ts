/** Routes of profiles. */
import { Type } from 'typebox'
import { reply, routesOf, UserId } from '#dodeca/kernel'
import { idIn, personOf, selfIn, type Deps } from '../deps.ts'
import { tagOf, versionTags } from '../tags.ts'
import { changeProfile, ChangeProfile } from './change-profile.ts'
import { Profile, showProfile } from './show-profile.ts'
import { findByHandle, requireTarget } from './user-row.ts'

const path = '/v1/users/{user_id}'
const absent = 'user_not_found'
const params = { user_id: UserId }
const headers = { 'cache-control': 'private, no-cache' }
const profileTag = ({ profile_version, counts, viewer }: Profile) =>
  tagOf(profile_version, { counts, viewer })

const { open, get, patch } = routesOf<Deps>({
  read: 'social.content.read',
  write: 'social.profiles.write',
  rate_tenant: false,
  added: true,
  absent,
})

export const peopleRoutes = open({
  getProfile: get(
    path,
    'Get a profile, with the relationship between you and this user',
    {
      tool: 'read',
      sends: ['etag'],
      params,
      headers,
      reply: Profile,
      fails: ['permission_denied'],
    },
    async ({ principal, params: { user_id } }, deps) => {
      const { db } = deps.kernel
      const viewer = personOf(principal)
      const id = idIn(viewer, user_id)
      await requireTarget(db, deps, viewer, id)
      const profile = await showProfile(db, viewer, id)
      return reply(200, profile, { etag: profileTag(profile) })
    },
  ),

  changeProfile: patch(
    path,
    'Change your profile',
    {
      sends: ['etag'],
      description:
        'Properties that you leave out do not change. When a private account becomes public, its waiting follow requests are accepted.',
      params,
      headers,
      body: ChangeProfile,
      instead: {
        is_private: 'privacy_state',
        privacy: 'privacy_state',
        private: 'privacy_state',
        visibility: 'privacy_state',
      },
      reply: Profile,
      fails: [
        'permission_denied',
        'account_suspended',
        'handle_taken',
        'media_not_available',
        'precondition_failed',
      ],
    },
    async ({ tx, principal, params: { user_id }, body, if_match }, deps) => {
      const person = selfIn(principal, user_id)
      await changeProfile(tx, deps, person, body, versionTags(if_match))
      const profile = await showProfile(tx, person, person.id)
      return reply(200, profile, { etag: profileTag(profile) })
    },
  ),

  getProfileByHandle: get(
    '/v1/handles/{handle}',
    'Find the profile with a handle',
    {
      sends: ['etag'],
      params: { handle: Type.String({ minLength: 1, maxLength: 31 }) },
      headers,
      reply: Profile,
      fails: ['permission_denied'],
    },
    async ({ principal, params: { handle } }, { kernel: { db } }) => {
      const viewer = personOf(principal)
      const profile = await showProfile(db, viewer, await findByHandle(db, viewer, handle))
      return reply(200, profile, { etag: profileTag(profile) })
    },
  ),
})
