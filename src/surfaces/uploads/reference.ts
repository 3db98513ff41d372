/** The names and descriptions of this surface for the published document. */
import type { Reference } from '#dodeca/kernel'
import { filesReference } from './files/reference.ts'
import { partsReference } from './parts/reference.ts'
import { uploadsReference } from './uploads/reference.ts'

const digest = 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

export const reference: Reference = {
  introduction:
    'A client sends files directly to the object store. An upload is sent in parts, and one checksum verifies the whole file. Then the file is inspected and scanned. Only an `available` file can be downloaded, and only by callers who may read it at that moment.',
  members: {
    ...uploadsReference,
    ...partsReference,
    ...filesReference,
    'path.file_id': ['The id of the file.'],
    upload_id: ['The upload.'],
    file_id: ['The file of a completed upload.'],
    purpose: [
      'The purpose of the file. The purpose decides the allowed sizes and types, the derivatives and the readers.',
      'post_media',
    ],
    media_category: ['The kind of content; `any` accepts every kind.', 'image'],
    expected_size: ['The exact size of the file in bytes.', 734003200],
    expected_checksum: ['The checksum that the stored bytes must have.', digest],
    checksum: ['The SHA-256 of the bytes.', digest],
    'File.checksum': [
      'The SHA-256 of the bytes. Null for readers who see the file only where it is used.',
      digest,
    ],
    claimed_type: ['The media type that the client states.', 'image/jpeg'],
    detected_type: ['The media type that the bytes have.', 'image/jpeg'],
    filename: ['The name that a download gets; never a path.', 'holiday.jpg'],
    'File.filename': [
      'The name that a download gets. Null for readers who see the file only where it is used.',
      'holiday.jpg',
    ],
    object_key: ['The key in the object store.', 'o/2026/11/22/3v8Qm1xkT0a9dW2bYz7LfHq'],
    multipart_upload_id: [
      'The id under which the object store collects the parts.',
      '3bq1xkT0a9dW2bYz',
    ],
    state: ['The state. Only an `available` file is safe to read.', 'available'],
    'Upload.state': [
      'The state of the upload. `available` is its last state; `file.state` says whether the file was deleted or put into quarantine later.',
      'available',
    ],
    stage: ['The next step of processing, or `verifying`.', 'scan'],
    scope: ['Your own, or of the whole tenant.'],
    verifying: ['Whether its bytes are being verified.', false],
    quarantined: ['True until the file is available.', true],
    error_code: ['Why it was refused.', 'type_mismatch'],
    part_number: ['The number of the part, from 1.', 1],
    part_numbers: ['The parts that you want URLs for.', [51, 52]],
    part_size: ['The size in bytes of every part but the last.', 8388608],
    part_count: ['How many parts there are.', 88],
    part_urls: ['Where parts are sent.'],
    upload_url: ['Where the only part of a small file is sent.'],
    upload_headers: ['Headers to send with the only part.'],
    next_part_number: ['The first missing part without a URL in this reply.', 51],
    max_parallel_parts: ['How many parts to send at once.', 8],
    received_bytes: ['How many bytes are stored.', 8388608],
    missing_parts: [
      'The ranges of parts that are not stored yet. The first and last part are included.',
      [[2, 88]],
    ],
    remaining: ['Whether to return URLs of all missing parts, 50 at a time.', true],
    parts: ['The parts that the client sent. They are compared with the stored parts.'],
    etag: ['The entity tag of the stored part.', '"9f86d081884c7d65"'],
    offset: ['Where the part begins in the file.', 0],
    size: ['The size in bytes.', 8388608],
    expires_at: ['When it ends.'],
    retention_until: ['When the bytes are removed.'],
    derivative: ['A smaller or cleaned form of an image.', 'thumbnail'],
    derivatives: ['The derivatives of an image.'],
    kind: ['The kind of derivative.', 'thumbnail'],
    disposition: ['Whether a browser shows the file or saves it.', 'attachment'],
    expires_in: ['How long the URL works, in seconds.', 300],
    content_type: ['The media type of the download.', 'image/jpeg'],
    scan_result: ['The results of the scanners.'],
    verdict: [
      '`not_scanned` if only the built-in checks passed it, because no scanner runs.',
      'clean',
    ],
    findings: ['The names of the threats found. Requires `uploads.quarantine.read`.'],
    signatures: ['The version of the virus signatures.', '27500'],
    metadata: ['Data read from the file, such as its dimensions.'],
    charset: ['The encoding of a text that is not UTF-8.', 'windows-1252'],
    width: ['In pixels.', 1280],
    height: ['In pixels.', 960],
    variant: ['The original, or one of its derivatives.', 'original'],
    exp: ['When the signature ends, in seconds since 1970.', '1795350000'],
    kid: ['The id of the key that signed the URL.', 'k1'],
    sig: ['The signature of the URL.'],
  },
}
