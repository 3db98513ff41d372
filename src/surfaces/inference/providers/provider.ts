/**
 * The interface of model providers. A call is read as a stream of events that ends with `ended`.
 * Every other end is thrown as a ProviderFailure. It contains the error for the client, whether a
 * retry may help, and whether an attempt may have been carried out.
 */
import type { Buffer } from 'node:buffer'
import type { Effort, Input, Tool, ToolCall, ToolChoice } from './form.ts'

export type ProviderRequest = {
  readonly kind: 'text'
  readonly operation_id: string
  /** Sent as `Idempotency-Key` on every attempt. */
  readonly provider_key: string
  readonly model: string
  readonly instructions?: string
  readonly input: Input
  readonly max_output_tokens: number
  readonly temperature?: number
  readonly top_p?: number
  /** The answer is cut here by the reader, too, because not every protocol has it. */
  readonly stop?: readonly string[]
  readonly seed?: number
  readonly reasoning_effort?: Effort
  readonly tools?: readonly Tool[]
  readonly tool_choice?: ToolChoice
  readonly parallel_tool_calls?: boolean
  readonly response_format?: ResponseFormat
  readonly safety_identifier: string
  readonly prompt_cache_key?: string
  /** The number of attempts in earlier runs of this operation. The next attempt follows it. */
  readonly attempts_before?: number
}

export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema'
      readonly name: string
      readonly description?: string
      readonly schema: object
    }

/** Writes one row for each attempt on the wire. */
export type AttemptLedger = {
  /** Commits the row before it resolves. If it returns false, the attempt must not be sent. */
  begin(attempt: number): Promise<boolean>
  /** Called once for each attempt that began. */
  end(attempt: number, state: AttemptState, seen: AttemptSeen): Promise<void>
}

export type AttemptState = 'succeeded' | 'failed' | 'aborted' | 'ambiguous'

export type AttemptSeen = {
  readonly provider_request_id?: string
  readonly error_code?: string
  readonly latency_ms: number
}

export type CallOptions = {
  /** Aborted: the socket to the provider is closed, and the call throws `aborted`. */
  readonly signal: AbortSignal
  readonly ledger: AttemptLedger
  readonly deadline: Date
  /** The longest time of one attempt, if it is not the usual one. */
  readonly attempt_ms?: number
}

export type ProviderUsage = {
  readonly input: number
  readonly cached_input: number
  readonly output: number
  readonly reasoning: number
}

export type ProviderEvent =
  | { readonly type: 'created'; readonly response_id: string; readonly model_snapshot: string }
  | { readonly type: 'text'; readonly text: string }
  /** The whole call. */
  | ({ readonly type: 'tool_call' } & ToolCall)
  /** Sent back with the results of the calls, unread. */
  | { readonly type: 'sealed'; readonly data: string }
  | ({ readonly type: 'usage' } & ProviderUsage)
  | { readonly type: 'ended'; readonly reason: FinishReason }

export type FinishReason = 'stop' | 'length' | 'tool_calls'

/** A background response in its current state at the provider. */
export type ProviderResponse = {
  readonly response_id: string
  readonly model_snapshot: string
  readonly status: 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled'
  /** The `metadata.operation_id` of its request. */
  readonly operation_id: string | null
  readonly text: string
  readonly usage: ProviderUsage | null
  /** The end of the response. Null while it runs. `complete` would have thrown the same failure. */
  readonly outcome: { readonly ended: FinishReason } | ProviderFailure | null
}

export type Embeddings = {
  readonly vectors: Float32Array[]
  readonly dimensions: number
  readonly model_snapshot: string
  readonly input_tokens: number
}

export type EmbedRequest = {
  readonly operation_id: string
  readonly provider_key: string
  readonly model: string
  readonly texts: readonly string[]
  readonly dimensions?: number
  readonly safety_identifier: string
  readonly attempts_before?: number
}

export type ProviderHook = {
  readonly event_id: string
  /** Such as `response.completed`. */
  readonly type: string
  /** The response that the event is about; null if it is about something else. */
  readonly response_id: string | null
}

export type HookVerdict =
  | { readonly event: ProviderHook }
  | { readonly refused: 'signature_invalid' | 'timestamp_out_of_window' | 'envelope_invalid' }

export type Provider = {
  readonly name: string
  readonly kind: ProviderKind
  /** Capabilities of its protocol that a model at it may have, beyond the usual ones. */
  readonly has: readonly string[]
  /** Whether `background`, `retrieve`, `cancel` and `verifyWebhook` work. */
  readonly has_background: boolean
  /** The state of the circuit of one model in this process. */
  health(model: string): Health
  complete(request: ProviderRequest, options: CallOptions): AsyncIterable<ProviderEvent>
  background(request: ProviderRequest, options: CallOptions): Promise<ProviderResponse>
  retrieve(response_id: string, signal: AbortSignal): Promise<ProviderResponse>
  /** Has no effect on a response that has ended. */
  cancel(response_id: string, signal: AbortSignal): Promise<ProviderResponse>
  embed(request: EmbedRequest, options: CallOptions): Promise<Embeddings>
  verifyWebhook(message: {
    readonly raw: Buffer
    readonly headers: Readonly<Record<string, string | string[] | undefined>>
    readonly now_seconds: number
  }): Promise<HookVerdict>
  close(): Promise<void>
}

export type Health = 'ok' | 'degraded' | 'open'

export const provider_kinds = ['openai', 'openai_compatible', 'anthropic', 'gemini'] as const
export type ProviderKind = (typeof provider_kinds)[number]

/** The error codes that a provider can cause. `aborted` is for callers that passed the signal. */
export type FailureCode =
  | 'service_unavailable'
  | 'upstream_timeout'
  | 'upstream_unreachable'
  | 'upstream_invalid_response'
  | 'content_blocked'
  | 'context_length_exceeded'
  | 'model_capability_unsupported'
  | 'aborted'

export type ProviderFailureOptions = {
  /** Another call, or another deployment, may succeed. */
  readonly retryable?: boolean
  /** An attempt may have been carried out without a reply. */
  readonly ambiguous?: boolean
  readonly blocked?: 'provider_refusal' | 'provider_content_filter'
  /** Details for the attempt's row and the log, never for a client. */
  readonly reason?: string
  readonly refusal?: RefusalFacts
  readonly cause?: unknown
}

/** The loggable parts of a provider's error body. Its message could quote a key or a prompt. */
export type RefusalFacts = {
  readonly status: number
  readonly provider_code: string | null
  readonly type: string | null
  readonly parameter: string | null
  readonly request_id: string | null
  /** Equal messages have equal hashes. */
  readonly message_sha256: string
  readonly bytes: number
}

export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure'
  readonly code: FailureCode
  readonly retryable: boolean
  readonly ambiguous: boolean
  readonly blocked: 'provider_refusal' | 'provider_content_filter' | null
  readonly reason: string
  readonly refusal: RefusalFacts | null

  constructor(code: FailureCode, options: ProviderFailureOptions = {}) {
    super(`the model provider: ${code} (${options.reason ?? code})`, { cause: options.cause })
    this.code = code
    this.retryable = options.retryable ?? false
    this.ambiguous = options.ambiguous ?? false
    this.blocked = options.blocked ?? null
    this.reason = options.reason ?? code
    this.refusal = options.refusal ?? null
  }
}
