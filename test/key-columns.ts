/** The columns in which the keys of requests are kept, from the catalog of the database. */
import { Type } from 'typebox'
import { sql, type Db } from '#dodeca/kernel'

const Found = Type.Object({ schema: Type.String(), table: Type.String() })

/** All of them, and those in which a text stands. */
export async function keyColumns(
  db: Db,
  mark: string,
): Promise<[all: string[], with_mark: string[]]> {
  const all = await db.many(
    Found,
    sql`
      select table_schema as schema, table_name as table from information_schema.columns
      where column_name = 'idempotency_key' order by 1, 2`,
  )
  const found: string[] = []
  const name = (one: (typeof all)[number]) => `${one.schema}.${one.table}`
  for (const one of all) {
    const at = `%${mark}%`
    const has = await db.run(sql`
      select from ${sql.id(one.schema, one.table)} t
      where t.idempotency_key like ${at}`)
    if (has > 0) found.push(name(one))
  }
  return [all.map(name).toSorted(), found]
}
