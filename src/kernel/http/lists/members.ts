/**
 * What a list may be asked: filters, orders, keys to find a row by, and whose rows. They are values,
 * from which `list` makes the query of the route and its statement.
 */
import type { Static, TSchema } from 'typebox'
import { sql, type Sql } from '../../database/sql.ts'

export type Filter = {
  readonly schema: TSchema
  /** The condition for a value. `column` is the parameter's own name. */
  condition(column: string, value: unknown): Sql
  /** Whether no index finds the rows, so that one request reads only so many of them. */
  readonly looked: boolean
  /** The condition if the parameter is not given. */
  readonly otherwise?: Sql | undefined
}

function filter<S extends TSchema>(
  looked: boolean,
  schema: S,
  condition?: (value: Static<S>) => Sql,
  otherwise?: Sql,
): Filter {
  const usual = (column: string, value: unknown) => sql`t.${sql.id(column)} = ${value}`
  return {
    schema,
    looked,
    otherwise,
    condition: (column, value) =>
      condition ? condition(value as Static<S>) : usual(column, value),
  }
}

/** A filter under an index. */
export function equal<S extends TSchema>(
  schema: S,
  condition?: (value: Static<S>) => Sql,
  otherwise?: Sql,
): Filter {
  return filter(false, schema, condition, otherwise)
}

/** A filter without an index. A page may be short, with `has_more`, if few rows match. */
export function looked<S extends TSchema>(
  schema: S,
  condition?: (value: Static<S>) => Sql,
): Filter {
  return filter(true, schema, condition)
}

/** An order besides the usual one. Its column has no nulls, and an index has its order. */
export type SortColumn = {
  readonly column: string
  readonly type: 'bigint' | 'text' | 'timestamptz' | 'date'
  /** Values compare only among rows with the same value of this filter. */
  readonly within?: string
}

/** A column by whose value `find` finds rows. An index begins with the tenant and it. */
export type FindKey = {
  readonly column: string
  /** Null: another index finds the value, without the tenant. */
  readonly index: string | null
  /** The order of the index, among the values that fit. */
  readonly order?: Sql
  /** Null if the text cannot be such a value. */
  condition(text: string): Sql | null
}

export function exact(column: string): FindKey {
  return { column, index: column, condition: text => sql`t.${sql.id(column)} = ${text}` }
}

/** A number as people write it: 1042 or #1042. */
export function numbered(column: string): FindKey {
  return {
    column,
    index: column,
    condition: text => {
      const digits = /^#?(\d{1,15})$/.exec(text)?.[1]
      return digits === undefined ? null : sql`t.${sql.id(column)} = ${Number(digits)}::bigint`
    },
  }
}

/** The last code point, after every continuation of a prefix. */
const last = sql`chr(1114111)`

/**
 * The beginning of a text, whatever its case and accents. A range has an index in a prepared plan,
 * and `like` has none.
 */
export function begins(column: string): FindKey {
  return beginning(column, sql`kernel.plain(t.${sql.id(column)})`, `kernel.plain(${column})`)
}

/** The beginning of a name, or of its last word. In an index it is written as `written`. */
export function named(
  column: string,
  name: Sql = sql`t.${sql.id(column)}`,
  written: string = column,
): FindKey[] {
  return [
    beginning(column, sql`kernel.plain(${name})`, `kernel.plain(${written})`),
    beginning(column, sql`kernel.last_word(${name})`, `kernel.last_word(${written})`),
  ]
}

function beginning(column: string, text_of: Sql, index: string): FindKey {
  const plain = sql`${text_of} collate "C"`
  return {
    column,
    index,
    order: plain,
    condition: text => sql`
      (${plain} >= kernel.plain(${text}) and ${plain} < kernel.plain(${text}) || ${last})`,
  }
}

/** Own rows; with the permission also those of others. */
export type Owner = {
  readonly column: string
  readonly any: string
  /** What a holder of the permission sees without a parameter. */
  readonly usual: 'any' | 'own'
  /** The tenant of own rows, if it is not the one in which their owner works now. */
  readonly home?: ((id: string) => Sql) | undefined
}

export function owner(
  column: string,
  any: string,
  usual: Owner['usual'] = 'any',
  home?: Owner['home'],
): Owner {
  return { column, any, usual, home }
}
