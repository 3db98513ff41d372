/**
 * Keeps the clock of this process at the offset of the row `kernel.clock`. The row is read at the
 * start and at every wake-up. The pulse reads the row too. So every process notices a change within
 * a second, even if a wake-up is lost. This runs in development only. In production the offset is
 * always zero.
 */
import { Type } from 'typebox'
import { sql, type Clock, type Log, type Reader, type Sign } from '#dodeca/kernel'
import { clock_topic } from '../../kernel/work/topics.ts'

export type FollowClockOptions = {
  readonly db: Reader
  readonly clock: Clock
  readonly log: Log
  onWake(run: () => void, topics: readonly string[]): () => void
}

export type ClockFollower = {
  /** Resolves when the offset is known. */
  start(): Promise<void>
  /** Resolves when no read is running. */
  stop(): Promise<void>
}

export const clock_sign: Sign = {
  topic: clock_topic,
  value: sql`select offset_seconds from kernel.clock`,
}

const Row = Type.Object({ offset_seconds: Type.Number() })

export function followClock({ db, clock, log, onWake }: FollowClockOptions): ClockFollower {
  let again = false
  let running: Promise<void> | undefined
  let end: (() => void) | undefined
  const read = async () => {
    const row = await db.one(Row, sql`select offset_seconds from kernel.clock`)
    clock.setOffset(row.offset_seconds)
  }
  const readAll = async () => {
    do {
      again = false
      // The clock keeps its offset and reads the row again a moment later.
      await read().catch((error: unknown) =>
        log.warn({ err: error }, 'the clock could not be read'),
      )
    } while (again)
    running = undefined
  }
  const look = () => {
    // A wake-up during a read may be about a change that the read did not see.
    again = running !== undefined
    running ??= readAll()
  }
  return {
    start: async () => {
      await read()
      end = onWake(look, [clock_sign.topic])
    },
    stop: async () => {
      end?.()
      await running
    },
  }
}
