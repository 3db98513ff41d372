/** Routes about the caller's own account. */
import { reply, routesOf, viewTag } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { profile_body_bytes } from '../profiles/profile.ts'
import { Export, exportMe } from './export-me.ts'
import { Me, readMe } from './read-me.ts'
import { updateMe, UpdateMe } from './update-me.ts'

const { open, get, patch } = routesOf<Deps>({ permission: 'authenticated' })

export const meRoutes = open({
  exportMyData: get(
    '/v1/me/export',
    'Export my data',
    {
      description:
        'One JSON record a line: `surface`, `kind` and `data`. The last line is `{"complete": true}`; an export without it was cut off. Requires a recent authentication.',
      added: true,
      rate: 'expensive',
      transaction: 'own',
      produces: ['application/x-ndjson'],
      reply: Export,
      fails: ['account_not_found', 'permission_denied', 'session_bound', 'step_up_required'],
    },
    async ({ db, principal, request }, deps) =>
      reply(200, await exportMe(db, deps, principal, request.signal), {
        'content-type': 'application/x-ndjson',
        'content-disposition': 'attachment; filename="export.ndjson"',
        'cache-control': 'no-store',
      }),
  ),

  getMe: get(
    '/v1/me',
    'Get my account',
    { tool: 'read', narrow: 'openid', sends: ['etag'], reply: Me, fails: ['account_not_found'] },
    async ({ tx, principal }, deps) => {
      const { me, version } = await readMe(tx, deps, principal)
      return reply(200, me, { etag: viewTag(version, me) })
    },
  ),

  updateMe: patch(
    '/v1/me',
    'Change my name, language and profile',
    {
      description:
        '`profile` is a merge patch: members that are null are removed. The result must match the `profile_schema` of your home tenant.',
      body_limit_bytes: profile_body_bytes,
      sends: ['etag'],
      added: true,
      body: UpdateMe,
      reply: Me,
      fails: ['account_not_found', 'precondition_failed', 'permission_denied'],
    },
    async ({ tx, principal, body, if_match }, deps) => {
      await updateMe(tx, principal, body, if_match)
      const { me, version } = await readMe(tx, deps, principal)
      return reply(200, me, { etag: viewTag(version, me) })
    },
  ),
})
