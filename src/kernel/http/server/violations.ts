/**
 * Constraints that mean a refusal. A surface says at an error which of its unique indexes it stands
 * for, and each operation that names the error in `fails` answers a violation with it. A violation of
 * another constraint is a fault of the code, and stays a 500.
 */
import { SqlState } from '../../database/failures.ts'
import { Problem, type Catalog } from '../../errors/problem.ts'
import type { Route } from '../contract/route.ts'

export function withViolations(route: Route, catalog: Catalog): Route {
  const { handle, fails = [] } = route
  const codes = new Map(
    fails.flatMap(code => (catalog.get(code)?.violated ?? []).map(name => [name, code] as const)),
  )
  if (!handle || codes.size === 0) return route
  return {
    ...route,
    handle: async context => {
      try {
        return await handle(context)
      } catch (error) {
        const code = error instanceof SqlState ? codes.get(error.constraint ?? '') : undefined
        const entry = code === undefined ? undefined : catalog.get(code)
        throw code !== undefined && entry ? new Problem(code, entry, {}, { cause: error }) : error
      }
    },
  }
}
