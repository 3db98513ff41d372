/**
 * The result of extracting a file, from which chunks are cut. All offsets are in Unicode code
 * points, as in PostgreSQL.
 */
export type Canonical = {
  /**
   * NFC, lines end in \n; without NUL, soft hyphens, direction marks or other control characters.
   */
  readonly text: string
  readonly title: string | null
  /** The start of each page; empty if the format has no pages. */
  readonly pages: readonly { readonly page: number; readonly start: number }[]
  readonly headings: readonly Heading[]
  /** Blocks that are not cut if they fit into a chunk. */
  readonly blocks: readonly Block[]
}

export type Heading = {
  /** 1 to 6. */
  readonly level: number
  readonly start: number
  readonly text: string
}

export type Block = {
  readonly kind: 'code' | 'table'
  readonly start: number
  readonly end: number
  /** The first row of a table. It is the context of the other rows. */
  readonly header?: string
}
