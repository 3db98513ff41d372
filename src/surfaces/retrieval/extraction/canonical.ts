/**
 * What extraction makes of a file and chunks are cut from. All offsets are in Unicode code points, as
 * PostgreSQL counts them.
 */
export type Canonical = {
  /** NFC, lines end in \n; no NUL, soft hyphens, marks of direction or other control characters. */
  readonly text: string
  readonly title: string | null
  /** Where each page begins; empty where the format has none. */
  readonly pages: readonly { readonly page: number; readonly start: number }[]
  readonly headings: readonly Heading[]
  /** What is not cut where it fits into a chunk. */
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
  /** The first row of a table: the context of its other rows. */
  readonly header?: string
}
