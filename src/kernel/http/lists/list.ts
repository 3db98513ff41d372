/**
 * A list as a value: its rows, whose they are, and how it may be asked for. It becomes a route that
 * returns pages, or CSV to a client that asks for it. The tenant is always compared.
 */
import { type TObject, type TSchema, Type } from 'typebox'
import type { Reader } from '../../database/db.ts'
import { sql, type Sql } from '../../database/sql.ts'
import { type List, page } from '../contract/page.ts'
import { reply, route, type Route } from '../contract/route.ts'
import { pageOf } from '../contract/shapes.ts'
import { type Asked, askedOf, queryOf } from './asked.ts'
import { prefersCsv } from './csv.ts'
import { csvOf, list_refusals } from './export-csv.ts'
import { matchesOf } from './matches.ts'
import { timeOf } from './range.ts'
import {
  type AnySpec,
  type ListContext,
  type ListDeps,
  type ListSpec,
  route_facts,
} from './spec.ts'
import {
  type After,
  columnsIn,
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
  const { permission = 'authenticated', item, of, fails = [] } = spec
  const body: TSchema = pageOf(item ?? spec.row)
  const facts = route_facts.flatMap(name => (spec[name] === undefined ? [] : [[name, spec[name]]]))
  return (name, deps) =>
    route({
      ...(Object.fromEntries(facts) as object),
      method: 'GET',
      path,
      name,
      summary,
      permission: permission as 'authenticated',
      ...(of ? { asks_grants: true, for_others: of.any } : {}),
      produces: ['application/json', 'text/csv'],
      headers: { vary: 'accept' },
      query: queryOf(spec),
      replies: { 200: body },
      fails: [...list_refusals, ...fails],
      lists: {
        ...factsOf(spec),
        search: (caller, sought) =>
          matchesOf(deps, spec, { ...caller, params: {} as never }, sought),
      },
      handle: async context => {
        const { tx, list: scope, request } = context
        // The route has lost the types of its path.
        const caller = context as unknown as ListContext<never>
        const asked = await askedOf(deps, spec, caller)
        if (prefersCsv(request.headers['accept'])) {
          return await csvOf(deps, { path, spec, asked, permission }, context)
        }
        const found = await pageOfRows(deps, tx, { scope, spec, asked })
        return reply(200, found.body, found.headers)
      },
    })
}

async function pageOfRows(
  deps: ListDeps,
  tx: Reader,
  { scope, spec, asked }: { scope: List; spec: AnySpec; asked: Asked },
) {
  const look_max = deps.kernel.settings['kernel.list_look_max']
  const { rows, range, few } = asked
  const { row, view } = spec
  const all = range ? { ...rows, wanted: both(rows.wanted, range) } : rows
  const said = {
    scope,
    row,
    place: placeOf(rows.order),
    view: (one: object) => (view ? view(one as never, deps as never) : one),
  }
  const statement = (of: typeof rowsAfter) => (after: object, n: number) =>
    of(all, after as After, n)
  if (few) return await page(tx, { ...said, fetch: statement(rowsSorted) })
  if (range && (await isFew(tx, { ...rows, found: both(rows.found, range) }, look_max))) {
    return await page(tx, { ...said, fetch: statement(rowsSorted) })
  }
  if (range || rows.wanted) {
    const columns = columnsIn(rows.source)
    return await page(tx, { ...said, look_max, columns, fetch: statement(rowsLooked) })
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

/** What the start checks in the database, and what the document says. */
function factsOf(spec: AnySpec): Omit<NonNullable<Route['lists']>, 'search'> {
  const { from, of_platform, where, filters = {}, sort = {}, find, time } = spec
  const orders = Object.values(sort)
  const leaves_out = Object.values(filters).some(one => one.otherwise)
  return {
    table: from,
    of_platform: of_platform === true,
    leaves_deleted_out: where !== undefined || leaves_out,
    ids_have_time: time === 'id',
    columns: spec.stored ?? [],
    unset: spec.unset ?? [],
    not_null: orders.map(one => one.column),
    indexes: [
      ...orders.map(one => [...(one.within === undefined ? [] : [one.within]), one.column, 'id']),
      ...(find ?? []).flatMap(({ index }) => (index === null ? [] : [[index]])),
      ...(time && timeOf(time).ids === null ? [[timeOf(time).column]] : []),
    ],
    asked: {
      filters: Object.keys(filters),
      sort: ['created_at', ...Object.keys(sort)],
      find: find ? ['id', ...new Set(find.map(one => one.column))] : [],
      range: time !== undefined,
    },
  }
}
