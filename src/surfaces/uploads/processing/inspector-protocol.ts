/** The messages between the platform and the child processes that open users' files. */
import type { FileErrorCode } from '../errors.ts'
import type { Category } from '../media-types.ts'
import type { DerivativeKind } from '../purposes.ts'

export type InspectorLimits = {
  readonly image_pixels: number
  readonly image_side_pixels: number
  readonly image_frames: number
  readonly archive_entries: number
  readonly archive_depth: number
  readonly archive_bytes: number
  readonly archive_ratio: number
  readonly pdf_pages: number
}

export type InspectTask = {
  readonly task: 'inspect'
  readonly path: string
  readonly sha256: string
  readonly category: Category
  readonly claimed_type: string | null
  readonly limits: InspectorLimits
}

export type DeriveTask = {
  readonly task: 'derive'
  readonly path: string
  readonly outputs: readonly { readonly kind: DerivativeKind; readonly path: string }[]
  readonly limits: InspectorLimits
}

export type FileMetadata = {
  readonly width?: number
  readonly height?: number
  readonly frames?: number
  readonly entries?: number
  readonly expanded_bytes?: number
  readonly pages?: number
  /** The encoding of a text that is not UTF-8. */
  readonly charset?: string
}

export type Inspection = {
  readonly detected_type: string
  /** The first reason to refuse the file, if there is one. */
  readonly refused: FileErrorCode | null
  readonly metadata: FileMetadata
}

export type Derived = {
  readonly kind: DerivativeKind
  readonly width: number
  readonly height: number
}

export type Task = InspectTask | DeriveTask
export type TaskReply =
  | { readonly inspection: Inspection }
  | { readonly derived: readonly Derived[] }
  | { readonly refused: FileErrorCode }
  | { readonly failed: string }

/** Thrown if the file itself is the cause. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly code: FileErrorCode
  constructor(code: FileErrorCode) {
    super(code)
    this.code = code
  }
}
