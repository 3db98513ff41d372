/** A range of UTC days from a query. The range includes both ends, and its length is limited. */
import { Type } from 'typebox'
import type { FieldError } from '../../../kernel/errors/problem.ts'
import { problem } from '../errors.ts'
import { dayOf, dayText } from '../clicks/batch.ts'

export const days_max = 400
const days_usual = 30
/** The epoch, which is before any click. PostgreSQL has no year 0. */
const first_day = 0

export const Day = Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\d$`, maxLength: 10 })

/** Days since the epoch. */
export type DayRange = { readonly from: number; readonly to: number }

export function dayRange(
  given: { readonly from?: string | undefined; readonly to?: string | undefined },
  today: number,
  location: FieldError['location'] = 'query',
): DayRange {
  const to = given.to === undefined ? today : dayIn(given.to, '/to', location)
  const from =
    given.from === undefined
      ? Math.max(first_day, to - days_usual + 1)
      : dayIn(given.from, '/from', location)
  if (from > to) throw invalid('/from', 'order', location)
  if (to - from >= days_max) throw invalid('/from', 'range', location)
  return { from, to }
}

function dayIn(text: string, pointer: string, location: FieldError['location']): number {
  const day = dayOf(Date.parse(`${text}T00:00:00Z`))
  if (Number.isNaN(day) || dayText(day) !== text) throw invalid(pointer, 'format', location)
  if (day < first_day) throw invalid(pointer, 'minimum', location)
  return day
}

const rules = {
  order: { detail: 'The first day may not come after the last.' },
  range: { detail: `At most ${days_max} days are answered at once.`, params: { limit: days_max } },
  format: { detail: 'This day does not exist.' },
  minimum: {
    detail: `Days are counted from ${dayText(first_day)} on.`,
    params: { limit: dayText(first_day) },
  },
} as const

function invalid(
  pointer: string,
  constraint: keyof typeof rules,
  location: FieldError['location'],
) {
  const { detail, ...limits } = rules[constraint]
  return problem('validation_failed', {
    detail,
    errors: [{ location, pointer, constraint, ...limits }],
  })
}
