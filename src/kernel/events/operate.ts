/**
 * The views of consumers and parks for operators, and their actions, over HTTP and on the command
 * line. An action changes one row if the state of the row allows it. The audit record is written in
 * the same transaction. The process that holds the lane then does the work.
 */
import { type Static, Type } from 'typebox'
import type { Db, Reader, Tx } from '../database/db.ts'
import { sql, type Sql } from '../database/sql.ts'
import { problemsOf } from '../errors/problem.ts'
import { LoggedEvent } from './event.ts'
import { columns } from './log/read.ts'

export const eventErrors = {
  event_park_not_found: {
    status: 404,
    title: 'There is no such parked event',
    cause: 'No parked event has this id.',
    cure: 'List them with `GET /v1/event-parks`.',
  },
} as const

const problem = problemsOf(eventErrors)

export const park_states = ['waiting', 'dead', 'skipped', 'resolved'] as const
export type ParkState = (typeof park_states)[number]

export const ParkRow = Type.Object({
  id: Type.String(),
  consumer: Type.String(),
  event_id: Type.String(),
  aggregate_id: Type.String(),
  attempts: Type.Integer(),
  next_attempt_at: Type.Union([Type.String(), Type.Null()]),
  state: Type.Enum([...park_states]),
  last_error_code: Type.String(),
})
export type ParkRow = Static<typeof ParkRow>

const park_columns = sql`id, consumer, event_id, aggregate_id, attempts, next_attempt_at, state,
  last_error_code`

export type ParkFilter = { consumer?: string | undefined; state?: ParkState | undefined }

/** Lists the newest first. */
export function listParks(
  reader: Reader,
  filter: ParkFilter,
  page: { before: string | null; limit: number },
): Promise<ParkRow[]> {
  const conditions: Sql[] = [sql`true`]
  if (filter.consumer !== undefined) conditions.push(sql`consumer = ${filter.consumer}`)
  if (filter.state !== undefined) conditions.push(sql`state = ${filter.state}`)
  if (page.before !== null) conditions.push(sql`id < ${page.before}`)
  return reader.many(
    ParkRow,
    sql`
      select ${park_columns}
      from kernel.event_parks
      where ${sql.join(conditions, ' and ')}
      order by id desc
      limit ${page.limit}`,
  )
}

export type Decision = { id: string; actor: string; tenant_id: string | null; reason: string }

/** A dead park gets one more attempt immediately. */
export const retryPark = actOnPark('retry', 'waiting', ['dead'])

/** This consumer skips the event. The events behind it follow. */
export const skipPark = actOnPark('skip', 'skipped', ['waiting', 'dead'])

function actOnPark(act: 'retry' | 'skip', state: ParkState, from: readonly ParkState[]) {
  return async (tx: Tx, { id, actor, tenant_id, reason }: Decision): Promise<ParkRow> => {
    const changed = await tx.maybe(
      ParkRow,
      sql`
        update kernel.event_parks
        set state = ${state}, next_attempt_at = now(), updated_at = now()
        where id = ${id} and state = any(${from}::text[])
        returning ${park_columns}`,
    )
    if (!changed) {
      const now = await tx.maybe(State, sql`select state from kernel.event_parks where id = ${id}`)
      if (!now) throw problem('event_park_not_found')
      throw problem('invalid_transition', { current_state: now.state })
    }
    tx.audit(`kernel.event_parks.${act}`, id, { by: { tenant_id, id: actor }, reason })
    return changed
  }
}

const State = Type.Object({ state: Type.String() })

/** Reads the log after a position, for the command line and for development. */
export function tailEvents(
  reader: Reader,
  from: { after: number; limit: number; type?: string; aggregate_id?: string },
): Promise<LoggedEvent[]> {
  const conditions: Sql[] = [sql`e.position > ${from.after}`]
  if (from.type !== undefined) conditions.push(sql`e.type = ${from.type}`)
  if (from.aggregate_id !== undefined) {
    conditions.push(sql`e.aggregate_id = ${from.aggregate_id}`)
    conditions.push(sql`e.lane = kernel.lane_of(${from.aggregate_id}::uuid)`)
  }
  return reader.many(
    LoggedEvent,
    sql`
      select ${columns}
      from kernel.events e
      where ${sql.join(conditions, ' and ')}
      order by e.position
      limit ${from.limit}`,
  )
}

/** The actions of the command line. `wake` wakes the process that holds the lane. */
export function decideOnPark(
  db: Db,
  act: 'retry' | 'skip',
  decision: Decision,
  wake: () => void,
): Promise<ParkRow> {
  return db.tx(async tx => {
    tx.afterCommit(wake)
    return act === 'retry' ? retryPark(tx, decision) : skipPark(tx, decision)
  })
}
