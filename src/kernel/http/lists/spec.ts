/** What a list says of itself, and what it needs of the platform. */
import type { Static, TObject, TSchema } from 'typebox'
import type { Db } from '../../database/db.ts'
import type { Sql } from '../../database/sql.ts'
import type { kernelSettings, SettingsOf } from '../../settings.ts'
import type { Route } from '../route.ts'
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

type OfRoute = Partial<Pick<Route, 'added' | 'description' | 'permission' | 'rate' | 'rate_tenant'>>

type Said<Row extends TObject> = OfRoute & {
  /** The table, with its schema. In conditions, its rows are called `t`. */
  readonly from: string
  readonly row: Row
  /** Columns of `row` that are expressions. */
  readonly columns?: Readonly<Record<string, Sql>>
  /** The rows that exist for a reader. A table with `deleted_at` needs it. */
  readonly where?: Sql
  readonly of?: Owner
  /** Allows `since` and `until`. */
  readonly time?: Time
  readonly filters?: Readonly<Record<string, Filter>>
  readonly sort?: Readonly<Record<string, SortColumn>>
  readonly find?: readonly FindKey[]
}

/** By default a row is the item of the page. */
export type ListSpec<Row extends TObject, Item extends TSchema> = Said<Row> &
  (
    | { readonly item?: undefined; readonly view?: undefined }
    | { readonly item: Item; readonly view: (row: Static<Row>) => Static<Item> }
  )

/** A list without the types of its rows. */
export type AnySpec = Said<TObject> & {
  readonly item?: TSchema | undefined
  readonly view?: ((row: never) => unknown) | undefined
}
