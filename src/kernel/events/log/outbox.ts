/**
 * Writes the events and audit records of a transaction in that transaction: one insert for all
 * events and one for all audit records. An event that does not match its declaration is a bug and
 * makes the transaction fail. The transaction gets its id before it takes its first number from the
 * sequence. So the sequencer can tell whether a missing number was rolled back or may still be
 * committed.
 */
import { Compile, type Validator } from 'typebox/compile'
import type { AuditDraft, BufferedEvent, EventDraft, Origin } from '../../database/drafts.ts'
import { sql, type Sql } from '../../database/sql.ts'
import { newId } from '../../ids.ts'
import type { EventDeclaration } from '../event.ts'

export type OutboxOptions = {
  /** The trace and the name of the running work, for the events. */
  origin(): Origin
  /** The request id and the caller, for the audit record. */
  request_id(): string | null
  caller(): AuditDraft['by'] | null
}

export type Outbox = (events: readonly BufferedEvent[], acts: readonly AuditDraft[]) => Sql[]

const no_origin: Origin = { traceparent: null, written_by: null }

type Declared = { version: number; data: Validator }

export function openOutbox(
  declared: ReadonlyMap<string, EventDeclaration>,
  options?: OutboxOptions,
): Outbox {
  const known = new Map<string, Declared>()
  for (const [type, { version, data }] of declared) {
    known.set(type, { version, data: Compile(data) })
  }
  return (events, acts) => {
    const statements: Sql[] = []
    if (events.length > 0) {
      statements.push(insertEvents(known, events, options?.origin() ?? no_origin))
    }
    if (acts.length > 0) statements.push(insertActs(acts, options))
    return statements
  }
}

function insertEvents(
  known: ReadonlyMap<string, Declared>,
  events: readonly BufferedEvent[],
  origin: Origin,
): Sql {
  const rows = events.map(event => ({
    id: event.id,
    type: event.type,
    tenant_id: event.tenant_id,
    schema_version: versionOf(known, event),
    aggregate_type: event.aggregate_type,
    aggregate_id: event.aggregate_id,
    aggregate_version: event.aggregate_version,
    payload: sql.json(event.data),
    traceparent: event.traceparent ?? origin.traceparent,
    // An event with a trace of its own was caused by other work than the one that commits it.
    written_by: event.written_by ?? (event.traceparent ? null : origin.written_by),
  }))
  return sql`
    with begun as materialized (select pg_current_xact_id() as xid)
    insert into kernel.outbox_events (id, tenant_id, type, schema_version, aggregate_type,
      aggregate_id, aggregate_version, payload, traceparent, written_by, transaction_id, occurred_at)
    select e.id, e.tenant_id, e.type, e.schema_version, e.aggregate_type,
      e.aggregate_id, e.aggregate_version, e.payload::jsonb, e.traceparent,
      e.written_by, begun.xid::text::bigint, (select kernel.now())
    from begun
    cross join unnest(
      ${rows.map(row => row.id)}::uuid[],
      ${rows.map(row => row.tenant_id)}::uuid[],
      ${rows.map(row => row.type)}::text[],
      ${rows.map(row => row.schema_version)}::int[],
      ${rows.map(row => row.aggregate_type)}::text[],
      ${rows.map(row => row.aggregate_id)}::uuid[],
      ${rows.map(row => row.aggregate_version)}::bigint[],
      ${rows.map(row => row.payload)}::text[],
      ${rows.map(row => row.traceparent)}::text[],
      ${rows.map(row => row.written_by)}::text[]
    ) with ordinality as e (id, tenant_id, type, schema_version, aggregate_type,
      aggregate_id, aggregate_version, payload, traceparent, written_by, ordinal)
    where begun.xid is not null
    order by e.ordinal`
}

/** Returns the schema version that is stored with the event. */
function versionOf(known: ReadonlyMap<string, Declared>, event: EventDraft): number {
  if (event.schema_version !== undefined) return event.schema_version
  const declared = known.get(event.type)
  if (!declared) throw new Error(`the event ${event.type} is not declared by any surface`)
  if (!declared.data.Check(event.data)) {
    const faults = declared.data.Errors(event.data).slice(0, 5)
    const where = faults.map(fault => `${fault.instancePath || '/'} ${fault.message}`).join('; ')
    throw new Error(`the data of the event ${event.type} do not fit its schema: ${where}`)
  }
  return declared.version
}

function insertActs(acts: readonly AuditDraft[], options: OutboxOptions | undefined): Sql {
  const caller = options?.caller()
  const actors = acts.map(({ by = caller, action }) => {
    if (!by) throw new Error(`the audit record of ${action} has no actor`)
    return by
  })
  return sql`
    insert into kernel.audit_events (id, tenant_id, actor, action, target, outcome, reason, request_id)
    select a.id, a.tenant_id, a.actor, a.action, a.target, 'done', a.reason,
      ${options?.request_id() ?? null}::uuid
    from unnest(
      ${acts.map(() => newId())}::uuid[],
      ${actors.map(actor => actor.tenant_id)}::uuid[],
      ${actors.map(actor => actor.id)}::text[],
      ${acts.map(act => act.action)}::text[],
      ${acts.map(act => act.target)}::text[],
      ${acts.map(act => act.reason ?? null)}::text[]
    ) as a (id, tenant_id, actor, action, target, reason)`
}
