/**
 * Prints the end of the event log and, with `--follow`, new events, in the order of their
 * positions.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Type } from 'typebox'
import { sql, StartError, type LoggedEvent, type Reader } from '#dodeca/kernel'
import { tailEvents } from '../kernel/events/operate.ts'
import type { Command } from './command.ts'
import { onCurrentDatabase } from './offline.ts'
import type { Terminal } from './terminal.ts'

const look_every_ms = 300
const portion = 500
const last_default = 20

export const eventsTail: Command = {
  words: 'events tail',
  summary: 'Show the end of the event log',
  options: {
    follow: { type: 'boolean', says: 'Continue until Ctrl-C' },
    type: { type: 'string', value: '<type>', says: 'Only events of this type' },
    last: { type: 'string', value: '<count>', says: `How many (${last_default})` },
  },
  run: async call => {
    const last = countOf(call.option('last') ?? String(last_default))
    const type = call.option('type')
    const stopped = new AbortController()
    const stop = () => stopped.abort()
    if (call.flag('follow')) for (const name of ['SIGINT', 'SIGTERM']) process.once(name, stop)
    await onCurrentDatabase(call, async ({ platform }) => {
      const { db } = platform.kernel
      let after = await positionBefore(db, last, type)
      for (;;) {
        after = await showAfter(db, after, type, call.terminal)
        if (!call.flag('follow') || stopped.signal.aborted) return
        await pause(look_every_ms, undefined, { signal: stopped.signal }).catch(() => {})
      }
    })
  },
}

function countOf(text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count >= 0 && count <= 10_000) return count
  throw new StartError('--last must be a whole number from 0 to 10000.')
}

const Before = Type.Object({ position: Type.Integer() })

/** Returns the position after which the last `count` events follow. */
async function positionBefore(
  reader: Reader,
  count: number,
  type: string | undefined,
): Promise<number> {
  const wanted = type === undefined ? sql`true` : sql`type = ${type}`
  const { position } = await reader.one(
    Before,
    sql`
      select coalesce(
        (select min(position) - 1 from (
          select position from kernel.events where ${wanted} order by position desc limit ${count}
        ) as newest),
        (select max(position) from kernel.events), 0) as position`,
  )
  return position
}

async function showAfter(
  reader: Reader,
  from: number,
  type: string | undefined,
  terminal: Terminal,
): Promise<number> {
  for (let after = from; ;) {
    const events = await tailEvents(reader, {
      after,
      limit: portion,
      ...(type !== undefined && { type }),
    })
    for (const event of events) terminal.answer(event, [lineOf(event, terminal)])
    after = events.at(-1)?.position ?? after
    if (events.length < portion) return after
  }
}

function lineOf(event: LoggedEvent, { paint }: Terminal): string {
  const { position, occurred_at, type, aggregate_type, aggregate_id, aggregate_version } = event
  return [
    String(position).padStart(8),
    paint('dim', occurred_at),
    paint('bold', type.padEnd(24)),
    `${aggregate_type} ${aggregate_id} v${aggregate_version}`,
    paint('dim', JSON.stringify(event.payload)),
  ].join('  ')
}
