/**
 * Pauses a type, and resumes it. The reply to a pause is sent only when all claims that began
 * before it have ended. A pause with an end time ends automatically, with an event.
 */
import { Type, type Static } from 'typebox'
import { nullable, parseTime, sql, Time, type Db, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { runner_topic } from '../topics.ts'
import { problem } from '../errors.ts'
import type { PauseState, PauseType } from './schemas.ts'

const Row = Type.Object({
  id: Type.String(),
  type: Type.String(),
  kind: Type.String(),
  version: Type.Integer(),
  paused_at: nullable(Time),
  paused_until: nullable(Time),
  paused_by: nullable(Type.String()),
  pause_reason: nullable(Type.String()),
})
type Row = Static<typeof Row>

const columns = sql`id, type, kind, version, paused_at, paused_until, paused_by, pause_reason`

/** The tenant that administers the platform. Types belong to no other tenant. */
const platform_tenant_id = '01900000-0000-7000-8000-000000000001'

type Act = { readonly principal: Pick<Principal, 'id' | 'tenant_id'> }

export async function pauseType(
  db: Db,
  deps: Pick<Deps, 'types' | 'kernel'>,
  type: string,
  { reason, until = null }: PauseType,
  act: Act,
): Promise<PauseState> {
  if (until !== null && parseTime(until) <= deps.kernel.clock.nowMs()) {
    const errors = [{ location: 'body', pointer: '/until', constraint: 'future' }] as const
    throw problem('validation_failed', { errors })
  }
  const row = await db.tx(tx => markPaused(tx, deps, type, { reason, until }, act))
  await db.tx(tx => closeFence(tx, type))
  return await shown(db, row)
}

async function markPaused(
  tx: Tx,
  { types }: Pick<Deps, 'types'>,
  type: string,
  { reason, until }: { reason: string; until: string | null },
  { principal }: Act,
): Promise<Row> {
  const kind = await types.kindOf(tx, type)
  if (!kind) throw problem('job_type_not_found')
  const row = await tx.one(
    Row,
    sql`
    insert into jobs.job_types as t (type, kind, paused_at, paused_until, paused_by, pause_reason)
    values (${type}, ${kind}, kernel.now(), ${until}, ${principal.id}, ${reason})
    on conflict (type) do update
      set paused_at = coalesce(t.paused_at, excluded.paused_at),
        paused_until = excluded.paused_until, paused_by = excluded.paused_by,
        pause_reason = excluded.pause_reason, version = t.version + 1, updated_at = kernel.now()
    returning ${columns}`,
  )
  announce(tx, row, 'job_type.paused', { type, reason, until })
  tx.audit('jobs.types.pause', type, { by: principal, reason })
  return row
}

export async function resumeType(
  tx: Tx,
  { types }: Pick<Deps, 'types'>,
  type: string,
  { principal }: Act,
): Promise<PauseState> {
  const kind = await types.kindOf(tx, type)
  if (!kind) throw problem('job_type_not_found')
  const row = await tx.maybe(
    Row,
    sql`
    update jobs.job_types
    set paused_at = null, paused_until = null, paused_by = null, pause_reason = null,
      version = version + 1, updated_at = kernel.now()
    where type = ${type} and paused_at is not null
    returning ${columns}`,
  )
  if (row) {
    announce(tx, row, 'job_type.resumed', { type })
    tx.audit('jobs.types.resume', type, { by: principal })
    tx.wake(runner_topic)
  }
  const none = { paused_at: null, paused_until: null, paused_by: null, pause_reason: null }
  return await shown(tx, { ...none, type, kind })
}

/**
 * Ends pauses whose time is over, and emits their events. The pauses already have no effect at that
 * time.
 */
export async function endPauses({ kernel }: Pick<Deps, 'kernel'>): Promise<void> {
  const ended = await kernel.db.tx(async tx => {
    const rows = await tx.many(
      Row,
      sql`
      update jobs.job_types
      set paused_at = null, paused_until = null, paused_by = null, pause_reason = null,
        version = version + 1, updated_at = kernel.now()
      where paused_until <= kernel.now()
      returning ${columns}`,
    )
    for (const row of rows) announce(tx, row, 'job_type.resumed', { type: row.type })
    return rows.length
  })
  if (ended > 0) kernel.wake([runner_topic])
}

const Running = Type.Object({ running: Type.Integer() })

async function shown(
  reader: Pick<Db, 'one'>,
  row: Omit<Row, 'id' | 'version'>,
): Promise<PauseState> {
  const { running } = await reader.one(
    Running,
    sql`
    -- any tenant: a type is the platform's
    select count(*)::int as running from jobs.job_attempts
    where state = 'running' and type = ${row.type}`,
  )
  return {
    type: row.type,
    paused: row.paused_at !== null,
    reason: row.pause_reason,
    paused_at: row.paused_at,
    paused_by: row.paused_by,
    until: row.paused_until,
    running: row.kind === 'activity' ? null : running,
  }
}

function announce(tx: Tx, row: Row, type: string, data: object): void {
  tx.emit({
    type,
    tenant_id: platform_tenant_id,
    aggregate_type: 'job_type',
    aggregate_id: row.id,
    aggregate_version: row.version,
    data,
  })
}

const Open = Type.Object({ open: Type.Boolean() })

/**
 * Returns false while the type is paused. The caller's transaction holds the fence until it ends.
 */
export async function passFence(tx: Tx, type: string): Promise<boolean> {
  const [, { open }] = await Promise.all([
    tx.run(sql`select pg_advisory_xact_lock_shared(hashtext('jobs.type'), hashtext(${type}))`),
    tx.one(
      Open,
      sql`
      select not exists (
        select from jobs.job_types t
        where t.type = ${type} and t.paused_at is not null
          and (t.paused_until is null or t.paused_until > kernel.now())) as open`,
    ),
  ])
  return open
}

/** Resolves when every claim that began before has ended. */
export async function closeFence(tx: Tx, type: string): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtext('jobs.type'), hashtext(${type}))`)
}
