/** What a list says of itself to the start, to the document and to the search over all lists. */
import type { Principal } from '../../access/principal.ts'
import type { Reader } from '../../database/db.ts'

/** What a search looks for in all lists: what a person typed, or known ids. */
export type Sought = { readonly text: string } | { readonly ids: readonly string[] }

/** A row that was found, in the words of its list. */
export type Match = {
  readonly id: string
  readonly title: string
  readonly subtitle: string | null
  readonly state: string | null
  readonly at: string | null
  /** The row as the list shows it. */
  readonly item: Readonly<Record<string, unknown>>
}

export type Searcher = {
  readonly tx: Reader
  readonly principal: Principal
  readonly grants: () => Promise<ReadonlySet<string>>
}

/** Null if the list shows this caller no such row. Nothing is read before the returned function. */
export type Search = (
  caller: Searcher,
  sought: { readonly by: Sought; readonly most: number },
) => Promise<((reader: Reader) => Promise<Match[]>) | null>

export type ListFacts = {
  readonly table: string
  readonly search: Search
  readonly of_platform: boolean
  readonly leaves_deleted_out: boolean
  /** Whether each id begins with the time of its row. */
  readonly ids_have_time: boolean
  /** The columns that the table must have, and those that its rows do not have. */
  readonly columns: readonly string[]
  readonly unset: readonly string[]
  /** The columns of its orders. */
  readonly not_null: readonly string[]
  /** Columns and expressions that follow the tenant in an index. */
  readonly indexes: readonly (readonly string[])[]
  /** How a client may ask for rows: `x-list` of the document. */
  readonly asked: {
    readonly filters: readonly string[]
    readonly sort: readonly string[]
    readonly find: readonly string[]
    readonly range: boolean
  }
}
