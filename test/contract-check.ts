/**
 * Compares what the specification promises with what is really mounted: each endpoint is built, and a
 * route beyond the specification says so itself. Returns one sentence a fault.
 */
import type { Endpoint } from './contract-table.ts'

/** What the comparison reads of a route; the kernel's own `Route` fits as it is. */
export type BuiltRoute = {
  readonly method: string
  readonly path: string
  /** Beyond the specification. */
  readonly added?: boolean | undefined
  readonly idempotency?: string | undefined
  readonly replies?: Readonly<Record<number, unknown>> | undefined
}

export function compareContract(
  table: readonly Endpoint[],
  routes: readonly BuiltRoute[],
): string[] {
  const promised = Map.groupBy(table, keyOf)
  const built = Map.groupBy(routes, keyOf)
  const faults = repeated(routes.map(keyOf)).map(key => `${key} is mounted twice`)
  for (const [key, rows] of promised) {
    const [route] = built.get(key) ?? []
    if (route) faults.push(...rows.flatMap(row => differences(key, row, route)))
    else faults.push(`${key} is not built`)
  }
  for (const [key, [route]] of built) {
    if (!promised.has(key) && !route?.added) {
      faults.push(`${key} is not in the specification and not marked as added`)
    }
  }
  return faults
}

function keyOf({ method, path }: { method: string; path: string }): string {
  return `${method} ${path}`
}

function repeated(keys: readonly string[]): string[] {
  return [...new Set(keys.filter((key, index) => keys.indexOf(key) !== index))]
}

/**
 * A route whose own row is the record (`domain`) still requires the key, so it counts as required.
 */
function differences(key: string, row: Endpoint, route: BuiltRoute): string[] {
  const faults: string[] = []
  if (route.added) faults.push(`${key} is marked as added, but it is in the specification`)
  const idempotency = route.idempotency === 'domain' ? 'required' : route.idempotency
  if (row.idempotency !== null && idempotency !== row.idempotency) {
    faults.push(
      `${key} has the idempotency ${route.idempotency ?? 'ignored'}, not ${row.idempotency}`,
    )
  }
  const answered = Object.keys(route.replies ?? {}).map(Number)
  if (row.statuses && !row.statuses.some(status => answered.includes(status))) {
    faults.push(`${key} never answers ${row.statuses.join(' or ')}`)
  }
  return faults
}
