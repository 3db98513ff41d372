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

export async function readMatches(
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly Match[]> {
  const reply = await callOperation('findMatches', { query, signal })
  return (reply as { readonly data: readonly Match[] }).data
}
