/**
 * Converts offsets between Unicode code points and the UTF-16 units of JavaScript. PostgreSQL and
 * the API use code points. Both offsets differ only after characters outside the basic plane.
 */
export type Offsets = {
  toUnits(code_point: number): number
  /** For a position that is not inside a character. */
  toCodePoints(unit: number): number
}

const surrogate = /[\ud800-\udfff]/

export function offsetsOf(text: string): Offsets {
  if (!surrogate.test(text)) return { toUnits: at => at, toCodePoints: at => at }
  // The UTF-16 position of each character outside the basic plane.
  const wide: number[] = []
  for (let at = 0; at < text.length; at++) {
    if ((text.codePointAt(at) ?? 0) > 0xffff) wide.push(at++)
  }
  return {
    // The n-th such character begins at code point wide[n] - n.
    toUnits: at => at + countBelow(wide.length, n => (wide[n] ?? 0) - n < at),
    toCodePoints: at => at - countBelow(wide.length, n => (wide[n] ?? 0) < at),
  }
}

/** Binary search: how many positions from the first on meet the condition. */
function countBelow(length: number, holds: (at: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) low = middle + 1
    else high = middle
  }
  return low
}

/** The same as PostgreSQL's `substring(text from start + 1 for end - start)`. */
export function sliceCodePoints(text: string, start: number, end: number): string {
  const { toUnits } = offsetsOf(text)
  return text.slice(toUnits(start), toUnits(end))
}
