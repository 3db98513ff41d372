/** Routes about security events. */
import { Type } from 'typebox'
import { Id, lacks, pageQuery, reply, routesOf, text } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { listSecurityEvents, SecurityEventPage } from './list-security-events.ts'

const reads = 'identity.security_events.read'

const { open, get } = routesOf<Deps>()

export const securityRoutes = open({
  listSecurityEvents: get(
    '/v1/security-events',
    'List security events, newest first',
    {
      description:
        'Returns your own security events. With the permission to read those of others, it returns all security events of the tenant, or those of `account_id`.',
      permission: 'authenticated',
      added: true,
      query: pageQuery({ account_id: Type.Optional(Id), action: Type.Optional(text(100)) }),
      reply: SecurityEventPage,
      fails: ['permission_denied'],
    },
    async ({ tx, principal, query, list, grants }) => {
      const { account_id, action = null } = query
      const mine = account_id === principal.id
      const all = !mine && (await grants()).has(reads)
      if (!all && !mine && account_id !== undefined) throw lacks(reads)
      const wanted = { account_id: account_id ?? (all ? null : principal.id), action }
      const { body, headers } = await listSecurityEvents(tx, list, principal, wanted)
      return reply(200, body, headers)
    },
  ),
})
