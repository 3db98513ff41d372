/**
 * Moves the platform's time. SQL in all processes uses the row of the offset. This process's own
 * clock moves after the row is committed. The wake-up makes the other processes read the row again.
 */
import { Type } from 'typebox'
import { closed, count, reply, rfc3339, route, sql } from '#dodeca/kernel'
import type { Clock, Db, Kernel, Route } from '#dodeca/kernel'
import { clock_topic } from '../../kernel/work/topics.ts'

export type ClockDeps = { readonly db: Db; readonly clock: Clock; wake: Kernel['wake'] }

const seconds_max = 20 * 365 * 86_400
const ClockView = Type.Object({ offset_seconds: Type.Number(), now: Type.String() })
const Move = closed({ offset_seconds: count(-seconds_max, seconds_max) })

const common = { permission: 'public', hidden: true, added: true } as const

export function clockRoutes({ db, clock, wake }: ClockDeps): Route[] {
  const view = () => ({ offset_seconds: clock.offsetSeconds(), now: rfc3339(clock.nowMs()) })
  return [
    route({
      ...common,
      method: 'GET',
      path: '/dev/clock',
      summary: "The platform's time",
      replies: { 200: ClockView },
      handle: () => reply(200, view()),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/dev/clock',
      summary: "Move the platform's time",
      transaction: 'own',
      idempotency: 'ignored',
      body: Move,
      replies: { 200: ClockView },
      handle: async ({ body: { offset_seconds } }) => {
        await db.run(sql`update kernel.clock set offset_seconds = ${offset_seconds}`)
        clock.setOffset(offset_seconds)
        wake()
        wake([clock_topic])
        return reply(200, view())
      },
    }),
  ]
}
