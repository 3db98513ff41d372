/**
 * The rows of a list that fit what a person typed: its id, or one of its keys. They are rows that the
 * list itself would show to this caller. Each key is read in the order of its index and only so far,
 * whatever the planner believes of a text that it does not know.
 */
import type { Reader } from '../../database/db.ts'
import { sql } from '../../database/sql.ts'
import { Problem } from '../../errors/problem.ts'
import { isId } from '../../ids.ts'
import type { Match, Search, Searcher, Sought } from '../contract/list-facts.ts'
import { askedOf } from './asked.ts'
import { type Key, keysFor } from './find.ts'
import { timeOf } from './range.ts'
import type { AnySpec, ListContext, ListDeps } from './spec.ts'
import { columnsIn } from './statement.ts'

/** Null if the list has no such row for this caller. Nothing is read before `read` is called. */
export async function matchesOf(
  deps: ListDeps,
  spec: AnySpec,
  context: Omit<ListContext<never>, 'query'>,
  { by, most }: { by: Sought; most: number },
): Promise<((reader: Reader) => Promise<Match[]>) | null> {
  const keys = keysOf(spec, by)
  if (keys.length === 0) return null
  const scope = spec.of?.usual === 'own' && (await context.grants()).has(spec.of.any)
  const query = scope ? { scope: 'tenant' } : {}
  const asked = await askedOf(deps, spec, { ...context, query }).catch(absentIfRefused)
  if (!asked) return null
  const { source, found, wanted } = asked.rows
  const table = sql.id(...source.table.split('.'))
  const tenant = spec.of_platform ? sql`true` : sql`t.tenant_id = ${asked.tenant}`
  const look_max = deps.kernel.settings['kernel.list_look_max']
  const ids = keys.map(
    ({ is, order }) => sql`(
      select t.id from (
        select t.* from ${table} t
        where ${tenant} and (${spec.where ?? sql`true`}) and ${is}
        ${order ? sql`order by ${order}` : sql``} limit ${look_max}) t
      where ${found} and ${wanted ?? sql`true`} limit ${most})`,
  )
  const statement = sql`
    select ${columnsIn(source)} from ${table} t
    where ${tenant} and t.id = any(array(${sql.join(ids, ' union all ')}))
    order by t.id desc limit ${most}`
  return async reader => {
    const rows = await reader.many(spec.row, statement)
    return rows.map(row => matchOf(spec, row, spec.view?.(row as never, deps as never) ?? row))
  }
}

/** For a list that is written by hand: what a search finds in it for a caller. */
export function searchIn(deps: ListDeps, specOf: (caller: Searcher) => Promise<AnySpec>): Search {
  return async (caller, sought) =>
    await matchesOf(deps, await specOf(caller), { ...caller, params: {} as never }, sought)
}

function keysOf({ find }: AnySpec, by: Sought): Key[] {
  if ('ids' in by) return [{ is: sql`t.id = any(${by.ids}::uuid[])` }]
  return find ? keysFor(find, by.text) : []
}

/** The list would refuse this caller. */
function absentIfRefused(error: unknown): null {
  if (error instanceof Problem && error.status < 500) return null
  throw error
}

function matchOf({ shows, time: made }: AnySpec, row: object, item: object): Match {
  const { id, [timeOf(made).column]: at } = row as Record<string, unknown>
  const members = item as Readonly<Record<string, unknown>>
  const { state } = members
  const texts = shows
    ? shows.map(name => members[name ?? ''])
    : Object.entries(members).flatMap(words)
  const [title, subtitle] = texts.filter(isShown).map(String)
  return {
    id: String(id),
    title: title ?? String(id),
    subtitle: subtitle ?? null,
    state: typeof state === 'string' ? state : null,
    at: typeof at === 'string' ? at : null,
    item: members,
  }
}

const time = /^\d{4}-\d\d-\d\dT/

/** By default the first texts of an item say what it is. */
function words([name, value]: readonly [string, unknown]): unknown[] {
  const is_text = typeof value === 'string' && !isId(value) && !time.test(value)
  return is_text && name !== 'state' ? [value] : []
}

function isShown(value: unknown): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && value !== '')
}
