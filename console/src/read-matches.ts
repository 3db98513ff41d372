/** What the platform finds for a text, or by ids. */
import { callOperation } from './operation.ts'

export type Match = {
  readonly kind: string
  readonly id: string
  readonly title: string
  readonly subtitle: string | null
  readonly state: string | null
  readonly path: string | null
}

export type Matches = {
  readonly data: readonly Match[]
  /** The kinds of which there are more than these. */
  readonly more: readonly string[]
}

export async function readMatches(
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Matches> {
  return (await callOperation('findMatches', { query, signal })) as Matches
}
