/**
 * The record of administrative acts. Readers with the permission can read the acts of their own
 * tenant.
 */
import { Type } from 'typebox'
import { Id, nullable, pageOf, pageQuery, reply, route, sql, text, Time } from '#dodeca/kernel'
import type { Route } from '#dodeca/kernel'
import type { Cursors } from '../../kernel/http/contract/cursor.ts'

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
      summary: 'List the audit log, newest first',
      permission: 'kernel.audit_events.read',
      added: true,
      query: pageQuery({
        actor: Type.Optional(text(200)),
        action: Type.Optional(text(200)),
        target: Type.Optional(text(400)),
        /** Finds the acts that one request caused. */
        request_id: Type.Optional(Id),
      }),
      replies: { 200: pageOf(AuditEvent) },
      handle: async ({ tx, principal, query, list }) => {
        const { after, fetch } = cursors.start(list)
        const { actor = null, action = null, target = null, request_id = null } = query
        const [earliest, latest] = request_id === null ? [null, null] : spanOf(request_id)
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
              -- Ids begin with their time, so only the acts of the hour after the request are read.
              and (${request_id}::uuid is null or (request_id = ${request_id}::uuid
                and id between ${earliest}::uuid and ${latest}::uuid))
            order by id desc
            limit ${fetch}`,
        )
        const { body, headers } = cursors.page(list, rows, row => [row.id])
        return reply(200, body, headers)
      },
    }),
  ]
}

/** The range of audit ids from the second in which the request began to an hour later. */
function spanOf(request_id: string): [string, string] {
  const began = Number.parseInt(request_id.replaceAll('-', '').slice(0, 12), 16)
  const idAt = (ms: number) => {
    const hex = Math.min(Math.max(0, ms), 2 ** 48 - 1)
      .toString(16)
      .padStart(12, '0')
    return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
  }
  return [idAt(began - 1000), idAt(began + 3_600_000)]
}
