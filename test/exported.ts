/** What an export of a person holds, for tests. */
import type { Answer } from './world.ts'

/** The kinds of the records that hold a text. */
export function kindsIn({ text }: Answer, mark: string): string[] {
  const lines = text.split('\n').filter(line => line.includes(mark))
  const records = lines.map(line => JSON.parse(line) as { surface: string; kind: string })
  return records.map(({ surface, kind }) => `${surface}.${kind}`).toSorted()
}

export function timesIn({ text }: Answer): readonly string[] {
  return text.match(/"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^"]*"/g) ?? []
}
