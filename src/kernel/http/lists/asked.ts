/** What one request asks of a list: the query of its route, and the rows that it names. */
import { type TProperties, Type } from 'typebox'
import { lacks } from '../../access/permission-denied.ts'
import { sql, type Sql } from '../../database/sql.ts'
import { problem } from '../../errors/problem.ts'
import { isId, nil_id } from '../../ids.ts'
import { Id, oneOf, pageQuery, text, Time } from '../contract/shapes.ts'
import type { FindKey, Owner } from './members.ts'
import { inRange } from './range.ts'
import type { AnySpec, ListContext, ListDeps } from './spec.ts'
import type { Order, Rows } from './statement.ts'

const by_time = 'created_at'

export function queryOf(spec: AnySpec) {
  const { filters = {}, sort, time, of, find, platform_rows } = spec
  const names = [by_time, ...Object.keys(sort ?? {})]
  const parameters: TProperties = {
    ...Object.fromEntries(Object.entries(filters).map(([name, { schema }]) => [name, schema])),
    ...(platform_rows === undefined ? {} : { owner: oneOf('tenant', 'platform') }),
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
  const { query } = context
  const { filters = {}, where = sql`true`, time, of_platform } = spec
  const within = spec.within ? [await spec.within(context, deps as never)] : []
  const whose = await rowsOf(spec.of, context)
  const platform = await platformRows(spec, context)
  const tenant_id = platform ? nil_id : context.principal.tenant_id
  const order = orderOf(spec, query)
  const given = Object.entries(filters).flatMap(([name, filter]) => {
    const value = query[name]
    const is = value === undefined ? filter.otherwise : filter.condition(name, value)
    return is ? [{ looked: filter.looked, is: sql`(${is})` }] : []
  })
  const range = time && inRange(time, query, deps.kernel.profile === 'development')
  const looked = given.filter(one => one.looked).map(one => one.is)
  const beside = range && order.by !== null ? range : null
  return {
    rows: {
      source: { table: spec.from, row: spec.row, columns: spec.columns ?? {}, time },
      found: sql.join(
        [
          ...(of_platform ? [] : [sql`t.tenant_id = ${tenant_id}`]),
          sql`(${where})`,
          ...within,
          ...whose.condition,
          ...given.filter(one => !one.looked).map(one => one.is),
          ...(range && !beside ? [range] : []),
          ...foundBy(spec.find, query['find']),
        ],
        ' and ',
      ),
      wanted: looked.length > 0 ? sql.join(looked, ' and ') : null,
      order,
    },
    range: beside,
    needs: platform ?? whose.needs,
  }
}

/** The permission that the caller needs, if they ask for the platform's own rows. */
async function platformRows(
  { platform_rows }: AnySpec,
  { query: { owner }, grants }: ListContext<never>,
): Promise<string | null> {
  if (platform_rows === undefined || owner !== 'platform') return null
  if (!(await grants()).has(platform_rows)) throw lacks(platform_rows)
  return platform_rows
}

type Whose = { readonly condition: readonly Sql[]; readonly needs: string | null }

async function rowsOf(
  of: Owner | undefined,
  { principal, grants, query: { account_id, scope } }: ListContext<never>,
): Promise<Whose> {
  if (!of) return { condition: [], needs: null }
  const own = (id: string) => [sql`t.${sql.id(of.column)} = ${id}`]
  if (account_id === principal.id) return { condition: own(principal.id), needs: null }
  const may = (await grants()).has(of.any)
  const others = account_id !== undefined || scope === 'tenant'
  if (others && !may) throw lacks(of.any, `Seeing rows of others needs ${of.any}.`)
  if (account_id !== undefined) return { condition: own(account_id), needs: of.any }
  if (others || (may && of.usual === 'any')) return { condition: [], needs: of.any }
  return { condition: own(principal.id), needs: null }
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

/** Any key that the text can be, and the id. */
function foundBy(keys: readonly FindKey[] | undefined, text: string | undefined): Sql[] {
  if (!keys || text === undefined) return []
  const fits = keys.flatMap(key => key.condition(text) ?? [])
  const all = isId(text) ? [...fits, sql`t.id = ${text}::uuid`] : fits
  return all.length === 0 ? [sql`false`] : [sql`(${sql.join(all, ' or ')})`]
}
