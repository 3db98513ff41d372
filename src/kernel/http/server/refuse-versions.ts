/**
 * Refuses a version that the operation does not compare: its sender relies on it, and would overwrite
 * the change of another.
 */
import { problem } from '../../errors/problem.ts'
import { isConditional, type Route } from '../contract/route.ts'
import type { Exchanged } from './exchange.ts'

export function refuseVersions(route: Route, { method, headers }: Exchanged): void {
  if (method === 'GET' || method === 'HEAD' || route.foreign_query) return
  const conditional = isConditional(route)
  const compared = { 'if-match': conditional, 'if-none-match': conditional && method === 'PUT' }
  for (const [name, is_compared] of Object.entries(compared)) {
    if (is_compared || headers[name] === undefined) continue
    throw problem('unsupported_field', {
      detail: `This operation does not compare \`${name}\`, so nothing was done. Leave the header out.`,
      errors: [{ location: 'header', pointer: `/${name}`, constraint: 'unknown' }],
    })
  }
}
