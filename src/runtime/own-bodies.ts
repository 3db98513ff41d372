/** Whether the requests of an application's own routes can be read. */
import type { Route } from '#dodeca/kernel'
import { knownFields } from '../kernel/http/input/known-fields.ts'

/** Otherwise the first request would find it, and say nothing but 500. */
export function bodyFaults({
  method,
  path,
  body,
  query,
}: Pick<Route, 'method' | 'path' | 'body' | 'query'>): string[] {
  return [body, query].flatMap(schema => {
    try {
      knownFields(schema ?? {})
      return []
    } catch (error) {
      return error instanceof Error ? [`${method} ${path}: ${error.message}`] : []
    }
  })
}
