/**
 * A range of UTC days from a request. The range includes both ends, and its length is limited.
 * Without an end it ends today, and without a beginning it has the last 30 days.
 */
import { Type } from 'typebox'
import { dayOf, dayText } from '../../clock.ts'
import { problem, type FieldError } from '../../errors/problem.ts'

export const days_max = 400
const days_usual = 30
/** The epoch, which is before anything that is counted. */
const first_day = 0

export const Day = Type.String({ format: 'date', minLength: 10, maxLength: 10 })

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
  if (day < first_day) throw invalid(pointer, 'minimum', location)
  return day
}

const rules = {
  order: { detail: 'The first day may not come after the last.' },
  range: { detail: `At most ${days_max} days are answered at once.`, params: { limit: days_max } },
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
