/**
 * The interface of extraction: a file of a detected type becomes canonical text. All offsets are in
 * Unicode code points, as in PostgreSQL. The file is opened in a child process. The process ends
 * afterwards.
 */
import type { Chunk, ChunkOptions } from '../chunking/chunking.ts'
import type { Canonical } from './canonical.ts'

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

/** The document is the cause: the same bytes fail again, except after `extraction_timeout`. */
export class ExtractionFailed extends Error {
  override readonly name = 'ExtractionFailed'
  readonly code: ExtractFailure
  constructor(code: ExtractFailure, options?: ErrorOptions) {
    super(code, options)
    this.code = code
  }
}

/** Whose document is read. Without a signal, reading ends with its limits only. */
export type Caller = { readonly tenant_id: string; readonly signal?: AbortSignal }

export type Extractors = {
  extract(
    bytes: Uint8Array,
    detected_type: string,
    limits: ExtractLimits,
    by: Caller,
  ): Promise<Canonical>
  /**
   * Runs `chunk` of chunking/chunk.ts in a child process, because a long text would stop the event
   * loop for a second.
   */
  chunk(canonical: Canonical, options: ChunkOptions, by: Caller): Promise<readonly Chunk[]>
  close(): Promise<void>
}
