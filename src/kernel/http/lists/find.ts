/**
 * The rows that `find` asks for: those with the id, or with any key. Each key is read in the order of
 * its own index and only so far. Joined by `or`, a prepared statement would walk the order of the list
 * and compare every row of the tenant: 16 s among 300,000 orders.
 */
import { Type } from 'typebox'
import type { Reader } from '../../database/db.ts'
import { sql, type Sql } from '../../database/sql.ts'
import { isId } from '../../ids.ts'
import type { FindKey } from './members.ts'
import type { AnySpec } from './spec.ts'

export type Key = { readonly is: Sql; readonly order?: Sql | undefined }

export function keysFor(find: readonly FindKey[], text: string): Key[] {
  const fits = find.flatMap(({ condition, order }) => {
    const is = condition(text)
    return is ? [{ is, order }] : []
  })
  return isId(text) ? [...fits, { is: sql`t.id = ${text}::uuid` }] : fits
}

type Asked = {
  readonly tx: Reader
  readonly of_tenant: Sql
  readonly text: string | undefined
  /** More rows are not found first and sorted then, but looked for in the order of the list. */
  readonly most: number
}

type Sought = { readonly few: boolean; readonly is: Sql }

const Count = Type.Object({ found: Type.Integer() })

export async function soughtIn(
  { find, from, where = sql`true` }: AnySpec,
  { tx, of_tenant, text, most }: Asked,
): Promise<Sought | null> {
  if (!find || text === undefined) return null
  const keys = keysFor(find, text)
  if (keys.length === 0) return { few: true, is: sql`false` }
  const ids = sql.join(
    keys.map(
      ({ is, order }) => sql`(
        select t.id from ${sql.id(...from.split('.'))} t
        where ${of_tenant} and (${where}) and ${is}
        ${order ? sql`order by ${order}` : sql``} limit ${most + 1})`,
    ),
    ' union all ',
  )
  const { found } = await tx.one(Count, sql`select count(*)::int as found from (${ids}) f`)
  if (found <= most) return { few: true, is: sql`t.id = any(array(${ids}))` }
  const each = keys.map(({ is }) => is)
  return { few: false, is: sql`(${sql.join(each, ' or ')})` }
}
