/**
 * A row, said once. The declaration of its fields gives the schema of the row and of its requests,
 * the column list and the usual statements.
 */
import { type Static, type TObject, Type } from 'typebox'
import type { Reader, Tx } from '../database/db.ts'
import { sql, type Sql } from '../database/sql.ts'
import { Problem, type ErrorEntry } from '../errors/problem.ts'
import type { Page } from '../http/contract/cursor.ts'
import type { List } from '../http/contract/page.ts'
import { closed, Id, Time, Version } from '../http/contract/shapes.ts'
import {
  changeProperties,
  createProperties,
  viewProperties,
  type ChangeOf,
  type CreateOf,
  type Fields,
  type ValuesOf,
  type ViewOf,
} from './fields.ts'
import { named, statementsOf, type IfMatch, type Scope, type Set } from './statements.ts'

export type { Scope } from './statements.ts'

type Base = {
  readonly id: typeof Id
  readonly version: typeof Version
  readonly created_at: typeof Time
  readonly updated_at: typeof Time
}
type Row<F extends Fields> = Static<TObject<ViewOf<F> & Base>>

export type RecordOf<F extends Fields, R = Row<F>> = {
  readonly table: string
  readonly noun: string
  readonly fields: F
  readonly tombstone: boolean
  /** The row as a reply shows it. */
  readonly view: TObject<ViewOf<F> & Base>
  /** The bodies of the requests that create and change one. */
  readonly create: TObject<CreateOf<F>>
  readonly change: TObject<ChangeOf<F>>
  /** `<noun>_not_found`, for the catalog of the surface. */
  readonly errors: Readonly<Record<string, ErrorEntry>>
  readonly columns: Sql
  insert(
    tx: Pick<Tx, 'one'>,
    scope: Scope,
    values: ValuesOf<F>,
    more?: Set & { readonly id?: string },
  ): Promise<R>
  find(reader: Pick<Reader, 'maybe'>, scope: Scope, id: string): Promise<R | undefined>
  /** Throws `<noun>_not_found`, as the following functions do. */
  required(reader: Pick<Reader, 'maybe'>, scope: Scope, id: string): Promise<R>
  /** Reads it and keeps others from changing it until the transaction ends. */
  lock(tx: Pick<Tx, 'maybe'>, scope: Scope, id: string): Promise<R>
  /**
   * One conditional statement. If the row has other values than `from`, the refusal is
   * `invalid_transition`. Values that are not given stay.
   */
  update(
    tx: Pick<Tx, 'maybe'>,
    scope: Scope,
    id: string,
    values: ValuesOf<F>,
    more?: Set & IfMatch & { readonly from?: ValuesOf<F> },
  ): Promise<R>
  /**
   * Returns its last row, or undefined if it was removed before and its tombstone is there. `set` is
   * for tombstones.
   */
  remove(
    tx: Pick<Tx, 'maybe'>,
    scope: Scope,
    id: string,
    more?: Set & IfMatch,
  ): Promise<R | undefined>
  /** The newest first. `where` is a condition on the table `t`. */
  page(reader: Pick<Reader, 'many'>, scope: Scope, list: List, where?: Sql): Promise<Page<R>>
}

export function record<const F extends Fields>(
  table: string,
  { noun, fields, tombstone = false }: RecordSpec<F>,
): RecordOf<F> {
  const title = noun.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const base: Base = { id: Id, version: Version, created_at: Time, updated_at: Time }
  const { id, ...rest } = base
  const view = Type.Object({ id, ...viewProperties(fields), ...rest }, { title })
  const words = noun.replaceAll('_', ' ')
  const code = `${noun}_not_found`
  const missing: ErrorEntry = {
    status: 404,
    title: `There is no such ${words}`,
    cause: `No ${words} has this id, or you may not see it.`,
    cure: 'Check the id.',
  }
  const parts = {
    name: sql`${sql.id(...table.split('.'))}`,
    columns: named(Object.keys(view.properties), 't'),
    view,
    fields,
    tombstone,
    absent: () => new Problem(code, missing, {}),
  }
  // The functions below know the fields only as data, so the types are those of `RecordOf`.
  return {
    table,
    noun,
    fields,
    tombstone,
    view,
    create: closed(createProperties(fields), { title: `Create${title}` }),
    change: closed(changeProperties(fields), { title: `Change${title}` }),
    errors: { [code]: missing },
    columns: parts.columns,
    ...statementsOf(parts),
  } as unknown as RecordOf<F>
}

type RecordSpec<F> = {
  /** In the singular: `deal`. Codes, events and titles are made of it. */
  readonly noun: string
  readonly fields: F
  /** Whether a removed row stays with `deleted_at`, until retention deletes it. */
  readonly tombstone?: boolean
}
