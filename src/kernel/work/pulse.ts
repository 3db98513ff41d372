/**
 * One statement a second reads the conditions for which this process waits: due work, and values
 * that may have changed. So a lost notification delays work by at most a second. An idle process
 * sends one statement a second, and not one for each of its loops and queues.
 */
import { Type } from 'typebox'
import { logFailure } from '../database/log-failure.ts'
import type { Reader } from '../database/db.ts'
import { sql, type Sql } from '../database/sql.ts'
import type { Log } from '../observability/log.ts'
import type { Sleepers } from './topics.ts'

export type Sign =
  /** Wakes the topic while the expression is true. */
  | { readonly topic: string; readonly due: Sql }
  /** Wakes the topic when the value of the expression has changed. */
  | {
      readonly topic: string
      readonly value: Sql
      /** Called after a read of the same value, with the monotonic time at which the read began. */
      readonly same?: (began_ms: number) => void
    }

export type Pulse = {
  /** All expressions must be added before the start. */
  add(signs: readonly Sign[]): void
  start(): void
  /** Resolves when no read is running. */
  stop(): Promise<void>
}

const every_ms = 1000
const Read = Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]))

export function openPulse(needs: {
  readonly db: Pick<Reader, 'one'>
  readonly log: Log
  readonly sleepers: Pick<Sleepers, 'wake'>
}): Pulse {
  const signs: Sign[] = []
  const before = new Map<number, string | null>()
  let timer: NodeJS.Timeout | undefined
  let reading: Promise<void> | undefined
  const read = async () => {
    const began_ms = performance.now()
    const found = await needs.db.one(Read, sql`select ${columnsOf(signs)}`)
    const topics = signs.flatMap(({ topic, ...sign }, at) => {
      const value = found[`s${at}`] ?? null
      // The first value counts as a change, because earlier changes may have been notified before
      // this process listened.
      const changed = before.get(at) !== value
      before.set(at, value)
      if (!changed && 'same' in sign) sign.same?.(began_ms)
      return ('due' in sign ? value === 'true' : changed) ? [topic] : []
    })
    if (topics.length > 0) needs.sleepers.wake(new Set(topics))
  }
  const beat = () => {
    reading ??= read()
      .catch((error: unknown) =>
        logFailure(needs.log, { err: error }, 'the due work could not be read'),
      )
      .finally(() => {
        reading = undefined
      })
  }
  return {
    add: more => void signs.push(...more),
    start: () => {
      if (signs.length === 0) return
      beat()
      timer = setInterval(beat, every_ms)
    },
    stop: async () => {
      clearInterval(timer)
      await reading
    },
  }
}

function columnsOf(signs: readonly Sign[]): Sql {
  return sql.join(
    signs.map((sign, at) => {
      const expression = 'due' in sign ? sign.due : sign.value
      return sql`(${expression})::text as ${sql.id(`s${at}`)}`
    }),
    ', ',
  )
}
