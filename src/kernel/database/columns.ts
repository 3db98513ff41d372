/** The columns of a row, from its schema, so that a statement does not spell them again. */
import type { TObject } from 'typebox'
import { sql, type Sql } from './sql.ts'

/** Columns of the table `of`, or of the only table. `made` has the expressions of all others. */
export function columnsOf(
  { properties }: Pick<TObject, 'properties'>,
  of: string | null,
  made: Readonly<Record<string, Sql>> = {},
): Sql {
  const all = Object.keys(properties).map(name => {
    const expression = made[name]
    if (expression) return sql`${expression} as ${sql.id(name)}`
    return of === null ? sql`${sql.id(name)}` : sql`${sql.id(of, name)}`
  })
  return sql.join(all, ', ')
}
