/**
 * The statements of a record. Every one has the tenant in its `where`, and the owner if the scope
 * names one. Columns are named one by one: an insert that named all of a table would fail as soon
 * as a later migration adds one.
 */
import { type TObject, Type } from 'typebox'
import type { Reader, Tx } from '../database/db.ts'
import { sql, type Sql } from '../database/sql.ts'
import { problem, type Problem } from '../errors/problem.ts'
import { expectedVersions, hasVersion, preconditionFailed } from '../http/contract/etag.ts'
import { page, type List } from '../http/contract/page.ts'
import { type Id, Version } from '../http/contract/shapes.ts'
import { newId } from '../ids.ts'
import type { Fields } from './fields.ts'

/** Whose rows: those of the tenant, or only those of one owner in it. */
export type Scope = { readonly tenant_id: string; readonly owner_id?: string }

export type IfMatch = { readonly if_match?: string | string[] | undefined }
/** Columns beside the fields, with the expressions that set them. */
export type Set = { readonly set?: Readonly<Record<string, Sql>> }

type Values = Readonly<Record<string, unknown>>
export type AnyRow = { readonly id: string; readonly version: number } & Values
export type Parts = {
  readonly name: Sql
  readonly columns: Sql
  readonly view: TObject
  readonly fields: Fields
  readonly tombstone: boolean
  absent(): Problem
}

export function statementsOf(parts: Parts) {
  const { name, columns, view, absent } = parts
  const read = async (reader: Pick<Reader, 'maybe'>, where: Sql, lock = sql.empty) =>
    (await reader.maybe(view, sql`select ${columns} from ${name} t where ${where} ${lock}`)) as
      AnyRow | undefined
  const find = (reader: Pick<Reader, 'maybe'>, scope: Scope, id: string) =>
    read(reader, live(parts, scope, id))
  const required = async (reader: Pick<Reader, 'maybe'>, scope: Scope, id: string) => {
    const row = await find(reader, scope, id)
    if (!row) throw absent()
    return row
  }
  return {
    find,
    required,
    lock: async (tx: Pick<Tx, 'maybe'>, scope: Scope, id: string) => {
      const row = await read(tx, live(parts, scope, id), sql`for no key update`)
      if (!row) throw absent()
      return row
    },
    insert: insertion(parts),
    update: changing(parts, required),
    remove: removal(parts),
    page: (reader: Pick<Reader, 'many'>, scope: Scope, list: List, where = sql`true`) =>
      page(reader, {
        scope: list,
        row: view as TObject<{ id: typeof Id }>,
        place: ['id'],
        fetch: (after, n) => sql`
          select ${columns} from ${name} t
          where ${live(parts, scope)} and ${where}
            and (${after.id}::uuid is null or t.id < ${after.id}::uuid)
          order by t.id desc
          limit ${n}`,
      }),
  }
}

function insertion({ name, columns, view, fields }: Parts) {
  return async (
    tx: Pick<Tx, 'one'>,
    scope: Scope,
    values: Values,
    more: Set & { id?: string } = {},
  ) => {
    const given = valuesOf(fields, values, true)
    const set = Object.entries(more.set ?? {})
    const owner =
      scope.owner_id === undefined ? [] : [['owner_id', sql`${scope.owner_id}::uuid`] as const]
    const all = [
      ['tenant_id', sql`${scope.tenant_id}::uuid`] as const,
      ['id', sql`${more.id ?? newId()}::uuid`] as const,
      ...owner,
      ...set,
      ...Object.keys(given).map(one => [one, sql`r.${sql.id(one)}`] as const),
    ]
    return tx.one(
      view,
      sql`
        insert into ${name} as t (${sql.join(
          all.map(([one]) => sql`${sql.id(one)}`),
          ', ',
        )})
        select ${sql.join(
          all.map(([, value]) => value),
          ', ',
        )}
        from jsonb_populate_record(null::${name}, ${sql.json(given)}::jsonb) r
        returning ${columns}`,
    )
  }
}

type Required = (reader: Pick<Reader, 'maybe'>, scope: Scope, id: string) => Promise<AnyRow>
type More = Set & IfMatch & { readonly from?: Values }

