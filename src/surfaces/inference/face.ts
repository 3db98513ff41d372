/**
 * Functions that other surfaces of the platform may call: stream the answer to a server prompt, and embed texts.
 * Each call is a separate operation: quota is reserved before it and usage is settled after it. A
 * failure is thrown as a problem of this surface's catalog.
 */
import type { Principal, RequestFacts } from '#dodeca/kernel'

export type Workload = 'retrieval_answer' | 'retrieval_embedding'

export type Order = {
  readonly tenant_id: string
  readonly principal: Pick<Principal, 'id' | 'kind'>
  readonly workload: Workload
  /** The answer or the ingestion job that the call is for. */
  readonly parent_id: string
  readonly deadline: Date
  /** What the cost is for, as `readTags` returned it. */
  readonly tags?: readonly string[]
}

export type Prompt = {
  /** The version of a server prompt. */
  readonly prompt: 'cited_answer@1'
  /** Content of the user role only: blocks of quoted text, and the question. */
  readonly input: string
  readonly schema: { readonly name: string; readonly schema: object }
  readonly max_output_tokens: number
}

export type Usage = {
  readonly input_units: number
  readonly output_units: number
  readonly cost_amount: string
  readonly currency: string
}

export type Piece =
  /** Resolves after the first event of the provider. */
  | {
      readonly type: 'started'
      readonly operation_id: string
      readonly model_snapshot: string
      readonly prompt_version: string
    }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'ended'; readonly finish_reason: 'stop' | 'length'; readonly usage: Usage }

export type Embedded = {
  readonly vectors: Float32Array[]
  readonly dimensions: number
  readonly model_snapshot: string
  readonly usage: Usage
}

export type Inside = {
  /** Whether a provider is configured. */
  readonly configured: boolean
  /** The tags that a request sends in its header `X-Tags`. */
  readTags(headers: RequestFacts['headers']): readonly string[]
  generate(order: Order, prompt: Prompt, signal: AbortSignal): AsyncIterable<Piece>
  /** `model` is an alias or the id of a deployment. The vectors have so many dimensions. */
  embed(
    order: Order,
    model: string,
    asked: { readonly texts: readonly string[]; readonly dimensions: number },
    signal: AbortSignal,
  ): Promise<Embedded>
}
