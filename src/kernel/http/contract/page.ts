/**
 * One page of a list. It decodes the cursor into the columns that order the list, and runs the
 * surface's statement for one row more than the page holds. From the result it makes `next_cursor`,
 * `has_more` and `Link`. If a filter may match only one row in a million, `look_max` limits how
 * many rows one request reads. A page that ends at that limit is short or empty and has `has_more`
 * set; the next page continues from there.
 */
import { type Static, type TObject, Type } from 'typebox'
import type { Reader } from '../../database/db.ts'
import { sql, Sql } from '../../database/sql.ts'
import type { CursorPart, Cursors, ListScope, Page } from './cursor.ts'
import { problem } from '../../errors/problem.ts'

/**
 * A list for one caller, with the key that signs its cursors. It is `list` in a handler's context.
 */
export type List = ListScope & { readonly cursors: Cursors }

type Rows<S extends TObject> = readonly Static<S>[]

export type PageSpec<S extends TObject, P extends keyof Static<S> & string, V> = {
  readonly scope: List
  readonly row: S
  /** Columns of `row` that order the list. Together they are unique. */
  readonly place: readonly P[]
  /**
   * The maximum number of rows that one request reads. With this limit, the statement returns all
   * rows that it reads, each with a boolean `wanted`.
   */
  readonly look_max?: number
  /** With `look_max`: the columns of `row`, of a wanted row `t`. By default they are its own. */
  readonly columns?: Sql
  /** Turns a row into the item of the reply. By default the item is the row. */
  readonly view?: (row: Static<S>) => V
  /**
   * Returns at most `n` rows after a position (all null at the beginning), from memory or by a
   * statement.
   */
  readonly fetch: (
    after: { readonly [K in P]: Static<S>[K] | null },
    n: number,
  ) => Sql | Rows<S> | Promise<Rows<S>>
}

export async function page<
  S extends TObject,
  const P extends keyof Static<S> & string,
  V = Static<S>,
>(reader: Pick<Reader, 'many'>, spec: PageSpec<S, P, V>): Promise<Page<V>> {
  const { scope, place, view, look_max, columns, fetch } = spec
  const { after, limit, fetch: fetched } = scope.cursors.start(scope)
  if (after && after.length !== place.length) throw problem('invalid_cursor')
  const from = Object.fromEntries(place.map((name, at) => [name, after?.[at] ?? null])) as {
    readonly [K in P]: Static<S>[K] | null
  }
  const placeOf = (row: Static<S>) =>
    place.map(name => (row as Record<string, CursorPart>)[name] ?? null)
  const shown = (row: Static<S>): V => (view ? view(row) : row)
  if (look_max === undefined) {
    const rows = await rowsOf(reader, spec.row, fetch(from, fetched))
    const { body, headers } = scope.cursors.page(scope, rows, placeOf)
    return { body: { ...body, data: body.data.map(shown) }, headers }
  }
  const statement = fetch(from, look_max)
  const looked = await look(reader, spec.row, statement, { fetched, look_max, columns })
  // A scan that ended at its limit must look like a full page to the cursor, so its last row is
  // repeated.
  const wanted = looked.filter(row => row.wanted)
  const last = wanted.length < fetched ? looked.find(row => row.looked === look_max) : undefined
  const rest = last ? Array.from({ length: fetched - wanted.length }, () => last) : []
  const { body, headers } = scope.cursors.page<Static<S>>(scope, [...wanted, ...rest], placeOf)
  const data = wanted.slice(0, limit).map(({ wanted: _wanted, looked: _looked, ...row }) => row)
  return { body: { ...body, data: (data as Static<S>[]).map(shown) }, headers }
}

async function rowsOf<S extends TObject>(
  reader: Pick<Reader, 'many'>,
  row: S,
  fetched: Sql | Rows<S> | Promise<Rows<S>>,
): Promise<Rows<S>> {
  return fetched instanceof Sql ? await reader.many(row, fetched) : await fetched
}

type Look = {
  readonly fetched: number
  readonly look_max: number
  readonly columns: Sql | undefined
}

type Looked<S extends TObject> = Static<S> & {
  readonly wanted: boolean
  readonly looked: number
}

/**
 * Returns the wanted rows, and the row at which the scan ended. Rows are streamed, so a full page
 * ends the scan early. Columns that are expressions are computed only for the rows of the page.
 */
async function look<S extends TObject>(
  reader: Pick<Reader, 'many'>,
  row: S,
  statement: Sql | Rows<S> | Promise<Rows<S>>,
  { fetched, look_max, columns }: Look,
): Promise<readonly Looked<S>[]> {
  if (!(statement instanceof Sql)) throw new Error('look_max needs a statement')
  const schema = Type.Object({ ...row.properties, wanted: Type.Boolean(), looked: Type.Integer() })
  const rows = await reader.many(
    schema,
    sql`
      select ${columns ? sql`${columns}, t.wanted, t.looked` : sql`t.*`} from (
        select r.*, row_number() over ()::int as looked from (${statement}) r
      ) t
      where t.wanted or t.looked = ${look_max}
      limit ${fetched}`,
  )
  return rows as unknown as readonly Looked<S>[]
}
