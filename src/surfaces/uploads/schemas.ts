/** Wire and row shapes that more than one folder uses. */
import { Type, type Static } from 'typebox'
import { closed, count, Id, nullable, oneOf, text, Time } from '#dodeca/kernel'
import { categories } from './media-types.ts'
import { derivative_kinds, purposes, type Purpose as PurposeName } from './purposes.ts'

export const Bytes = Type.Unsafe<Buffer>(Type.Any())
export const Size = count(0, Number.MAX_SAFE_INTEGER)
export const Purpose = Type.Unsafe<PurposeName>({
  type: 'string',
  pattern: '^[a-z][a-z_]*(\\.[a-z][a-z_]*)?$',
  maxLength: 66,
  description: `One of ${purposes.join(', ')}, or one that a surface of the application declares.`,
})
export const MediaCategory = oneOf(...categories)
export const DerivativeKind = oneOf(...derivative_kinds)
export const Checksum = Type.String({ pattern: '^sha256:[0-9a-f]{64}$', maxLength: 71 })
/** As clients send it: the letters in any case. */
const GivenChecksum = Type.String({ pattern: '^sha256:[0-9a-fA-F]{64}$', maxLength: 71 })
/** Parameters, such as a charset, are accepted and not kept. */
const MediaType = Type.String({
  pattern: '^[A-Za-z0-9!#$&^_.+-]{1,60}/[A-Za-z0-9!#$&^_.+-]{1,120}( *;[ -~]*)?$',
  maxLength: 200,
})
const PartNumber = count(1, 10_000)

export const upload_states = [
  'initiated',
  'uploaded',
  'available',
  'quarantined',
  'aborted',
  'expired',
] as const
export const file_states = ['uploaded', 'available', 'quarantined', 'deleted', 'purged'] as const
const UploadState = oneOf(...upload_states)
const FileState = oneOf(...file_states)

export const Derivative = Type.Object(
  {
    kind: DerivativeKind,
    state: oneOf('pending', 'ready', 'failed', 'deleted'),
    media_type: nullable(text(200)),
    size: nullable(Size),
    checksum: nullable(Checksum),
    width: nullable(count(1, 100_000)),
    height: nullable(count(1, 100_000)),
  },
  { title: 'Derivative' },
)

const ScanResult = Type.Object(
  {
    verdict: oneOf('clean', 'not_scanned', 'infected', 'policy_violation', 'limit_exceeded'),
    engines: Type.Array(
      Type.Object({ name: text(50), version: text(100), signatures: nullable(text(100)) }),
      { maxItems: 10 },
    ),
    sha256: text(64),
    scanned_at: Time,
    findings: Type.Array(text(200), { maxItems: 20 }),
  },
  { title: 'ScanResult' },
)

export const Metadata = Type.Object({
  width: Type.Optional(count(1, 1_000_000)),
  height: Type.Optional(count(1, 1_000_000)),
  frames: Type.Optional(count(1, 1_000_000)),
  entries: Type.Optional(count(0, 1_000_000)),
  expanded_bytes: Type.Optional(Size),
  pages: Type.Optional(count(0, 1_000_000)),
  charset: Type.Optional(text(20)),
})

export const File = Type.Object(
  {
    id: Id,
    file_id: Id,
    upload_id: Id,
    owner_id: Id,
    purpose: Purpose,
    state: FileState,
    stage: nullable(text(20)),
    error_code: nullable(text(50)),
    size: Size,
    checksum: nullable(Checksum),
    media_category: MediaCategory,
    claimed_type: nullable(text(200)),
    detected_type: nullable(text(200)),
    filename: nullable(text(255)),
    metadata: nullable(Metadata),
    scan_result: nullable(ScanResult),
    derivatives: Type.Array(Derivative, { maxItems: 10 }),
    created_at: Time,
    available_at: nullable(Time),
    retention_until: nullable(Time),
    deleted_at: nullable(Time),
  },
  { title: 'File' },
)
export type File = Static<typeof File>

export const PartUrl = Type.Object(
  {
    part_number: PartNumber,
    url: Type.String({ maxLength: 4096 }),
    method: oneOf('PUT'),
    headers: Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 1000 })),
    offset: Size,
    size: Size,
    expires_at: Time,
  },
  { title: 'PartUrl' },
)
export type PartUrl = Static<typeof PartUrl>

/** Inclusive ranges of part numbers. */
const PartRanges = Type.Array(Type.Array(PartNumber, { minItems: 2, maxItems: 2 }), {
  maxItems: 10_000,
})

