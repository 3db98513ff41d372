/** Routes of profiles. */
import { Type } from 'typebox'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { UserId } from '../../../kernel/http/shapes.ts'
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

export function peopleRoutes(deps: Deps): readonly Route[] {
  return [getRoute(deps), changeRoute(deps), handleRoute(deps)]
}

function getRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path,
    name: 'getProfile',
    summary: 'Get a profile, with the relationship between you and this user',
    sends: ['etag'],
    permission: 'social.content.read',
    rate_tenant: false,
    added: true,
    params,
    headers,
    absent,
    replies: { 200: Profile },
    fails: [absent, 'permission_denied'],
    handle: async ({ principal, params: { user_id } }) => {
      const { db } = deps.kernel
      const viewer = personOf(principal)
      const id = idIn(viewer, user_id)
      await requireTarget(db, deps, viewer, id)
      const profile = await showProfile(db, viewer, id)
      return reply(200, profile, { etag: profileTag(profile) })
    },
  })
}

function changeRoute(deps: Deps): Route {
  return route({
    method: 'PATCH',
    path,
    name: 'changeProfile',
    summary: 'Change your profile',
    description:
      'Properties that you leave out do not change. When a private account becomes public, its waiting follow requests are accepted.',
    sends: ['etag'],
    permission: 'social.profiles.write',
    rate_tenant: false,
    added: true,
    params,
    headers,
    absent,
    body: ChangeProfile,
    replies: { 200: Profile },
    fails: [
      absent,
      'permission_denied',
      'account_suspended',
      'handle_taken',
      'media_not_available',
      'precondition_failed',
    ],
    handle: async ({ tx, principal, params: { user_id }, body, request }) => {
      const person = selfIn(principal, user_id)
      await changeProfile(tx, deps, person, body, versionTags(request.headers['if-match']))
      const profile = await showProfile(tx, person, person.id)
      return reply(200, profile, { etag: profileTag(profile) })
    },
  })
}

function handleRoute({ kernel: { db } }: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/handles/{handle}',
    name: 'getProfileByHandle',
    summary: 'Find the profile with a handle',
    sends: ['etag'],
    permission: 'social.content.read',
    rate_tenant: false,
    added: true,
    params: { handle: Type.String({ minLength: 1, maxLength: 31 }) },
    headers,
    absent,
    replies: { 200: Profile },
    fails: [absent, 'permission_denied'],
    handle: async ({ principal, params: { handle } }) => {
      const viewer = personOf(principal)
      const profile = await showProfile(db, viewer, await findByHandle(db, viewer, handle))
      return reply(200, profile, { etag: profileTag(profile) })
    },
  })
}
