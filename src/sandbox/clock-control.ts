/**
 * The clock of one vendor in its control plane. Each vendor has its own clock: moving the
 * platform's time does not move it, as in reality. The offset is kept over restarts.
 */
import { Type } from 'typebox'
import { rfc3339, type Clock } from '#dodeca/kernel'
import { fits, type ControlRoute } from './control.ts'
import type { Kept } from './kept.ts'

const seconds_max = 20 * 365 * 86_400
const Seconds = Type.Integer({ minimum: -seconds_max, maximum: seconds_max })
const Move = Type.Union([
  Type.Object({ offset_seconds: Seconds }, { additionalProperties: false }),
  Type.Object({ advance_s: Seconds }, { additionalProperties: false }),
])

const name = 'clock_offset_seconds'

/** Restores the offset of the last run. */
export function restoreClock(clock: Clock, kept: Kept): void {
  clock.setOffset(kept.number(name) ?? 0)
}

export function setClock(clock: Clock, kept: Kept, offset_seconds: number): void {
  kept.keep(name, offset_seconds)
  clock.setOffset(offset_seconds)
}

export function clockControl(clock: Clock, kept: Kept): ControlRoute[] {
  const view = () => ({
    status: 200,
    body: { offset_seconds: clock.offsetSeconds(), now: rfc3339(clock.nowMs()) },
  })
  return [
    { method: 'GET', path: '/clock', run: view },
    {
      method: 'POST',
      path: '/clock',
      run: ({ body }) => {
        const move = fits(Move, body)
        const offset =
          'advance_s' in move ? clock.offsetSeconds() + move.advance_s : move.offset_seconds
        setClock(clock, kept, offset)
        return view()
      },
    },
  ]
}
