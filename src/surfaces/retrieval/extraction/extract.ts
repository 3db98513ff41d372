/**
 * The port of extraction: a file of a detected type becomes canonical text. All offsets are in Unicode
 * code points, as PostgreSQL counts them. The file is opened in a child process that is thrown away.
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

export type ExtractLimits = {
  readonly timeout_seconds: number
  /** Images are read by OCR, which takes longer. */
  readonly ocr_timeout_seconds: number
  readonly memory_bytes: number
  readonly expanded_bytes: number
  readonly archive_ratio: number
  readonly characters: number
  readonly pages: number
}

export const default_limits: ExtractLimits = {
  timeout_seconds: 60,
  ocr_timeout_seconds: 600,
  memory_bytes: 512 * 1024 * 1024,
  expanded_bytes: 200 * 1024 * 1024,
  archive_ratio: 100,
  characters: 2_000_000,
  pages: 2000,
}

export type ExtractFailure =
  | 'unsupported_document_type'
  | 'extraction_failed'
  | 'extraction_timeout'
  | 'extraction_resource_limit'
  | 'encrypted_document'
  | 'empty_document'

/** The document is at fault; the same bytes fail again, except after `extraction_timeout`. */
export class ExtractionFailed extends Error {
  override readonly name = 'ExtractionFailed'
  readonly code: ExtractFailure
  constructor(code: ExtractFailure, options?: ErrorOptions) {
    super(code, options)
    this.code = code
  }
}

export type Extractors = {
  extract(
    bytes: Uint8Array,
    detected_type: string,
    limits: ExtractLimits,
    signal?: AbortSignal,
  ): Promise<Canonical>
  close(): Promise<void>
}
