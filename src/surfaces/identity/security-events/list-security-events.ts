/**
 * Lists security events, newest first: the caller's own events, or, with the permission, all events
 * of the tenant. The stored parts of a request are safe to show to both.
 */
import { Type } from 'typebox'
import { Id, nullable, page, pageOf, sql, Time } from '#dodeca/kernel'
import type { List, Principal, Reader } from '#dodeca/kernel'

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
export const SecurityEventPage = pageOf(SecurityEvent)

export type Wanted = {
  /** Null for all events of the tenant. */
  readonly account_id: string | null
  readonly action: string | null
}

export function listSecurityEvents(
  reader: Reader,
  list: List,
  { tenant_id, id }: Principal,
  { account_id, action }: Wanted,
) {
  // A person's own events are stored in the tenant of their account, whichever tenant they work in.
  const where =
    account_id === id
      ? sql`tenant_id = (select tenant_id from identity.accounts where id = ${id})`
      : sql`tenant_id = ${tenant_id}`
  const whose = account_id === null ? sql`true` : sql`account_id = ${account_id}`
  return page(reader, {
    scope: list,
    row: SecurityEvent,
    place: ['id'],
    fetch: (after, n) => sql`
      select id, account_id, action, actor, safe_context, occurred_at
      from identity.security_events
      where ${where} and ${whose}
        and (${action}::text is null or action = ${action}::text)
        and (${after.id}::uuid is null or id < ${after.id}::uuid)
      order by id desc
      limit ${n}`,
  })
}
