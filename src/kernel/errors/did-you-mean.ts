/** Finds the known word that is nearest to an unknown one, for the hint in an error. */

/** " Did you mean X?", or an empty text if no word is near. */
export function suggestion(given: string, known: readonly string[]): string {
  const near = nearest(given, known)
  return near === undefined ? '' : ` Did you mean ${near}?`
}

export function nearest(given: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map(word => ({ word, off: edits(given, word) }))
    .sort((one, other) => one.off - other.off)
  const is_near = best && best.off <= Math.max(2, Math.ceil(given.length / 3))
  return is_near ? best.word : undefined
}

/** The number of inserted, deleted or replaced letters (Levenshtein). */
export function edits(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = (above[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    above = row
  }
  return above[to.length] ?? 0
}
