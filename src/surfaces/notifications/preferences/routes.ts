/** Routes about the preferences of users. */
import { etag, reply, routesOf, UserId } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { requireUser } from '../require-user.ts'
import { send_topic } from '../topics.ts'
import { putPreferences, viewPreferences } from './put-preferences.ts'
import { PreferencesView, PutPreferences } from './schemas.ts'

const path = '/v1/users/{user_id}/preferences'
const absent = 'user_not_found'
const params = { user_id: UserId }

const { open, get, put } = routesOf<Deps>({ permission: 'authenticated', absent, params })

export const preferenceRoutes = open({
  getNotificationPreferences: get(
    path,
    'Get the preferences of a user',
    {
      for_others: 'notifications.preferences.read_any',
      sends: ['etag'],
      added: true,
      reply: PreferencesView,
    },
    async ({ tx, params: { user_id: named }, principal, grants }, deps) => {
      const caller = { principal, grants: await grants() }
      const permission = 'notifications.preferences.read_any'
      const user_id = await requireUser(tx, deps, caller, named, permission)
      const whose = { tenant_id: principal.tenant_id, user_id }
      const { view, version } = await viewPreferences(tx, whose)
      return reply(200, view, { etag: etag(version) })
    },
  ),

  putNotificationPreferences: put(
    path,
    'Replace the preferences of a user',
    {
      for_others: 'notifications.preferences.write_any',
      sends: ['etag'],
      body: PutPreferences,
      reply: PreferencesView,
      fails: [
        'permission_denied',
        'precondition_failed',
        'invalid_timezone',
        'invalid_quiet_hours',
        'duplicate_preference',
        'unknown_category',
        'category_mandatory',
      ],
    },
    async (
      { tx, params: { user_id: named }, principal, grants, body, request, if_match },
      deps,
    ) => {
      const caller = { principal, grants: await grants() }
      const permission = 'notifications.preferences.write_any'
      const user_id = await requireUser(tx, deps, caller, named, permission, { changes: true })
      const whose = { tenant_id: principal.tenant_id, user_id }
      await putPreferences(tx, deps, whose, body, {
        if_match,
        if_none_match: request.headers['if-none-match'],
      })
      tx.wake(send_topic)
      const { view, version } = await viewPreferences(tx, whose)
      return reply(200, view, { etag: etag(version) })
    },
  ),
})
