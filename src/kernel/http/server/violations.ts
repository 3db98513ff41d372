/**
 * Constraints that mean a refusal. A surface says at an error which of its unique indexes it stands
 * for, and each operation that names the error in `fails` answers a violation with it. A violation of
 * another constraint is a fault of the code, and stays a 500.
 */
import { Type } from 'typebox'
import type { Db } from '../../database/db.ts'
import { SqlState } from '../../database/failures.ts'
import { sql } from '../../database/sql.ts'
import { Problem, type Catalog } from '../../errors/problem.ts'
import { StartError } from '../../errors/start-error.ts'
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

const Known = Type.Object({ name: Type.String(), deferrable: Type.Boolean() })

/** Checks at the start that the constraints exist: a misspelt one would be a 500 at its first use. */
export async function checkViolations(db: Pick<Db, 'many'>, catalog: Catalog): Promise<void> {
  const named = [...catalog].flatMap(([code, { violated = [] }]) =>
    violated.map(name => ({ code, name })),
  )
  if (named.length === 0) return
  const known = await db.many(
    Known,
    sql`
      select n.name, bool_or(coalesce(k.condeferrable, false)) as deferrable
      from unnest(${named.map(({ name }) => name)}::text[]) n (name)
      left join pg_class i on i.relname = n.name and i.relkind in ('i', 'I')
      left join pg_constraint k on k.conname = n.name
      where i.oid is not null or k.oid is not null
      group by n.name`,
  )
  const faults = named.flatMap(({ code, name }) => {
    const found = known.find(one => one.name === name)
    if (!found) return [`The error ${code} names the constraint ${name}, which does not exist.`]
    // It is checked at the commit, where no handler sees it.
    return found.deferrable ? [`The error ${code} needs ${name} to be not deferrable.`] : []
  })
  if (faults.length > 0) throw new StartError(faults.join('\n'))
}
