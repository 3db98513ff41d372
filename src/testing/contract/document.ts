/** Holds what a route really answered against what the OpenAPI document says of it. */
import { codesOf, responseOf, type Responses, type Shared } from './responses.ts'
import type { Target } from './target.ts'
import type { Seen } from './visit.ts'

export type ApiDocument = Shared & {
  paths: Record<string, Record<string, { responses: Responses }>>
}

/** One sentence for each answer that the document does not know; none for what it never shows. */
export function undocumented(document: ApiDocument, target: Target, seen: readonly Seen[]) {
  const { route, operation } = target
  if (route.hidden) return []
  const known = document.paths[route.path]?.[route.method.toLowerCase()]
  if (!known) return [`${operation} is not in the document`]
  const faults = seen.flatMap(({ status, code, media_type }) => {
    if (code !== null) {
      const codes = codesOf(document, known.responses, status)
      return codes.includes(code) ? [] : [`${operation} answered ${status} ${code}`]
    }
    const response = responseOf(document, known.responses, status)
    if (!response) return [`${operation} answered ${status}`]
    // A 304 has no content. Its media type is that of the content which the client has.
    if (status === 304) return []
    const types = Object.keys(response.content ?? {})
    if (media_type === null || types.includes(media_type)) return []
    return [`${operation} answered ${status} as ${media_type}`]
  })
  return [...new Set(faults)].sort()
}
