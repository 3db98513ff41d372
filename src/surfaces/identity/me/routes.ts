/** Routes about the caller's own account. */
import { viewTag } from '../../../kernel/http/etag.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import type { Deps } from '../deps.ts'
import { exportRoute } from './export-me.ts'
import { Me, readMe } from './read-me.ts'
import { updateMe, UpdateMe } from './update-me.ts'

export function meRoutes(deps: Deps): readonly Route[] {
  return [
    exportRoute(deps),
    route({
      method: 'GET',
      path: '/v1/me',
      name: 'getMe',
      summary: 'Get my account',
      sends: ['etag'],
      permission: 'authenticated',
      replies: { 200: Me },
      fails: ['account_not_found'],
      handle: async ({ tx, principal }) => {
        const { me, version } = await readMe(tx, deps, principal)
        return reply(200, me, { etag: viewTag(version, me) })
      },
    }),
    route({
      method: 'PATCH',
      path: '/v1/me',
      name: 'updateMe',
      summary: 'Change my display name',
      sends: ['etag'],
      permission: 'authenticated',
      added: true,
      body: UpdateMe,
      replies: { 200: Me },
      fails: ['account_not_found', 'precondition_failed', 'permission_denied'],
      handle: async ({ tx, principal, body, request }) => {
        await updateMe(tx, principal, body, request.headers['if-match'])
        const { me, version } = await readMe(tx, deps, principal)
        return reply(200, me, { etag: viewTag(version, me) })
      },
    }),
  ]
}
