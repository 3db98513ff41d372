/** What the start checks in the database for a list, and what the document says of it. */
export type ListFacts = {
  readonly table: string
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
