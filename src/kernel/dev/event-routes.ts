/**
 * Lets a newcomer see events at work: emits ordinary ones through the outbox of a transaction, and
 * reads the log. Only declared events with fitting data are taken, as from every other emitter.
 */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Principal } from '../access/principal.ts'
import { sql } from '../database/sql.ts'
import { LoggedEvent } from '../events/event.ts'
import { problem } from '../http/problem.ts'
import { reply, route, type Route } from '../http/route.ts'
import { closed, count, Id, limit_default, page, text, Version } from '../http/shapes.ts'
import { newId } from '../ids.ts'
import type { EventDeclaration } from '../surface.ts'

export type DeclaredEvents = ReadonlyMap<string, EventDeclaration>

const NewEvent = closed({
  type: text(200),
  aggregate_type: Type.Optional(text(100)),
  aggregate_id: Type.Optional(Id),
  aggregate_version: Type.Optional(Version),
  data: Type.Record(Type.String({ maxLength: 200 }), Type.Unknown()),
  tenant: Type.Optional(Id),
})

const Emitted = Type.Object({
  id: Id,
  type: Type.String(),
  tenant_id: Type.String(),
  aggregate_type: Type.String(),
  aggregate_id: Type.String(),
  aggregate_version: Type.Integer(),
})

const LogQuery = closed({
  type: Type.Optional(text(200)),
  aggregate_id: Type.Optional(Id),
  after: Type.Optional(count(0, Number.MAX_SAFE_INTEGER)),
  limit: Type.Optional(count(1, 100)),
})

const common = { permission: 'public', hidden: true, added: true } as const

export function eventRoutes(declared: DeclaredEvents): Route[] {
  return [emitRoute(declared), logRoute()]
}

function emitRoute(declared: DeclaredEvents): Route {
  return route({
    ...common,
    method: 'POST',
    path: '/dev/events',
    summary: 'Emits an ordinary event',
    idempotency: 'ignored',
    body: NewEvent,
    replies: { 201: Emitted },
    handle: ({ tx, principal, body }) => {
      refuseUnfit(declared, body.type, body.data)
      const event = {
        type: body.type,
        tenant_id: tenantOf(principal, body.tenant),
        // `payment.authorized` is about a payment.
        aggregate_type: body.aggregate_type ?? body.type.split('.', 1)[0] ?? body.type,
        aggregate_id: body.aggregate_id ?? newId(),
        aggregate_version: body.aggregate_version ?? 1,
      }
      const id = tx.emit({ ...event, data: body.data })
      return reply(201, { id, ...event })
    },
  })
}

function tenantOf(principal: Principal | null, tenant: string | undefined): string {
  const tenant_id = principal?.tenant_id ?? tenant
  if (tenant_id === undefined) {
    throw problem('validation_failed', {
      detail: 'Name a tenant, or send the credential of somebody in one.',
      errors: [{ location: 'body', pointer: '/tenant', constraint: 'required' }],
    })
  }
  return tenant_id
}

function refuseUnfit(declared: DeclaredEvents, type: string, data: unknown): void {
  const declaration = declared.get(type)
  if (!declaration) {
    throw problem('validation_failed', {
      detail: 'No part of the platform declares an event of this type.',
      errors: [{ location: 'body', pointer: '/type', constraint: 'declared' }],
    })
  }
  if (Value.Check(declaration.data, data)) return
  throw problem('validation_failed', {
    errors: Value.Errors(declaration.data, data)
      .slice(0, 20)
      .map(fault => ({
        location: 'body' as const,
        pointer: `/data${fault.instancePath}`,
        constraint: fault.keyword,
      })),
  })
}

function logRoute(): Route {
  return route({
    ...common,
    method: 'GET',
    path: '/dev/events',
    summary: 'The event log of all tenants, oldest first; `next_cursor` is the next `after`',
    query: LogQuery,
    replies: { 200: page(LoggedEvent) },
    handle: async ({ tx, query }) => {
      const { type = null, aggregate_id = null, after = 0, limit = limit_default } = query
      const rows = await tx.many(
        LoggedEvent,
        sql`
          select position, id, tenant_id, type, schema_version, aggregate_type, aggregate_id,
            aggregate_version, payload, payload_ref, traceparent, occurred_at, created_at
          from kernel.events
          where position > ${after}::bigint
            and (${type}::text is null or type = ${type}::text)
            and (${aggregate_id}::uuid is null or aggregate_id = ${aggregate_id}::uuid)
          order by position
          limit ${limit + 1}::int`,
      )
      const data = rows.slice(0, limit)
      const has_more = rows.length > limit
      const last = data.at(-1)
      return reply(200, {
        data,
        next_cursor: has_more && last ? `${last.position}` : null,
        has_more,
      })
    },
  })
}
