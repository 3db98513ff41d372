/** The refusals of uploads. Missing resources and resources of another tenant get the same 404. */
import { problemsOf } from '#dodeca/kernel'

export const errors = {
  upload_not_found: {
    status: 404,
    title: 'There is no such upload',
    cause: 'No upload has this id, or it is not yours.',
    cure: 'Use the `id` that `POST /v1/uploads` returned.',
  },
  file_not_found: {
    status: 404,
    title: 'There is no such file',
    cause: 'No file has this id, you may not read it, or it was deleted or refused.',
    cure: 'Find your files with `GET /v1/files`, or ask its owner.',
  },
  derivative_not_found: {
    status: 404,
    title: 'The file has no such derivative',
    cause: 'The purpose of the file does not make this derivative, or the file is no image.',
    cure: 'See `derivatives` of `GET /v1/files/{file_id}`.',
  },
  file_not_available: {
    status: 409,
    title: 'The file cannot be downloaded in its current state',
    cause: 'The file is still being checked, or the checks refused it.',
    cure: 'Ask again while `file_state` is `uploaded`; else `error_code` says why it was refused.',
  },
  upload_parts_mismatch: {
    status: 409,
    title: 'The stored parts are not those of the upload',
    cause: 'A part is missing, is named twice, or has another size, tag or checksum.',
    cure: 'Send the parts in `errors` and `missing_parts` again, then complete the upload.',
  },
  completion_in_progress: {
    status: 409,
    title: 'The upload is being verified',
    retryable: true,
    cause: 'Another request has completed this upload, and its bytes are being verified.',
    cure: 'Ask for the state with `GET /v1/uploads/{upload_id}`, or repeat the request later.',
  },
  checksum_mismatch: {
    status: 422,
    title: 'The stored bytes have another checksum',
    cause: 'The SHA-256 of all parts together is not the one that was stated.',
    cure: 'State the SHA-256 of exactly the bytes that you send. An upload that was begun with another checksum has failed; begin a new one.',
  },
  part_size_mismatch: {
    status: 422,
    title: 'The part has another size',
    cause: 'The body is shorter than the part is planned to be.',
    cure: 'Send exactly `size` bytes, from `offset` of the file.',
  },
  part_checksum_mismatch: {
    status: 422,
    title: 'The part has another checksum',
    cause: 'The bytes that arrived do not have the SHA-256 in `x-amz-checksum-sha256`.',
    cure: 'Send the part again.',
  },
  type_not_allowed: {
    status: 422,
    title: 'Files of this type are not accepted here',
    cause: 'The purpose does not accept this category or type, or the first bytes are of another.',
    cure: 'Choose a purpose that accepts the file, or state the category that it has.',
  },
  content_length_required: {
    status: 400,
    title: 'The request must state the length of its body',
    cause: 'The part was sent without `Content-Length`, such as in chunks.',
    cure: 'Send the part as bytes or as a file of known size, not as a stream.',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'The range lies outside the file',
    cause: 'The range begins behind the last byte.',
    cure: 'Ask for a range inside the size in `Content-Range`.',
  },
} as const

export const problem = problemsOf(errors)

/**
 * The reason why a file is in quarantine. Its owner can see this reason, so no code contains the
 * name of a virus signature.
 */
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
