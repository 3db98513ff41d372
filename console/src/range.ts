/** Days of the person's own clock as moments. `since` is the first moment, `until` the first one after. */

export type Range = { readonly since: string; readonly until: string }

export const range_names = ['today', 'days_7', 'days_30', 'this_month', 'last_month'] as const

/** Until the end of the day: rows of the next minutes belong to it. */
export function rangeOf(name: (typeof range_names)[number], now: Date): Range {
  const at = (month: number, day: number) =>
    new Date(now.getFullYear(), now.getMonth() + month, day).toISOString()
  const today = now.getDate()
  const tomorrow = at(0, today + 1)
  return {
    today: { since: at(0, today), until: tomorrow },
    days_7: { since: at(0, today - 6), until: tomorrow },
    days_30: { since: at(0, today - 29), until: tomorrow },
    this_month: { since: at(0, 1), until: tomorrow },
    last_month: { since: at(-1, 1), until: at(0, 1) },
  }[name]
}

/** The last day of a range is chosen as such; its end is the beginning of the next one. */
export function momentOf(day: string, is_end: boolean): string {
  const at = new Date(`${day}T00:00`)
  if (is_end) at.setDate(at.getDate() + 1)
  return at.toISOString()
}

export function dayOf(moment: string, is_end: boolean): string {
  const at = new Date(Date.parse(moment) - (is_end ? 1 : 0))
  if (Number.isNaN(at.getTime())) return ''
  const two = (n: number) => String(n).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}
