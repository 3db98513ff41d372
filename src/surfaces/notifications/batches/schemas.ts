/** Batches in requests and replies. */
import { Type, type Static } from 'typebox'
import { closed, Id, limit, nullable, oneOf, text, Time } from '#dodeca/kernel'
import { common } from '../intents/schemas.ts'
import { Data, Locale, Recipient } from '../schemas.ts'

export const BatchHeader = closed(
  { ...common, emit_events: Type.Optional(Type.Boolean()) },
  { title: 'BatchHeader' },
)
export type BatchHeader = Static<typeof BatchHeader>

export const BatchLine = closed({
  recipient: Recipient,
  data: Type.Optional(Data),
  locale: Type.Optional(Locale),
  dedupe_key: Type.Optional(text(128)),
})
export type BatchLine = Static<typeof BatchLine>

export const json_recipients_max = limit(
  'notifications.batch_json_recipients',
  1000,
  'recipients',
  'Most recipients of a batch that is sent as application/json',
)
export const JsonBatch = closed(
  {
    ...BatchHeader.properties,
    recipients: Type.Array(Type.Unknown(), { minItems: 1, maxItems: json_recipients_max }),
  },
  { title: 'NewNotificationBatch' },
)

export const BatchState = oneOf('expanding', 'dispatching', 'paused', 'completed', 'cancelled')

const Rejected = Type.Object(
  { line: Type.Integer(), code: Type.String() },
  { title: 'RejectedRecipient' },
)

export const BatchView = Type.Object(
  {
    id: Id,
    status: BatchState,
    state: BatchState,
    category: Type.String(),
    template_version: Type.String(),
    total: Type.Integer(),
    duplicates: Type.Integer(),
    rejected_count: Type.Integer(),
    /** The first hundred. */
    rejected: Type.Array(Rejected),
    counts: Type.Record(Type.String(), Type.Integer()),
    eta_seconds: nullable(Type.Integer()),
    created_at: Time,
    completed_at: nullable(Time),
  },
  { title: 'NotificationBatch' },
)
export type BatchView = Static<typeof BatchView>

/** In a list: without what must be counted. */
const { rejected: _lines, counts: _counts, eta_seconds: _eta, ...summary } = BatchView.properties
export const BatchSummary = Type.Object(summary, { title: 'NotificationBatchSummary' })
export type RejectedLine = Static<typeof Rejected>
