/**
 * The record of administrative acts. Readers with the permission can read the acts of their own
 * tenant.
 */
import { Type } from 'typebox'
import { equal, Id, looked, nullable, routesOf, sql, text, Time } from '#dodeca/kernel'
import type { ListDeps, Sql } from '#dodeca/kernel'

const AuditEvent = Type.Object(
  {
    id: Id,
    tenant_id: nullable(Id),
    actor: Type.String(),
    action: Type.String(),
    target: Type.String(),
    outcome: Type.String(),
    request_id: nullable(Id),
    reason: nullable(Type.String()),
    diff_hash: nullable(Type.String()),
    occurred_at: Time,
  },
  { title: 'AuditEvent' },
)

const { open, list } = routesOf<ListDeps>({ permission: 'kernel.audit_events.read', added: true })

export const auditRoutes = open({
  listAuditEvents: list('/v1/audit-events', 'List the audit log, newest first', {
    description:
      'With `request_id`, the acts that one request caused. With `target`, the acts on a thing, with or without its kind (`order:<id>` or `<id>`); for an account also the roles that it got or lost. `since` and `until` refer to `occurred_at`.',
    from: 'kernel.audit_events',
    row: AuditEvent,
    time: { column: 'occurred_at', ids: 'id' },
    filters: {
      actor: looked(text(200)),
      action: looked(text(200)),
      target: looked(text(400), isAbout),
      request_id: equal(Id, actsOf),
    },
    find: [],
  }),
})

/** Targets are an id, `kind:id` or `account/role`. */
function isAbout(target: string): Sql {
  return sql`(t.target = ${target} or starts_with(t.target, ${target} || '/')
    or right(t.target, length(${target}) + 1) = ':' || ${target})`
}

/** Ids begin with their time, so only the acts of the hour after the request are read. */
function actsOf(request_id: string): Sql {
  const began = Number.parseInt(request_id.replace('-', '').slice(0, 12), 16) / 1000
  return sql`t.request_id = ${request_id} and t.id
    between kernel.first_id_of(to_timestamp(${Math.max(began - 1, 0)}))
      and kernel.first_id_of(to_timestamp(${began + 3600}))`
}
