/** The record of administrative acts, for readers with the permission, within their own tenant. */
import { Type } from 'typebox'
import { sql } from '../../kernel/database/sql.ts'
import type { Cursors } from '../../kernel/http/cursor.ts'
import { reply, route, type Route } from '../../kernel/http/route.ts'
import { Id, nullable, page, pageQuery, text, Time } from '../../kernel/http/shapes.ts'

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

export function auditRoutes({ cursors }: { cursors: Cursors }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/audit-events',
      name: 'listAuditEvents',
      summary: 'List administrative acts, newest first',
      permission: 'kernel.audit_events.read',
      added: true,
      query: pageQuery({
        actor: Type.Optional(text(200)),
        action: Type.Optional(text(200)),
        target: Type.Optional(text(400)),
      }),
      replies: { 200: page(AuditEvent) },
      handle: async ({ tx, principal, query, list }) => {
        const { after, fetch } = cursors.start(list)
        const { actor = null, action = null, target = null } = query
        const rows = await tx.many(
          AuditEvent,
          sql`
            select id, tenant_id, actor, action, target, outcome, request_id, reason, diff_hash, occurred_at
            from kernel.audit_events
            where tenant_id = ${principal.tenant_id}
              and (${after?.[0] ?? null}::uuid is null or id < ${after?.[0] ?? null}::uuid)
              and (${actor}::text is null or actor = ${actor}::text)
              and (${action}::text is null or action = ${action}::text)
              and (${target}::text is null or target = ${target}::text)
            order by id desc
            limit ${fetch}`,
        )
        const { body, headers } = cursors.page(list, rows, row => [row.id])
        return reply(200, body, headers)
      },
    }),
  ]
}
