/** The result of a claimed attempt, in its recorded form. */
import type { NewItem } from '../inbox/add-items.ts'
import type { Target } from '../intents/load-facts.ts'
import type { Claimed } from './claim.ts'

export type AttemptState =
  'pending' | 'accepted' | 'delivered' | 'deferred' | 'failed' | 'unknown' | 'skipped' | 'cancelled'

export type Result = {
  readonly claimed: Claimed
  readonly state: AttemptState
  readonly provider: string | null
  readonly provider_message_id: string | null
  readonly error_code: string | null
  /** For an attempt that waits again, or stays unknown until then. */
  readonly due_at_ms: number | null
  readonly sha256: Buffer | null
  readonly target: Target | null
  /** The next attempt with its provider; null means the first provider. */
  readonly next: {
    readonly due_at_ms: number
    readonly provider: string | null
    readonly pinned: boolean
  } | null
  readonly decided: { readonly rule: string; readonly outcome: string } | null
  readonly item: NewItem | null
  /** A push message becomes one attempt for each of these devices. */
  readonly devices: readonly string[]
  readonly suppress: string | null
  /** The device no longer exists, and no further message is sent to it. */
  readonly gone: boolean
}

export function resultOf(claimed: Claimed, more: Partial<Result> & Pick<Result, 'state'>): Result {
  return {
    claimed,
    provider: claimed.provider,
    provider_message_id: null,
    error_code: null,
    due_at_ms: null,
    sha256: null,
    target: null,
    next: null,
    decided: null,
    item: null,
    devices: [],
    suppress: null,
    gone: false,
    ...more,
  }
}
