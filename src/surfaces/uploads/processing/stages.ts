/** The stages of processing, their order, and which of them a file needs. */
import type { Deps } from '../deps.ts'
import type { FileErrorCode } from '../errors.ts'
import type { FileRow } from '../files/file-row.ts'
import { categoryOf } from '../media-types.ts'
import type { File } from '../schemas.ts'
import type { FileMetadata } from './inspector-protocol.ts'

export type Stage = 'detect' | 'scan' | 'derive'

/** The result of a stage. */
export type Found = {
  readonly refused?: FileErrorCode | null
  readonly unavailable?: true
  readonly detected_type?: string
  readonly metadata?: FileMetadata
  readonly scan_result?: NonNullable<File['scan_result']>
}

/** Null after the last one. */
export function nextStage(
  { clamd, purposes }: Pick<Deps, 'clamd' | 'purposes'>,
  file: Pick<FileRow, 'purpose' | 'detected_type'>,
  { stage, found }: { readonly stage: Stage; readonly found: Found },
): Stage | null {
  if (found.refused) return null
  if (stage === 'detect' && clamd) return 'scan'
  const type = found.detected_type ?? file.detected_type ?? ''
  const kinds = purposes.get(file.purpose)?.derivatives ?? []
  const derives = categoryOf(type) === 'image' && kinds.length > 0
  return stage !== 'derive' && derives ? 'derive' : null
}
