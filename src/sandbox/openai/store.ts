/**
 * The records of this vendor that survive a kill: its configuration, stored responses, and webhooks
 * that are not delivered yet.
 */
import type { RecordStore } from '../record-store.ts'
import type { Answer } from '../model/answer.ts'
import type { CreateResponse } from './protocol.ts'

export type Config = {
  webhook_url: string | null
  /** Milliseconds before the first event of every stream, and between deltas. */
  ttft_ms: number
  delta_ms: number
  /** How long a background response takes. */
  background_ms: number
  /** How long to wait before a webhook is sent again. */
  backoff_ms: number[]
}

export type StoredStatus = 'queued' | 'completed' | 'cancelled'

export type StoredResponse = {
  readonly id: string
  readonly message_id: string
  readonly created_at: number
  readonly body: CreateResponse
  readonly answer: Answer
  readonly status: StoredStatus
  /** When a background response ends by itself. */
  readonly ends_ms: number
}

export type Delivery = {
  readonly id: string
  readonly type: string
  readonly response_id: string
  readonly created_at: number
  readonly attempts: number
  readonly due_ms: number
  readonly state: 'pending' | 'delivered' | 'dropped'
  readonly last_status: number | null
}

export type Tables = { config: Config; response: StoredResponse; delivery: Delivery }
export type Store = RecordStore<Tables>
