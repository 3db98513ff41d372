/** Inbound webhooks on the wire, and the rows that more than one use case reads. */
import { type Static, Type } from 'typebox'
import { closed, count, Id, nullable, oneOf, text, Time } from '#dodeca/kernel'

const scheme_names = ['stripe', 'github', 'slack', 'twilio', 'standard', 'generic_hmac'] as const

export const SchemeName = oneOf(...scheme_names)
export type SchemeName = (typeof scheme_names)[number]

/** The name of a provider or of its account. Both are parts of a URL. */
export const Provider = Type.String({ pattern: '^[a-z0-9][a-z0-9_-]{0,63}$', maxLength: 64 })
export const AccountRef = Type.String({
  pattern: String.raw`^[A-Za-z0-9][A-Za-z0-9._~:@+-]{0,199}$`,
  maxLength: 200,
})

const HeaderName = Type.String({ pattern: '^[A-Za-z0-9-]{1,100}$', maxLength: 100 })

/** Only for `generic_hmac`. */
const options = {
  header: Type.Optional(HeaderName),
  prefix: Type.Optional(text(50)),
  encoding: Type.Optional(oneOf('hex', 'base64')),
  algorithm: Type.Optional(oneOf('sha256', 'sha512')),
  template: Type.Optional(text(200)),
  timestamp_header: Type.Optional(HeaderName),
  id_header: Type.Optional(HeaderName),
  id_pointer: Type.Optional(Type.String({ pattern: '^(/[^/]{0,100}){1,8}$', maxLength: 300 })),
}
export const Options = Type.Object(options)
export type Options = Static<typeof Options>

const SecretVersion = count(1, 1_000_000)

export const PutSource = closed({
  scheme: SchemeName,
  secrets: Type.Array(closed({ version: SecretVersion, value: text(512, 8) }), {
    minItems: 1,
    maxItems: 3,
  }),
  tolerance_seconds: Type.Optional(count(1, 86_400)),
  options: Type.Optional(closed(options)),
})
export type PutSource = Static<typeof PutSource>

export const Source = Type.Object({
  id: Id,
  provider: Type.String(),
  account_ref: Type.String(),
  scheme: SchemeName,
  secret_versions: Type.Array(Type.Integer()),
  tolerance_seconds: Type.Integer(),
  options: Options,
  /** The URL that you must enter at the provider. */
  url: Type.String(),
  created_at: Time,
  updated_at: Time,
})
export type Source = Static<typeof Source>

const states = ['received', 'processing', 'processed', 'ignored', 'failed', 'dead'] as const
export const ProcessingState = oneOf(...states)

export const Receipt = Type.Object({
  id: Id,
  tenant_id: Id,
  provider: Type.String(),
  provider_account: Type.String(),
  provider_event_id: Type.String(),
  event_type: nullable(Type.String()),
  payload_ref: Type.String(),
  signature_key_version: Type.Integer(),
  received_at: Time,
  processing_state: ProcessingState,
  processed_at: nullable(Time),
  attempts: Type.Integer(),
  next_attempt_at: nullable(Time),
  last_error_code: nullable(Type.String()),
})
export const ReceiptPayload = Type.Object({
  content_type: nullable(Type.String()),
  headers: Type.Record(Type.String(), Type.String()),
  encoding: oneOf('utf8', 'base64'),
  body: Type.String(),
})
export const Reprocess = closed({ reason: text(500) })
export const Reprocessed = Type.Object({ id: Id, status: ProcessingState })
