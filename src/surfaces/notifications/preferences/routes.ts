/** Routes about the preferences of users. */
import { etag } from '../../../kernel/http/etag.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { UserId } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { requireUser } from '../require-user.ts'
import { send_topic } from '../topics.ts'
import { putPreferences, viewPreferences } from './put-preferences.ts'
import { PreferencesView, PutPreferences } from './schemas.ts'

const path = '/v1/users/{user_id}/preferences'
const absent = 'user_not_found'
const params = { user_id: UserId }

export function preferenceRoutes(deps: Deps): readonly Route[] {
  return [readRoute(deps), putRoute(deps)]
}

function readRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path,
    name: 'getNotificationPreferences',
    summary: 'Get the preferences of a user',
    sends: ['etag'],
    permission: 'authenticated',
    added: true,
    params,
    absent,
    replies: { 200: PreferencesView },
    fails: [absent],
    handle: async ({ tx, params: { user_id: named }, principal, grants }) => {
      const caller = { principal, grants: await grants() }
      const permission = 'notifications.preferences.read_any'
      const user_id = await requireUser(tx, deps, caller, named, permission)
      const whose = { tenant_id: principal.tenant_id, user_id }
      const { view, version } = await viewPreferences(tx, whose)
      return reply(200, view, { etag: etag(version) })
    },
  })
}

function putRoute(deps: Deps): Route {
  return route({
    method: 'PUT',
    path,
    name: 'putNotificationPreferences',
    summary: 'Replace the preferences of a user',
    sends: ['etag'],
    permission: 'authenticated',
    params,
    absent,
    body: PutPreferences,
    replies: { 200: PreferencesView },
    fails: [
      absent,
      'precondition_failed',
      'invalid_timezone',
      'invalid_quiet_hours',
      'duplicate_preference',
      'category_mandatory',
    ],
    handle: async ({ tx, params: { user_id: named }, principal, grants, body, request }) => {
      const caller = { principal, grants: await grants() }
      const permission = 'notifications.preferences.write_any'
      const user_id = await requireUser(tx, deps, caller, named, permission)
      const whose = { tenant_id: principal.tenant_id, user_id }
      await putPreferences(tx, whose, body, {
        if_match: request.headers['if-match'],
        if_none_match: request.headers['if-none-match'],
      })
      tx.wake(send_topic)
      const { view, version } = await viewPreferences(tx, whose)
      return reply(200, view, { etag: etag(version) })
    },
  })
}
