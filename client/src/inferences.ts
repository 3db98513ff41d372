/**
 * Streams the answer of a model and verifies its end. A stream that breaks off throws an error. A
 * stream whose text does not have the length and checksum of its last event throws too. So an
 * incomplete answer never looks like a short answer.
 */
import { serverEvents } from './server-events.ts'
import type { components } from './schema.d.ts'

export type InferenceRequest = Omit<components['schemas']['CreateInference'], 'stream'>

export type InferenceEvent =
  | {
      readonly type: 'started'
      readonly operation_id: string
      readonly model_deployment_id: string
      readonly model_snapshot: string | null
      readonly deadline_at: string
    }
  | { readonly type: 'delta'; readonly text: string }
  /** Only where the call has tools: yours, or operations of the platform. */
  | {
      readonly type: 'tool_call'
      readonly id: string
      readonly name: string
      readonly arguments: string
    }
  | {
      readonly type: 'tool_result'
      readonly id: string
      readonly name: string
      readonly state: 'done' | 'failed' | 'refused'
      readonly output: string
    }
  | {
      readonly type: 'usage'
      readonly input_units: number
      readonly cached_input_units: number
      readonly output_units: number
      readonly source: 'provider' | 'estimated'
      readonly cost_amount: string
      readonly currency: string
    }
  | {
      readonly type: 'completed'
      readonly operation_id: string
      readonly finish_reason:
        'stop' | 'length' | 'tool_calls' | 'approval_required' | 'max_steps' | 'max_cost'
      /** The length in code points. */
      readonly output_length: number
      readonly output_sha256: string
    }

/** The stream has started and cannot be completed. An error before the start is a `Problem`. */
export class InferenceFailed extends Error {
  override readonly name = 'InferenceFailed'
  /** The code of the `error` event, or `stream_incomplete` if the stream has no last event. */
  readonly code: string
  /**
   * If true, a retry with the same Idempotency-Key continues the call or gets its recorded outcome.
   */
  readonly retryable: boolean
  readonly operation_id: string | undefined
  readonly request_id: string | undefined

  constructor(
    code: string,
    more: { retryable?: boolean; operation_id?: string; request_id?: string },
  ) {
    super(`The model call failed: ${code}`)
    this.code = code
    this.retryable = more.retryable ?? true
    this.operation_id = more.operation_id
    this.request_id = more.request_id
  }
}

export type StreamOptions = {
  /** Abort this signal to cancel the call at the platform and at the provider. */
  readonly signal?: AbortSignal
  /** Your own Idempotency-Key. The default is a new key. */
  readonly key?: string
}

export type Inferences = {
  /** Yields events. The last one is `completed`. Leaving the loop early cancels the call. */
  stream(request: InferenceRequest, options?: StreamOptions): AsyncGenerator<InferenceEvent, void>
}

type Open = (
  request: InferenceRequest,
  options: StreamOptions,
) => Promise<ReadableStream<Uint8Array> | null>

export function inferencesOf(open: Open): Inferences {
  return {
    stream: async function* (request, options = {}) {
      const body = await open(request, options)
      if (!body) throw new InferenceFailed('stream_incomplete', {})
      let text = ''
      let operation_id: string | undefined
      for await (const event of eventsOf(body)) {
        if (event.type === 'started') operation_id = event.operation_id
        if (event.type === 'delta') text += event.text
        if (event.type === 'completed') await prove(text, event)
        yield event
        if (event.type === 'completed') return
      }
      options.signal?.throwIfAborted()
      throw new InferenceFailed('stream_incomplete', operation_id ? { operation_id } : {})
    },
  }
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<InferenceEvent> {
  for await (const { event, data } of serverEvents(body)) {
    if (event === 'error') throw new InferenceFailed(String(data['code']), data)
    yield { type: event, ...data } as InferenceEvent
  }
}

async function prove(
  text: string,
  { output_length, output_sha256, operation_id }: InferenceEvent & { type: 'completed' },
): Promise<void> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  const found = [...new Uint8Array(digest)].map(one => one.toString(16).padStart(2, '0')).join('')
  if (Array.from(text).length === output_length && found === output_sha256) return
  throw new InferenceFailed('stream_incomplete', { operation_id })
}