export const CreateUpload = closed(
  {
    expected_size: count(1, 50 * 1024 ** 3),
    media_category: MediaCategory,
    checksum: Type.Optional(GivenChecksum),
    tenant_id: Type.Optional(Id),
    purpose: Purpose,
    claimed_type: Type.Optional(MediaType),
    filename: Type.Optional(text(255)),
  },
  { title: 'CreateUpload' },
)
export type CreateUpload = Static<typeof CreateUpload>

export const NewUpload = Type.Object(
  {
    id: Id,
    upload_id: Id,
    object_key: text(200),
    state: UploadState,
    quarantined: Type.Boolean(),
    part_size: Size,
    part_count: PartNumber,
    upload_url: nullable(Type.String({ maxLength: 4096 })),
    upload_headers: nullable(
      Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 1000 })),
    ),
    part_urls: nullable(Type.Array(PartUrl, { maxItems: 100 })),
    next_part_number: nullable(PartNumber),
    max_parallel_parts: count(1, 1000),
    expires_at: Time,
  },
  { title: 'NewUpload' },
)
export type NewUpload = Static<typeof NewUpload>

export const Upload = Type.Object(
  {
    id: Id,
    upload_id: Id,
    tenant_id: Id,
    owner_id: Id,
    purpose: Purpose,
    media_category: MediaCategory,
    object_key: text(200),
    expected_size: Size,
    expected_checksum: nullable(Checksum),
    claimed_type: nullable(text(200)),
    detected_type: nullable(text(200)),
    filename: nullable(text(255)),
    state: UploadState,
    multipart_upload_id: nullable(text(2000)),
    quarantined: Type.Boolean(),
    stage: nullable(text(20)),
    error_code: nullable(text(50)),
    part_size: Size,
    part_count: PartNumber,
    received_bytes: Size,
    missing_parts: PartRanges,
    file: nullable(File),
    expires_at: Time,
    created_at: Time,
  },
  { title: 'Upload' },
)
export type Upload = Static<typeof Upload>

export const OpenUpload = Type.Object(
  {
    id: Id,
    owner_id: Id,
    purpose: Purpose,
    media_category: MediaCategory,
    filename: nullable(text(255)),
    claimed_type: nullable(text(200)),
    expected_size: Size,
    part_size: Size,
    part_count: PartNumber,
    state: UploadState,
    verifying: Type.Boolean(),
    error_code: nullable(text(50)),
    expires_at: Time,
    created_at: Time,
  },
  { title: 'OpenUpload' },
)
export const Completed = Type.Object(
  {
    id: Id,
    upload_id: Id,
    file_id: nullable(Id),
    status: oneOf('processing', 'available'),
    state: UploadState,
    quarantined: Type.Boolean(),
    stage: nullable(text(20)),
  },
  { title: 'CompletedUpload' },
)
export type Completed = Static<typeof Completed>

export const RegisteredParts = Type.Object(
  {
    upload_id: Id,
    state: UploadState,
    received_bytes: Size,
    parts: Type.Array(
      Type.Object({ part_number: PartNumber, size: Size, etag: Type.String({ maxLength: 200 }) }),
      { maxItems: 10_000 },
    ),
    missing_parts: PartRanges,
    part_urls: Type.Array(PartUrl, { maxItems: 100 }),
    next_part_number: nullable(PartNumber),
    expires_at: Time,
  },
  { title: 'RegisteredParts' },
)
export type RegisteredParts = Static<typeof RegisteredParts>

const ClientPart = closed({
  part_number: PartNumber,
  etag: Type.Optional(text(200)),
  size: Type.Optional(Size),
  checksum: Type.Optional(GivenChecksum),
})

export const RegisterParts = closed(
  {
    parts: Type.Optional(Type.Array(ClientPart, { maxItems: 10_000 })),
    part_numbers: Type.Optional(Type.Array(PartNumber, { maxItems: 100 })),
    remaining: Type.Optional(Type.Boolean()),
  },
  { title: 'RegisterParts' },
)
export type RegisterParts = Static<typeof RegisterParts>

export const CompleteUpload = closed(
  {
    parts: Type.Optional(Type.Array(ClientPart, { maxItems: 10_000 })),
    checksum: Type.Optional(GivenChecksum),
  },
  { title: 'CompleteUpload' },
)
export type CompleteUpload = Static<typeof CompleteUpload>

export const checksumOf = (sha256: Uint8Array): string =>
  `sha256:${Buffer.from(sha256).toString('hex')}`
export const digestOf = (checksum: string): Buffer => Buffer.from(checksum.slice(7), 'hex')
