/** Holds what a route really answered against what the OpenAPI document says of it. */
import type { Target } from './target.ts'
import type { Seen } from './visit.ts'

type Documented = { responses: Record<string, { description: string }> }
export type ApiDocument = { paths: Record<string, Record<string, Documented>> }

/** One sentence for each answer that the document does not know; none for what it never shows. */
export function undocumented(document: ApiDocument, target: Target, seen: readonly Seen[]) {
  const { route, operation } = target
  if (route.hidden) return []
  const known = document.paths[route.path]?.[route.method.toLowerCase()]
  if (!known) return [`${operation} is not in the document`]
  const faults = seen.flatMap(({ status, code }) => {
    // What a cache still holds has no body to describe.
    if (status === 304) return []
    const response = known.responses[status]
    if (!response) return [`${operation} answered ${status} ${code ?? ''}`.trimEnd()]
    const codes = response.description.split(', ')
    return code === null || codes.includes(code) ? [] : [`${operation} answered ${status} ${code}`]
  })
  return [...new Set(faults)].sort()
}
