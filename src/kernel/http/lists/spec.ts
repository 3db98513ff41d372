/** What a list says of itself, and what it needs of the platform. */
import type { Static, TObject, TSchema } from 'typebox'
import type { Principal } from '../../access/principal.ts'
import type { Db, Reader } from '../../database/db.ts'
import type { Sql } from '../../database/sql.ts'
import type { kernelSettings, SettingsOf } from '../../settings.ts'
import type { Route } from '../contract/route.ts'
import type { Filter, FindKey, Owner, SortColumn } from './members.ts'
import type { Time } from './range.ts'

export type ListDeps = {
  readonly kernel: {
    readonly db: Pick<Db, 'tx'>
    readonly profile: 'development' | 'production'
    readonly settings: Pick<
      SettingsOf<typeof kernelSettings>,
      'kernel.list_look_max' | 'kernel.csv_rows_max' | 'kernel.csv_at_once'
    >
  }
}

/** What a route says, besides what a list says of its rows. */
export const route_facts = [
  'absent',
  'added',
  'description',
  'fails',
  'for_others',
  'params',
  'permission',
  'rate',
  'rate_tenant',
  'tool',
] as const

/** The request, for a condition that depends on it. */
export type ListContext<Params = unknown> = {
  readonly tx: Reader
  readonly principal: Principal
  readonly params: Params
  readonly query: Readonly<Record<string, string | undefined>>
  readonly grants: () => Promise<ReadonlySet<string>>
}

/** The rows that the caller may see. */
export type Seen = {
  readonly is: Sql
  /** Of these rows, those that are wanted and that no index finds. */
  readonly looked?: Sql
  /** Columns of `row` that differ for each caller. */
  readonly columns?: Readonly<Record<string, Sql>>
  /** The tenant of these rows, if it is not the one in which the caller works. */
  readonly tenant?: Sql | string | undefined
  /** The permission that the caller needs for them, beyond that of the route. */
  readonly needs?: string | null
}

type Within<Params, Deps> = (
  context: ListContext<Params>,
  deps: Deps,
) => Sql | Seen | Promise<Sql | Seen>

type Said<Row extends TObject, Params, Deps> = Partial<
  Pick<Route, (typeof route_facts)[number]>
> & {
  /** The table, with its schema. In conditions, its rows are called `t`. */
  readonly from: string
  readonly row: Row
  /** The table has no tenant. `all_tenants`: it has, and an operator sees all rows. */
  readonly of_platform?: true | 'all_tenants'
  /** Columns of `row` that are expressions. */
  readonly columns?: Readonly<Record<string, Sql>>
  /** What the table must have, and columns that its rows never have: for the start to check. */
  readonly stored?: readonly string[]
  readonly unset?: readonly string[]
  /** The rows that exist for a reader. A table with `deleted_at` needs it. */
  readonly where?: Sql
  /** Checks the right of the caller, and returns the condition of the rows that it gives. */
  readonly within?: Within<Params, Deps>
  readonly of?: Owner
  /** Allows `since` and `until`. */
  readonly time?: Time
  /** The usual order is the newest first. */
  readonly oldest_first?: true
  readonly filters?: Readonly<Record<string, Filter>>
  readonly sort?: Readonly<Record<string, SortColumn>>
  /** Allows `find`, by the id and by these keys. */
  readonly find?: readonly FindKey[]
  /** Of an item, the members that a search shows: a title, and a line below it. */
  readonly shows?: readonly [title: string, line?: string]
}

/** By default a row is the item of the page. */
export type ListSpec<
  Row extends TObject,
  Item extends TSchema,
  Params = unknown,
  Deps = ListDeps,
> = Said<Row, Params, Deps> &
  (
    | { readonly item?: undefined; readonly view?: undefined }
    | { readonly item: Item; readonly view: (row: Static<Row>, deps: Deps) => Static<Item> }
  )

/** A list without the types of its rows. */
export type AnySpec = Said<TObject, never, never> & {
  readonly item?: TSchema | undefined
  readonly view?: ((row: never, deps: never) => unknown) | undefined
}
