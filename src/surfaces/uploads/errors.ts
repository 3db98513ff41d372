/** What uploads refuse. What is absent and what belongs to another tenant get the same 404. */
import { problemsOf } from '../../kernel/errors/problem.ts'

export const errors = {
  upload_not_found: { status: 404, title: 'There is no such upload' },
  file_not_found: { status: 404, title: 'There is no such file' },
  derivative_not_found: { status: 404, title: 'The file has no such derivative' },
  file_not_available: { status: 409, title: 'The file cannot be downloaded in its current state' },
  upload_parts_mismatch: { status: 409, title: 'The stored parts are not those of the upload' },
  completion_in_progress: {
    status: 409,
    title: 'The upload is being verified',
    retryable: true,
  },
  checksum_mismatch: { status: 422, title: 'The stored bytes have another checksum' },
  part_size_mismatch: { status: 422, title: 'The part has another size' },
  part_checksum_mismatch: { status: 422, title: 'The part has another checksum' },
  type_not_allowed: { status: 422, title: 'Files of this type are not accepted here' },
  content_length_required: { status: 400, title: 'The request must state the length of its body' },
  range_not_satisfiable: { status: 416, title: 'The range lies outside the file' },
} as const

export const problem = problemsOf(errors)

/** Why a file is in quarantine; shown to its owner, so no code names a signature. */
export const file_error_codes = [
  'malware_detected',
  'type_mismatch',
  'type_not_allowed',
  'active_content',
  'archive_bomb',
  'archive_unsafe_path',
  'archive_uninspectable',
  'encrypted_content',
  'polyglot_detected',
  'image_too_large',
  'media_corrupt',
  'scan_limit_exceeded',
  'scan_unavailable',
  'processing_timeout',
  'processing_failed',
  'decoder_crashed',
  'object_missing',
  'object_altered',
] as const
export type FileErrorCode = (typeof file_error_codes)[number]