function changing(parts: Parts, required: Required) {
  const { name, columns, view, fields } = parts
  const names = Object.keys(fields)
  return async (
    tx: Pick<Tx, 'maybe'>,
    scope: Scope,
    id: string,
    values: Values,
    more: More = {},
  ) => {
    const { from = {}, if_match, set = {} } = more
    const given = valuesOf(fields, values, false)
    const versions = expectedVersions(if_match)
    const extra = Object.entries(set).map(([one, value]) => sql`, ${sql.id(one)} = ${value}`)
    const changes = Object.keys(given).length > 0 || extra.length > 0
    // A member that is not given keeps the value that the row has when the change is made.
    const changed = changes
      ? await tx.maybe(
          view,
          sql`
            update ${name} t
            set (${named(names)}) = (
                select ${named(names, 'r')}
                from jsonb_populate_record(t, ${sql.json(given)}::jsonb) r),
              version = t.version + 1, updated_at = kernel.now() ${joined(extra)}
            where ${live(parts, scope, id)} and ${hasVersion(versions)} and ${equal(fields, from)}
            returning ${columns}`,
        )
      : undefined
    if (changed) return changed
    const found = await required(tx, scope, id)
    if (versions && !versions.includes(found.version)) throw preconditionFailed(found.version)
    if (changes) throw refusedAt(found)
    return found
  }
}

/** The refusal of a change whose `from` the row does not fit. */
function refusedAt({ state }: AnyRow): Problem {
  return problem('invalid_transition', typeof state === 'string' ? { current_state: state } : {})
}

const Left = Type.Object({ version: Version, removed: Type.Boolean() })

function removal(parts: Parts) {
  const { name, columns, view, tombstone, absent } = parts
  const act = tombstone
    ? sql`update ${name} t set deleted_at = kernel.now(), version = t.version + 1`
    : sql`delete from ${name} t`
  const gone = tombstone ? sql`t.deleted_at is not null` : sql`false`
  return async (tx: Pick<Tx, 'maybe'>, scope: Scope, id: string, more: Set & IfMatch = {}) => {
    const versions = expectedVersions(more.if_match)
    const extra = Object.entries(more.set ?? {}).map(
      ([one, value]) => sql`, ${sql.id(one)} = ${value}`,
    )
    const removed = await tx.maybe(
      view,
      sql`
        ${act} ${tombstone ? joined(extra) : sql.empty}
        where ${live(parts, scope, id)} and ${hasVersion(versions)}
        returning ${columns}`,
    )
    if (removed) return removed
    const found = await tx.maybe(
      Left,
      sql`select t.version, ${gone} as removed from ${name} t where ${mine(scope, id)}`,
    )
    if (!found) throw absent()
    // A repeated removal succeeds with any version.
    if (found.removed) return undefined
    throw preconditionFailed(found.version)
  }
}

/** The given fields, and for a new row the defaults of the others. Other members are ignored. */
function valuesOf(fields: Fields, values: Values, is_new: boolean): Values {
  const known: [string, unknown][] = []
  for (const [name, { asked, value }] of Object.entries(fields)) {
    const one = Object.hasOwn(values, name) ? values[name] : undefined
    const stored = one === undefined && is_new ? value : one
    if (stored !== undefined) known.push([name, stored])
    else if (is_new && asked === 'required') throw new Error(`${name} is required`)
  }
  return Object.fromEntries(known)
}

function equal(fields: Fields, from: Values): Sql {
  const names = Object.keys(from).filter(name => name in fields)
  return names.length === 0
    ? sql`true`
    : sql.join(
        names.map(name => sql`t.${sql.id(name)} is not distinct from ${from[name]}`),
        ' and ',
      )
}

function mine({ tenant_id, owner_id }: Scope, id?: string): Sql {
  const owner = owner_id === undefined ? sql.empty : sql`and t.owner_id = ${owner_id}`
  const one = id === undefined ? sql.empty : sql`and t.id = ${id}`
  return sql`t.tenant_id = ${tenant_id} ${owner} ${one}`
}

function live({ tombstone }: Parts, scope: Scope, id?: string): Sql {
  return sql`${mine(scope, id)} ${tombstone ? sql`and t.deleted_at is null` : sql.empty}`
}

export function named(names: readonly string[], of?: string): Sql {
  const one = (name: string) => (of ? sql`${sql.id(of)}.${sql.id(name)}` : sql`${sql.id(name)}`)
  return sql.join(names.map(one), ', ')
}

function joined(parts: readonly Sql[]): Sql {
  return parts.length === 0 ? sql.empty : sql`${parts[0]}${joined(parts.slice(1))}`
}
