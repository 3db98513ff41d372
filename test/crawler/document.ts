/** Holds what a route really answered against what the OpenAPI document says of it. */
import type { Target } from './target.ts'
import type { Seen } from './visit.ts'

type Response = { description: string; content?: Record<string, unknown> }
type Documented = { responses: Record<string, Response> }
export type ApiDocument = { paths: Record<string, Record<string, Documented>> }

/** One sentence for each answer that the document does not know; none for what it never shows. */
export function undocumented(document: ApiDocument, target: Target, seen: readonly Seen[]) {
  const { route, operation } = target
  if (route.hidden) return []
  const known = document.paths[route.path]?.[route.method.toLowerCase()]
  if (!known) return [`${operation} is not in the document`]
  const faults = seen.flatMap(({ status, code, media_type }) => {
    // What a cache still holds has no body to describe.
    if (status === 304) return []
    const response = known.responses[status]
    if (!response) return [`${operation} answered ${status} ${code ?? ''}`.trimEnd()]
    const codes = response.description.split(', ')
    if (code !== null)
      return codes.includes(code) ? [] : [`${operation} answered ${status} ${code}`]
    const types = Object.keys(response.content ?? {})
    if (media_type === null || types.includes(media_type)) return []
    return [`${operation} answered ${status} as ${media_type}`]
  })
  return [...new Set(faults)].sort()
}
