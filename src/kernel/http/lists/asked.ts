/** What one request asks of a list: the query of its route, and the rows that it names. */
import { type TProperties, Type } from 'typebox'
import { lacks } from '../../access/permission-denied.ts'
import { sql, Sql } from '../../database/sql.ts'
import { problem } from '../../errors/problem.ts'
import { Id, oneOf, pageQuery, text, Time } from '../contract/shapes.ts'
import { soughtIn } from './find.ts'
import type { Owner } from './members.ts'
import { inRange } from './range.ts'
import type { AnySpec, ListContext, ListDeps, Seen } from './spec.ts'
import type { Order, Rows } from './statement.ts'

const by_time = 'created_at'

export function queryOf(spec: AnySpec) {
  const { filters = {}, sort, time, of, find } = spec
  const names = [by_time, ...Object.keys(sort ?? {})]
  const parameters: TProperties = {
    ...Object.fromEntries(Object.entries(filters).map(([name, { schema }]) => [name, schema])),
    ...(of ? { account_id: Id } : {}),
    ...(of?.usual === 'own' ? { scope: oneOf('own', 'tenant') } : {}),
    ...(time ? { since: Time, until: Time } : {}),
    ...(sort ? { sort: oneOf(...names.flatMap(name => [name, `-${name}`])) } : {}),
    ...(find ? { find: text(200, 2) } : {}),
  }
  return pageQuery(
    Object.fromEntries(
      Object.entries(parameters).map(([name, schema]) => [name, Type.Optional(schema)]),
    ),
  )
}

export type Asked = {
  readonly rows: Rows
  /** So few that they are found first and sorted then. */
  readonly few?: boolean | undefined
  readonly tenant: Sql | string
  /** A range beside another order than that of the list: its index does not have the range. */
  readonly range: Sql | null
  /** The permission that the caller needs for these rows, beyond that of the route. */
  readonly needs: string | null
}

export async function askedOf(
  deps: ListDeps,
  spec: AnySpec,
  context: ListContext<never>,
): Promise<Asked> {
  const { query, principal } = context
  const { filters = {}, where = sql`true`, time, of_platform } = spec
  const seen = await seenBy(deps, spec, context)
  const order = orderOf(spec, query)
  const given = Object.entries(filters).flatMap(([name, filter]) => {
    const value = query[name]
    const is = value === undefined ? filter.otherwise : filter.condition(name, value)
    return is ? [{ looked: filter.looked, is: sql`(${is})` }] : []
  })
  const range = time && inRange(time, query, deps.kernel.profile === 'development')
  const tenant = seen.tenant ?? principal.tenant_id
  const of_tenant = of_platform ? sql`true` : sql`t.tenant_id = ${tenant}`
  const sought = await soughtIn(spec, {
    tx: context.tx,
    of_tenant,
    text: query['find'],
    most: deps.kernel.settings['kernel.list_look_max'],
  })
  const looked = [
    ...(seen.looked ? [seen.looked] : []),
    ...(sought && !sought.few ? [sought.is] : []),
    ...given.filter(one => one.looked).map(one => one.is),
  ]
  const beside = range && order.by !== null ? range : null
  return {
    tenant,
    few: sought?.few,
    rows: {
      source: {
        table: spec.from,
        row: spec.row,
        columns: { ...spec.columns, ...seen.columns },
        time,
      },
      found: sql.join(
        [
          of_tenant,
          sql`(${where}) and (${seen.is})`,
          ...given.filter(one => !one.looked).map(one => one.is),
          ...(range && !beside ? [range] : []),
          ...(sought?.few ? [sought.is] : []),
        ],
        ' and ',
      ),
      wanted: looked.length > 0 ? sql.join(looked, ' and ') : null,
      order,
    },
    range: beside,
    needs: seen.needs ?? null,
  }
}

/** What `within` and `of` say together. */
async function seenBy(
  deps: ListDeps,
  { within, of }: AnySpec,
  context: ListContext<never>,
): Promise<Seen> {
  const said = (await within?.(context, deps as never)) ?? sql`true`
  const seen: Seen = said instanceof Sql ? { is: said } : said
  if (!of) return seen
  const own = await rowsOf(of, context)
  return { ...seen, ...own, is: sql`(${seen.is}) and ${own.is}` }
}

async function rowsOf(
  of: Owner,
  { principal, grants, query: { account_id, scope } }: ListContext<never>,
): Promise<Seen> {
  const rows = (id: string) => sql`t.${sql.id(of.column)} = ${id}`
  const own = { is: rows(principal.id), tenant: of.home?.(principal.id) }
  if (account_id === principal.id) return own
  const may = (await grants()).has(of.any)
  const others = account_id !== undefined || scope === 'tenant'
  if (others && !may) throw lacks(of.any, `Seeing rows of others needs ${of.any}.`)
  if (account_id !== undefined) return { is: rows(account_id), needs: of.any }
  if (others || (may && of.usual === 'any')) return { is: sql`true`, needs: of.any }
  return own
}

function orderOf({ sort = {}, oldest_first }: AnySpec, query: ListContext<never>['query']): Order {
  const asked = query['sort'] ?? (oldest_first ? by_time : `-${by_time}`)
  const descending = asked.startsWith('-')
  const name = descending ? asked.slice(1) : asked
  const by = sort[name] ?? null
  if (by?.within !== undefined && query[by.within] === undefined) {
    throw problem('sort_needs_filter', {
      detail: `Values of ${name} compare only within one ${by.within}. Add \`${by.within}\` to the query.`,
    })
  }
  return { by, descending }
}
