/** Shows consumers of the event log, and retries or skips events that they could not handle. */
import { Type } from 'typebox'
import { isId, Problem, sql, StartError, type Opened, type Reader } from '#dodeca/kernel'
import { typesOf } from '../kernel/events/consumers/listener.ts'
import { readConsumers } from '../kernel/events/consumers/lag.ts'
import { decideOnPark, listParks, type ParkRow } from '../kernel/events/operate.ts'
import type { Call, Command } from './command.ts'
import { actor, onCurrentDatabase } from './offline.ts'
import { table } from './terminal.ts'

const shown_max = 1000

export const eventsConsumers: Command = {
  words: 'events consumers',
  summary: 'List the consumers of the event log and how far behind they are',
  run: async call => {
    const rows = await onCurrentDatabase(call, async ({ platform }) => {
      const { db } = platform.kernel
      return await readConsumers(db, await interestsIn(db, Object.values(platform.opened)), {
        after: '',
        limit: shown_max,
      })
    })
    const list = table(
      ['CONSUMER', 'POSITION', 'BEHIND', 'SECONDS', 'PARKED'],
      rows.map(row => [
        row.consumer,
        row.position,
        row.lag_events,
        Math.round(row.lag_seconds),
        row.parked,
      ]),
    )
    call.terminal.answer(
      { data: rows },
      list.length > 0 ? list : ['There are no consumers: none has been started yet.'],
    )
  },
}

const Name = Type.Object({ consumer: Type.String() })

/**
 * The consumers that the code declares, and all other consumers that have a cursor (a sink, a
 * running rebuild).
 */
async function interestsIn(reader: Reader, opened: readonly Opened[]) {
  const declared = opened
    .flatMap(one => one.consumers ?? [])
    .map(one => ({ consumer: one.name, types: typesOf(one) }))
  const kept = await reader.many(Name, sql`select distinct consumer from kernel.event_consumers`)
  const others = kept.filter(one => !declared.some(({ consumer }) => consumer === one.consumer))
  return [...declared, ...others.map(({ consumer }) => ({ consumer, types: null }))]
}

export const eventsParks: Command = {
  words: 'events parks',
  summary: 'List the events that failed and block their aggregate, newest first',
  options: {
    consumer: { type: 'string', value: '<name>', says: 'Only those of this consumer' },
    all: { type: 'boolean', says: 'Also those that were resolved or skipped' },
  },
  run: async call => {
    const parks = await onCurrentDatabase(call, async ({ platform }) => {
      const { db } = platform.kernel
      const filter = { consumer: call.option('consumer') }
      const states = call.flag('all') ? [undefined] : (['dead', 'waiting'] as const)
      const found = await Promise.all(
        states.map(state =>
          listParks(db, { ...filter, state }, { before: null, limit: shown_max }),
        ),
      )
      return found.flat().sort((one, other) => (one.id < other.id ? 1 : -1))
    })
    const list = parksTable(parks)
    call.terminal.answer({ data: parks }, list.length > 0 ? list : ['No event is parked.'])
  },
}

function parksTable(parks: readonly ParkRow[]): string[] {
  return table(
    ['PARK', 'STATE', 'CONSUMER', 'ATTEMPTS', 'NEXT ATTEMPT', 'ERROR'],
    parks.map(one => [
      one.id,
      one.state,
      one.consumer,
      one.attempts,
      one.next_attempt_at,
      one.last_error_code,
    ]),
  )
}

export const eventsRetry: Command = {
  words: 'events retry',
  takes: ['<park>'],
  options: { reason: { type: 'string', value: '<why>', says: 'Kept in the audit log' } },
  summary: 'Retry a dead parked event once',
  run: call => decide(call, 'retry', call.option('reason') ?? 'retried on the command line'),
}

export const eventsSkip: Command = {
  words: 'events skip',
  takes: ['<park>'],
  options: { reason: { type: 'string', value: '<why>', says: 'Required; kept in the audit log' } },
  summary: 'Skip a parked event, so that the events behind it follow',
  run: async call => {
    const reason = call.option('reason')?.trim()
    if (!reason) throw new StartError('Say why the event is skipped: --reason="…".')
    await decide(call, 'skip', reason)
  },
}

async function decide(call: Call, act: 'retry' | 'skip', reason: string): Promise<void> {
  const id = call.args[0] ?? ''
  if (!isId(id)) throw noPark(id)
  const park = await onCurrentDatabase(call, async ({ platform }) => {
    const { db, wake } = platform.kernel
    const decision = { id, actor: actor(), tenant_id: null, reason }
    return await decideOnPark(db, act, decision, wake).catch((error: unknown) => {
      throw refusal(error, act, id)
    })
  })
  const done = act === 'retry' ? 'is retried at once' : 'is skipped'
  call.terminal.answer(park, [
    `The event ${park.event_id} ${done} for ${park.consumer}. A running worker does the rest.`,
  ])
}

function refusal(error: unknown, act: 'retry' | 'skip', id: string): unknown {
  if (!(error instanceof Problem)) return error
  if (error.code === 'event_park_not_found') return noPark(id)
  const wanted =
    act === 'retry'
      ? 'Only a dead park can be retried'
      : 'Only a waiting or dead park can be skipped'
  return new StartError(`The park ${id} is ${error.details.current_state}. ${wanted}.`)
}

function noPark(id: string): StartError {
  return new StartError(`There is no park ${id}. \`npx dodeca events parks\` lists them.`)
}
