/**
 * Returns the `operationId` of a route: the declared name, otherwise a name made from method and
 * path.
 */
import type { Route } from '../route.ts'

const verbs = { GET: 'get', POST: 'create', PUT: 'put', PATCH: 'update', DELETE: 'delete' } as const

export function operationName({ name, method, path }: Pick<Route, 'name' | 'method' | 'path'>) {
  if (name !== undefined) return name
  const words = path
    .replace(/^\/v1\//, '/')
    .replaceAll('{', 'by-')
    .split(/[^a-zA-Z0-9]+/)
    .filter(Boolean)
  return verbs[method] + words.map(word => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
}
