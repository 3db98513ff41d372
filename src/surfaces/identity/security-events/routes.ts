/** Routes about security events. The stored parts of a request are safe to show to every reader. */
import { Type } from 'typebox'
import { Id, looked, nullable, owner, routesOf, text, Time } from '#dodeca/kernel'
import { homeOf } from '../accounts/find-account.ts'
import type { Deps } from '../deps.ts'

const Short = nullable(Type.String({ maxLength: 200 }))

const SecurityEvent = Type.Object(
  {
    id: Id,
    account_id: nullable(Id),
    action: Type.String(),
    actor: Type.String(),
    safe_context: Type.Object({
      request_id: Type.Optional(Short),
      ip_prefix: Type.Optional(Short),
      ua_family: Type.Optional(Short),
      method: Type.Optional(Short),
      reason: Type.Optional(Short),
    }),
    occurred_at: Time,
  },
  { title: 'SecurityEvent' },
)

const { open, list } = routesOf<Deps>()

export const securityRoutes = open({
  listSecurityEvents: list('/v1/security-events', 'List security events, newest first', {
    description:
      'Returns your own security events. With the permission to read those of others, it returns all security events of the tenant, or those of `account_id`.',
    permission: 'authenticated',
    added: true,
    fails: ['permission_denied'],
    from: 'identity.security_events',
    row: SecurityEvent,
    of: owner('account_id', 'identity.security_events.read', 'any', homeOf),
    time: { column: 'occurred_at', ids: 'id' },
    filters: { action: looked(text(100)) },
    find: [],
  }),
})
