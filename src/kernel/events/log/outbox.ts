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

const uuids = (values: unknown[]) => sql`${values}::uuid[]`
const texts = (values: unknown[]) => sql`${values}::text[]`
const numbers = (values: unknown[]) => sql`${values}::bigint[]`

/** The columns that an event brings, and how many values of each are sent. */
const arrays = {
  id: uuids,
  tenant_id: uuids,
  type: texts,
  schema_version: numbers,
  aggregate_type: texts,
  aggregate_id: uuids,
  aggregate_version: numbers,
  payload: null,
  traceparent: texts,
  written_by: texts,
}
type Column = keyof typeof arrays
type Row = Readonly<Record<Column, string | number | null>>

const names = Object.keys(arrays) as Column[]
const columns = sql.join(
  names.map(name => sql`${sql.id(name)}`),
  ', ',
)

function insertEvents(
  known: ReadonlyMap<string, Declared>,
  events: readonly BufferedEvent[],
  origin: Origin,
): Sql {
  const rows = events.map((event): Row => ({
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
  const { values, lists, order } = tableOf(rows)
  return sql`
    with begun as materialized (select pg_current_xact_id() as xid)
    insert into kernel.outbox_events (${columns}, transaction_id, occurred_at)
    select ${values}, begun.xid::text::bigint, (select kernel.now())
    from begun ${lists}
    where begun.xid is not null ${order}`
}

/**
 * What all rows have in common is sent once, and not as an array: a hundred events of one type cost
 * PostgreSQL a quarter less, and a single event, which needs no array at all, a third less.
 */
function tableOf(rows: readonly Row[]): Readonly<Record<'values' | 'lists' | 'order', Sql>> {
  const [first] = rows
  const listed = names.filter(
    name => rows.length > 1 && (name === 'id' || rows.some(row => row[name] !== first?.[name])),
  )
  const values = names.map(name =>
    listed.includes(name) ? sql`e.${sql.id(name)}` : sql`${first?.[name]}`,
  )
  const some = listed.length > 0
  return {
    values: sql.join(values, ', '),
    lists: some ? listsOf(rows, listed) : sql.empty,
    order: some ? sql`order by e.ordinal` : sql.empty,
  }
}

/** The payloads are sent as one JSON document. As texts, each of their quotes would be escaped. */
function listsOf(rows: readonly Row[], listed: readonly Column[]): Sql {
  const plain = listed.filter(name => name !== 'payload')
  const lists = plain.flatMap(name => arrays[name]?.(rows.map(row => row[name])) ?? [])
  const called = sql.join(
    plain.map(name => sql`${sql.id(name)}`),
    ', ',
  )
  const unnested = sql`unnest(${sql.join(lists, ', ')})`
  if (plain.length === listed.length) {
    return sql`cross join ${unnested} with ordinality as e (${called}, ordinal)`
  }
  const payloads = `[${rows.map(row => row.payload).join(',')}]`
  return sql`
    cross join rows from (${unnested}, jsonb_array_elements(${payloads}::jsonb))
      with ordinality as e (${called}, payload, ordinal)`
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
