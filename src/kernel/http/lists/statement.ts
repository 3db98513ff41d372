/**
 * The statement of a list: the rows of one tenant after a position, in one order. It never depends
 * on the surface whether the tenant is compared and deleted rows are left out.
 */
import type { TObject } from 'typebox'
import { columnsOf } from '../../database/columns.ts'
import { sql, type Sql } from '../../database/sql.ts'
import type { CursorPart } from '../contract/cursor.ts'
import type { SortColumn } from './members.ts'
import { type Time, timeOf, upTo } from './range.ts'

export type Order = {
  /** Null: the list's own order, by id. */
  readonly by: SortColumn | null
  readonly descending: boolean
}

export type Source = {
  readonly table: string
  readonly row: TObject
  /** Columns of `row` that are expressions. */
  readonly columns?: Readonly<Record<string, Sql>>
  readonly time?: Time | undefined
}

/** The rows that a request is about: what an index finds, and what must be looked at. */
export type Rows = {
  readonly source: Source
  readonly found: Sql
  /** Null: all that were found. */
  readonly wanted: Sql | null
  readonly order: Order
}

export type After = Readonly<Record<string, CursorPart>>

export function placeOf({ by }: Order): readonly string[] {
  return by === null ? ['id'] : [by.column, 'id']
}

/** The columns of a row `t` of the table. */
export function columnsIn({ row, columns }: Source): Sql {
  return columnsOf(row, 't', columns)
}

/** All wanted rows. */
export function rowsAfter({ source, found, wanted, order }: Rows, after: After, n: number): Sql {
  return sql`
    select ${columnsIn(source)} from ${tableOf(source)} t
    where ${found} and ${wanted ?? sql`true`} and ${isAfter(order, after, source)}
    order by ${orderOf(order)} limit ${n}`
}

/** All rows of the table in the order of their index, for `page` with `look_max`. */
export function rowsLooked({ source, found, wanted, order }: Rows, after: After, n: number): Sql {
  return sql`
    select t.*, coalesce(${wanted ?? sql`true`}, false) as wanted
    from ${tableOf(source)} t
    where ${found} and ${isAfter(order, after, source)}
    order by ${orderOf(order)} limit ${n}`
}

/** Few rows: they are found first and sorted then. The planner would walk the order's index. */
export function rowsSorted({ source, found, wanted, order }: Rows, after: After, n: number): Sql {
  return sql`
    with few as materialized (
      select ${columnsIn(source)} from ${tableOf(source)} t
      where ${found} and ${wanted ?? sql`true`}
    )
    select * from few t where ${isAfter(order, after)}
    order by ${orderOf(order)} limit ${n}`
}

/** How many rows are wanted, of at most so many that are looked at. */
export function counted({ source, found, wanted, order }: Rows, look_max: number): Sql {
  return sql`
    select count(*) filter (where wanted)::int as wanted, count(*)::int as looked from (
      select coalesce(${wanted ?? sql`true`}, false) as wanted from ${tableOf(source)} t
      where ${found} order by ${orderOf(order)} limit ${look_max}) l`
}

/** When the row at this place was made, from the newest. */
export function madeAt({ source, found, wanted }: Rows, place: number): Sql {
  return sql`
    select t.${sql.id(timeOf(source.time).column)} as made_at from ${tableOf(source)} t where ${found} and ${wanted ?? sql`true`}
    order by t.id desc offset ${place} limit 1`
}

function tableOf({ table }: Source) {
  return sql.id(...table.split('.'))
}

function isAfter({ by, descending }: Order, after: After, source?: Source): Sql {
  const { id = null } = after
  if (id === null) return sql`true`
  const sign = descending ? sql`<` : sql`>`
  if (by === null) {
    const partitions = descending && source ? upTo(source.time, String(id)) : null
    const is = sql`t.id ${sign} ${id}::uuid`
    return partitions ? sql`${is} and ${partitions}` : is
  }
  const value = after[by.column] ?? null
  const typed = {
    bigint: sql`${value}::bigint`,
    text: sql`${value}::text`,
    timestamptz: sql`${value}::timestamptz`,
    date: sql`${value}::date`,
  }[by.type]
  return sql`(t.${sql.id(by.column)}, t.id) ${sign} (${typed}, ${id}::uuid)`
}

function orderOf(order: Order): Sql {
  const way = order.descending ? sql`desc` : sql`asc`
  const columns = placeOf(order).map(name => sql`t.${sql.id(name)} ${way}`)
  return sql.join(columns, ', ')
}
