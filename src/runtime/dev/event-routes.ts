/**
 * Shows how events work. One route emits ordinary events through the outbox of a transaction. The
 * transaction may be held open or rolled back. Another route reads the log. Only declared events
 * with valid data are accepted, as in every other part of the platform.
 */
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import {
  closed,
  count,
  Id,
  limit_default,
  LoggedEvent,
  map,
  newId,
  nullable,
  pageOf,
  problem,
  reply,
  route,
  sql,
  SqlState,
  text,
  Version,
} from '#dodeca/kernel'
import type { Db, EventDeclaration, Principal, Route, Tx } from '#dodeca/kernel'
import type { Faults } from '../../kernel/faults.ts'

export type DeclaredEvents = ReadonlyMap<string, EventDeclaration>

const events_max = 10_000
const hold_max_ms = 60_000

const NewEvent = closed({
  type: text(200),
  aggregate_type: Type.Optional(text(100)),
  aggregate_id: Type.Optional(Id),
  aggregate_version: Type.Optional(Version),
  data: map(text(200, 0), Type.Unknown(), 10_000),
  tenant: Type.Optional(Id),
  /**
   * The number of events in one transaction. Either all belong to one aggregate with consecutive
   * versions, or each event has its own aggregate.
   */
  count: Type.Optional(count(1, events_max)),
  /** Keeps the transaction open after its events have got their outbox numbers. */
  hold_ms: Type.Optional(count(0, hold_max_ms)),
  /** Rolls the transaction back: the returned ids never appear in the log. */
  rollback: Type.Optional(Type.Boolean()),
})
type NewEvent = Static<typeof NewEvent>

const Emitted = Type.Object({
  event_ids: Type.Array(Id, { maxItems: events_max }),
  type: Type.String(),
  tenant_id: Type.String(),
  aggregate_type: Type.String(),
  /** Null if each event has its own aggregate. */
  aggregate_id: nullable(Id),
  aggregate_version: Type.Integer(),
})

const LogQuery = closed({
  type: Type.Optional(text(200)),
  aggregate_id: Type.Optional(Id),
  after: Type.Optional(count(0, Number.MAX_SAFE_INTEGER)),
  limit: Type.Optional(count(1, 100)),
})

const common = { permission: 'public', hidden: true, added: true } as const

export type EventDeps = {
  readonly db: Db
  readonly faults: Pick<Faults, 'fault'>
  readonly declared: DeclaredEvents
}

export function eventRoutes(deps: EventDeps): Route[] {
  return [emitRoute(deps), logRoute()]
}

function emitRoute(deps: EventDeps): Route {
  return route({
    ...common,
    method: 'POST',
    path: '/dev/events',
    summary: 'Emit ordinary events',
    idempotency: 'ignored',
    transaction: 'own',
    body: NewEvent,
    replies: { 201: Emitted },
    handle: async ({ principal, body }) => {
      refuseUnfit(deps.declared, body.type, body.data)
      return reply(201, await emit(deps, tenantOf(principal, body.tenant), body))
    },
  })
}

async function emit({ db, faults }: EventDeps, tenant_id: string, draft: NewEvent) {
  const { type, count: many = 1, hold_ms = 0, rollback = false } = draft
  const one = {
    type,
    tenant_id,
    // The aggregate of `payment.authorized` is a payment.
    aggregate_type: draft.aggregate_type ?? type.split('.', 1)[0] ?? type,
    aggregate_version: draft.aggregate_version ?? 1,
  }
  const aggregate_id = draft.aggregate_id ?? (many === 1 ? newId() : null)
  let event_ids: string[] = []
  const work = async (tx: Tx) => {
    event_ids = Array.from({ length: many }, (_, index) =>
      tx.emit({
        ...one,
        aggregate_id: aggregate_id ?? newId(),
        aggregate_version: one.aggregate_version + (aggregate_id ? index : 0),
        data: draft.data,
      }),
    )
    // These statements are sent with COMMIT, after the events. The events have their numbers then,
    // but no reader sees them yet.
    for (const seconds of portionsOf(hold_ms)) tx.atCommit(sql`select pg_sleep(${seconds})`)
    if (rollback) tx.atCommit(undo)
    await faults.fault('kernel.before_commit')
  }
  await db.tx(work).catch((error: unknown) => {
    if (!(rollback && error instanceof SqlState && error.code === undone)) throw error
  })
  return { event_ids, ...one, aggregate_id }
}

const undone = 'DV001'
const undo = sql`
  do $$ begin raise exception 'undone, as was asked for' using errcode = 'DV001'; end $$`

/** No statement may take long, so a long pause is split into several statements. */
function portionsOf(hold_ms: number): number[] {
  const whole = Array.from({ length: Math.floor(hold_ms / 1000) }, () => 1)
  return hold_ms % 1000 === 0 ? whole : [...whole, (hold_ms % 1000) / 1000]
}

function tenantOf(principal: Principal | null, tenant: string | undefined): string {
  const tenant_id = principal?.tenant_id ?? tenant
  if (tenant_id === undefined) {
    throw problem('validation_failed', {
      detail: 'Name a tenant, or send a credential of an account of one.',
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
    replies: { 200: pageOf(LoggedEvent) },
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
