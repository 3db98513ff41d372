/** Documents in requests and replies. */
import { Type, type Static } from 'typebox'
import { closed, Id, map, nullable, oneOf, text, Time } from '#dodeca/kernel'
import { Acl } from '../access/acl-entries.ts'

export const Metadata = map(
  Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }),
  Type.Union([text(512, 0), Type.Number(), Type.Boolean()]),
  32,
)
export type Metadata = Static<typeof Metadata>

const text_types = [
  'text/plain',
  'text/markdown',
  'text/html',
  'text/csv',
  'application/json',
] as const

export const AddDocument = closed(
  {
    file_id: Type.Optional(Id),
    text: Type.Optional(text(1_000_000)),
    source_uri: Type.Optional(text(2048)),
    title: Type.Optional(text(300)),
    metadata: Type.Optional(Metadata),
    acl: Type.Optional(Acl),
    source_version: Type.Optional(text(200)),
    content_type: Type.Optional(oneOf(...text_types)),
  },
  { title: 'AddDocument' },
)
export type AddDocument = Static<typeof AddDocument>

export const QueuedDocument = Type.Object(
  {
    id: Id,
    job_id: Id,
    document_id: Id,
    document_version: Type.Integer(),
    state: oneOf('pending'),
    status: oneOf('queued'),
    status_url: Type.String(),
  },
  { title: 'QueuedDocument' },
)

export const document_states = ['pending', 'processing', 'ready', 'failed'] as const
export const source_kinds = ['text', 'file', 'uri', 'connector'] as const

export const Document = Type.Object(
  {
    id: Id,
    collection_id: Id,
    source_kind: oneOf(...source_kinds),
    source_uri: nullable(Type.String()),
    source_version: nullable(Type.String()),
    checksum: nullable(Type.String()),
    state: oneOf(...document_states),
    title: nullable(Type.String()),
    metadata: Metadata,
    current_version: nullable(Type.Integer()),
    latest_version: Type.Integer(),
    chunk_count: Type.Integer(),
    acl_version: Type.Integer(),
    error_code: nullable(Type.String()),
    created_at: Time,
    deleted_at: nullable(Time),
  },
  { title: 'Document' },
)
export type Document = Static<typeof Document>
