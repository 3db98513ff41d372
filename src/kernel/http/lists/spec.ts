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
  'params',
  'permission',
  'rate',
  'rate_tenant',
] as const

/** The request, for a condition that depends on it. */
export type ListContext<Params = unknown> = {
  readonly tx: Reader
  readonly principal: Principal
  readonly params: Params
  readonly query: Readonly<Record<string, string | undefined>>
  readonly grants: () => Promise<ReadonlySet<string>>
}

type Within<Params, Deps> = (context: ListContext<Params>, deps: Deps) => Sql | Promise<Sql>

type Said<Row extends TObject, Params, Deps> = Partial<
  Pick<Route, (typeof route_facts)[number]>
> & {
  /** The table, with its schema. In conditions, its rows are called `t`. */
  readonly from: string
  readonly row: Row
  /** The table has no tenant. With `all_tenants` it has, and an operator sees all rows. */
  readonly of_platform?: true | 'all_tenants'
  /** The permission for the platform's own rows, with `owner=platform`. */
  readonly platform_rows?: string
  /** Columns of `row` that are expressions. */
  readonly columns?: Readonly<Record<string, Sql>>
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
    | { readonly item: Item; readonly view: (row: Static<Row>) => Static<Item> }
  )

/** A list without the types of its rows. */
export type AnySpec = Said<TObject, never, never> & {
  readonly item?: TSchema | undefined
  readonly view?: ((row: never) => unknown) | undefined
}
