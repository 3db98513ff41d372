/** An order: the message, the recipient, and all names from the request resolved and validated. */
import { nil_id } from '#dodeca/kernel'
import type { Category } from '../categories/built-in.ts'
import type { Channel, Data, Priority } from '../schemas.ts'
import type { TemplateVersion } from '../templates/find-template.ts'
import type { RecipientRef } from './recipient.ts'

/** The sender of messages that code of the platform sends and not a caller. */
export const by_platform = nil_id

/** Properties that most orders do not have. */
export const plain = {
  session_id: null,
  key: null,
  fingerprint: null,
  locale: null,
  scheduled_at_ms: null,
  metadata: null,
  dedupe: null,
  digest: null,
  closes_digest: null,
} as const

export type Order = {
  readonly id: string
  readonly tenant_id: string
  /** A caller's account or API key, or `by_platform`. */
  readonly principal_id: string
  /** The sender's narrow session, if it is one. */
  readonly session_id: string | null
  readonly key: string | null
  readonly fingerprint: Buffer | null
  readonly recipient: RecipientRef
  readonly category: Category
  readonly template: TemplateVersion
  readonly data: Data
  readonly channels: readonly Channel[]
  readonly priority: Priority
  readonly locale: string | null
  readonly scheduled_at_ms: number | null
  readonly expires_at_ms: number
  readonly created_at_ms: number
  readonly metadata: Readonly<Record<string, string>> | null
  readonly dedupe: { readonly key: string; readonly window_seconds: number } | null
  readonly digest: { readonly key: string; readonly window_seconds: number } | null
  readonly closes_digest: string | null
}
