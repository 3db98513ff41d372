/**
 * Checks at the start that the database has what the lists of all surfaces rely on. Without its
 * index, an order or a search reads the whole table of a tenant once it has grown.
 */
import { type Static, Type } from 'typebox'
import type { Db } from '../../database/db.ts'
import { sql } from '../../database/sql.ts'
import { StartError } from '../../errors/start-error.ts'
import type { Route } from '../contract/route.ts'

const TableRow = Type.Object({
  name: Type.String(),
  deletes: Type.Boolean(),
  has_tenant: Type.Boolean(),
  columns: Type.Array(Type.String()),
  nullable: Type.Array(Type.String()),
  /** Of each valid index the expressions, from the first. */
  indexes: Type.Array(Type.Array(Type.String())),
})

export async function checkLists(db: Pick<Db, 'many'>, routes: readonly Route[]): Promise<void> {
  const lists = routes.flatMap(({ path, lists: facts }) => (facts ? [{ path, ...facts }] : []))
  const names = [...new Set(lists.map(one => one.table))]
  if (names.length === 0) return
  const tables = new Map((await readTables(db, names)).map(one => [one.name, one]))
  const faults = lists.flatMap(one => faultsOf(one, tables.get(one.table)))
  if (faults.length > 0) throw new StartError(faults.join('\n'))
}

const looked_max = 100_000

/** For the doctor: rows that a range of their list would not find, among so many of each table. */
export function idCheck(db: Pick<Db, 'many'>, routes: readonly Route[]) {
  const tables = new Set(routes.flatMap(({ lists }) => (lists?.ids_have_time ? [lists.table] : [])))
  return {
    name: 'ids',
    says: 'Ids begin with the time of their rows, within an hour',
    run: async () => {
      const found = []
      for (const table of tables) {
        const rows = await db.many(
          Type.Object({ id: Type.String() }),
          sql`
            select t.id from (
              select id, created_at from ${sql.id(...table.split('.'))} limit ${looked_max}) t
            where t.id not between kernel.first_id_of(t.created_at - interval '1 hour')
              and kernel.first_id_of(t.created_at + interval '1 hour')
            limit 10`,
        )
        found.push(...rows.map(({ id }) => `${table} ${id}`))
      }
      return found
    },
  }
}

type Facts = NonNullable<Route['lists']> & { readonly path: string }

function faultsOf(list: Facts, table: Static<typeof TableRow> | undefined): string[] {
  const { path, table: name } = list
  if (!table) return [`The list ${path} reads ${name}, which does not exist.`]
  const missing = list.indexes
    .map(columns => (list.of_platform ? columns : ['tenant_id', ...columns]))
    .filter(needed => !table.indexes.some(has => needed.every((column, at) => has[at] === column)))
    .map(needed => `The list ${path} needs an index of ${name} on (${needed.join(', ')}).`)
  const nulls = list.not_null
    .filter(column => table.nullable.includes(column))
    .map(column => `The list ${path} sorts by ${name}.${column}, which may be null.`)
  const absent = list.columns
    .filter(column => !table.columns.includes(column))
    .map(column => `The list ${path} shows ${column}, and ${name} has no such column.`)
  const unset = list.unset
    .filter(column => table.columns.includes(column) && !table.nullable.includes(column))
    .map(column => `${name}.${column} is not null, but its rows never have one. Remove the column.`)
  const shows_deleted = table.deletes && !list.leaves_deleted_out
  return [
    ...absent,
    ...unset,
    ...missing,
    ...nulls,
    ...(list.of_platform && table.has_tenant
      ? [`The list ${path} shows the rows of all tenants of ${name}.`]
      : []),
    ...(shows_deleted ? [`The list ${path} needs a condition on ${name}.deleted_at.`] : []),
  ]
}

function readTables(db: Pick<Db, 'many'>, names: readonly string[]) {
  return db.many(
    TableRow,
    sql`
      select n.name, coalesce((
          select jsonb_agg((
            select jsonb_agg(pg_get_indexdef(i.indexrelid, k, true) order by k)
            from generate_series(1, i.indnkeyatts) k))
          from pg_index i where i.indrelid = c.oid and i.indisvalid), '[]') as indexes,
        array(select a.attname::text from pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
        array(select a.attname::text from pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attnotnull) as nullable,
        exists (select from pg_attribute a
          where a.attrelid = c.oid and a.attname = 'deleted_at') as deletes,
        exists (select from pg_attribute a
          where a.attrelid = c.oid and a.attname = 'tenant_id') as has_tenant
      from unnest(${names}::text[]) n (name) join pg_class c on c.oid = to_regclass(n.name)`,
  )
}
