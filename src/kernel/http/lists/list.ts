/**
 * A list as a value: its rows, whose they are, and how it may be asked for. It becomes a route that
 * returns pages, or CSV to a client that asks for it. The tenant is always compared.
 */
import { type TObject, type TSchema, Type } from 'typebox'
import type { Reader } from '../../database/db.ts'
import { sql, type Sql } from '../../database/sql.ts'
import { type List, page } from '../page.ts'
import { reply, route, type Route } from '../route.ts'
import { page as pageOf } from '../shapes.ts'
import { type Asked, askedOf, queryOf } from './asked.ts'
import { csvOf, list_refusals, prefersCsv } from './export-csv.ts'
import type { AnySpec, ListDeps, ListSpec } from './spec.ts'
import {
  type After,
  counted,
  placeOf,
  type Rows,
  rowsAfter,
  rowsLooked,
  rowsSorted,
} from './statement.ts'

export function list<Row extends TObject, Item extends TSchema = Row>(
  path: string,
  summary: string,
  given: ListSpec<Row, Item>,
): (name: string, deps: ListDeps) => Route {
  // From here on a list has lost the types of its rows, as a route has those of its handler.
  const spec = given as AnySpec
  const { permission = 'authenticated', item, of, added, description, rate, rate_tenant } = spec
  const body: TSchema = pageOf(item ?? spec.row)
  const facts = Object.entries({ added, description, rate, rate_tenant })
  return (name, deps) =>
    route({
      method: 'GET',
      path,
      name,
      summary,
      permission: permission as 'authenticated',
      ...Object.fromEntries(facts.filter(([, value]) => value !== undefined)),
      ...(of ? { asks_grants: true } : {}),
      produces: ['application/json', 'text/csv'],
      headers: { vary: 'accept' },
      query: queryOf(spec),
      replies: { 200: body },
      fails: list_refusals,
      lists: factsOf(spec),
      handle: async context => {
        const { tx, list: scope, request } = context
        const asked = await askedOf(deps, spec, context)
        if (prefersCsv(request.headers['accept'])) {
          return await csvOf(deps, { path, spec, asked, permission }, context)
        }
        const found = await pageOfRows(deps, tx, { scope, spec, asked })
        return reply(200, found.body, found.headers)
      },
    })
}

async function pageOfRows(
  { kernel }: ListDeps,
  tx: Reader,
  { scope, spec, asked }: { scope: List; spec: AnySpec; asked: Asked },
) {
  const look_max = kernel.settings['kernel.list_look_max']
  const { rows, range } = asked
  const { row, view } = spec
  const all = range ? { ...rows, wanted: both(rows.wanted, range) } : rows
  const said = {
    scope,
    row,
    place: placeOf(rows.order),
    view: (one: object) => (view ? view(one as never) : one),
  }
  const statement = (of: typeof rowsAfter) => (after: object, n: number) =>
    of(all, after as After, n)
  if (range && (await isFew(tx, { ...rows, found: both(rows.found, range) }, look_max))) {
    return await page(tx, { ...said, fetch: statement(rowsSorted) })
  }
  if (range || rows.wanted) {
    return await page(tx, { ...said, look_max, fetch: statement(rowsLooked) })
  }
  return await page(tx, { ...said, fetch: statement(rowsAfter) })
}

const Counted = Type.Object({ wanted: Type.Integer(), looked: Type.Integer() })

async function isFew(tx: Reader, rows: Rows, most: number): Promise<boolean> {
  const own = { by: null, descending: true }
  const { looked } = await tx.one(Counted, counted({ ...rows, order: own }, most + 1))
  return looked <= most
}

function both(one: Sql | null, other: Sql): Sql {
  return one ? sql.join([one, other], ' and ') : other
}

/** What the start checks in the database. */
function factsOf({ from, where, sort = {}, find = [] }: AnySpec): NonNullable<Route['lists']> {
  const orders = Object.values(sort)
  return {
    table: from,
    leaves_deleted_out: where !== undefined,
    not_null: orders.map(one => one.column),
    indexes: [
      ...orders.map(one => [...(one.within === undefined ? [] : [one.within]), one.column, 'id']),
      ...find.map(one => [one.index]),
    ],
  }
}
