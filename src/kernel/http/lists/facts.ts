/** What the start checks in the database for a list. */
export type ListFacts = {
  readonly table: string
  readonly leaves_deleted_out: boolean
  /** The columns of its orders. */
  readonly not_null: readonly string[]
  /** Columns and expressions that follow the tenant in an index. */
  readonly indexes: readonly (readonly string[])[]
}
