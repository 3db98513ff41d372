/** The adapter for the Responses API: OpenAI itself, and the sandbox. */
import type { KeyObject } from 'node:crypto'
import type OpenAI from 'openai'
import { failureOfCode, invalid } from './failures.ts'
import type { Lines } from './lines.ts'
import { streamed, unrecorded, whole } from './make-call.ts'
import {
  ProviderFailure,
  type CallOptions,
  type Provider,
  type ProviderRequest,
  type ProviderResponse,
  type ProviderUsage,
} from './provider.ts'
import type { End, Read } from './read-stream.ts'
import type { ProviderCall } from './send-request.ts'
import { nameFrom, usageFrom } from './reported.ts'
import { embed } from './embed.ts'
import { isStrict } from './strict-schema.ts'
import { verifyHook } from './verify-hook.ts'

type Response = OpenAI.Responses.Response
type Event = OpenAI.Responses.ResponseStreamEvent

export type AdapterOptions = {
  readonly name: string
  readonly lines: Lines
  secrets(): readonly KeyObject[] | Promise<readonly KeyObject[]>
}

export function openOpenai({ name, lines, secrets }: AdapterOptions): Provider {
  const order = (request: ProviderRequest, more: object, options: CallOptions) => {
    const { model, provider_key, attempts_before } = request
    const body = { ...bodyOf(request), ...more }
    return { ...create, body, model, provider_key, attempts_before, options }
  }
  return {
    name,
    kind: 'openai',
    has_background: true,
    health: lines.health,
    close: lines.close,
    complete: (request, options) =>
      streamed(lines, order(request, { store: false, stream: true }, options), reader()),
    background: async (request, options) =>
      viewOf(await whole(lines, order(request, { store: true, background: true }, options), same)),
    retrieve: (response_id, signal) =>
      look(lines, signal, { method: 'GET', path: pathOf(response_id) }),
    cancel: (response_id, signal) =>
      look(lines, signal, { method: 'POST', path: `${pathOf(response_id)}/cancel` }),
    embed: (request, options) => embed(lines, request, options),
    verifyWebhook: message => verifyHook(secrets, message),
  }
}

/** Reads have a separate line, so that they continue while the circuit of a model is open. */
async function look(
  lines: Lines,
  signal: AbortSignal,
  call: Pick<ProviderCall, 'method' | 'path'>,
): Promise<ProviderResponse> {
  const options = unrecorded(signal, lines.nowMs())
  const order = { ...call, model: 'responses', provider_key: null, options }
  return viewOf(await whole(lines, order, same))
}

const same = (response: Response) => response
const create = { method: 'POST', path: '/responses' } as const
const pathOf = (response_id: string) => `${create.path}/${encodeURIComponent(response_id)}`

function bodyOf(request: ProviderRequest): OpenAI.Responses.ResponseCreateParams {
  const { model, input, instructions, max_output_tokens, temperature, top_p } = request
  const { response_format: format, prompt_cache_key } = request
  return {
    model,
    input:
      typeof input === 'string' ? input : input.map(({ role, content }) => ({ role, content })),
    max_output_tokens,
    safety_identifier: request.safety_identifier,
    metadata: { operation_id: request.operation_id },
    ...(instructions === undefined ? {} : { instructions }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(top_p === undefined ? {} : { top_p }),
    ...(prompt_cache_key === undefined ? {} : { prompt_cache_key }),
    ...(format?.type === 'json_schema'
      ? {
          text: {
            format: {
              type: format.type,
              name: format.name,
              schema: format.schema as Record<string, unknown>,
              strict: isStrict(format.schema),
            },
          },
        }
      : {}),
  }
}

function reader(): (event: Event) => Read {
  let refused = false
  return event => {
    switch (event.type) {
      case 'response.created': {
        const { id, model } = event.response
        const names = { response_id: nameFrom(id), model_snapshot: nameFrom(model) }
        return { events: [{ type: 'created', ...names }] }
      }
      case 'response.output_text.delta':
        return { events: event.delta === '' ? [] : [{ type: 'text', text: event.delta }] }
      case 'response.refusal.delta':
        refused = true
        return { events: [] }
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed': {
        const usage = usageOf(event.response)
        const end = refused ? refusal() : endOf(event.response)
        return { events: usage ? [{ type: 'usage', ...usage }] : [], end, last: true }
      }
      default:
        return { events: [] }
    }
  }
}

function refusal(): ProviderFailure {
  const options = { blocked: 'provider_refusal' as const, reason: 'refusal' }
  return new ProviderFailure('content_blocked', options)
}

function endOf({ status, incomplete_details, error }: Response): End {
  if (status === 'completed') return { ended: 'stop' }
  if (status === 'failed') return failureOfCode(error?.code)
  const reason = incomplete_details?.reason
  if (reason === 'max_output_tokens') return { ended: 'length' }
  return reason === 'content_filter' ? failureOfCode(reason) : invalid('incomplete', false)
}

function usageOf({ usage }: Response): ProviderUsage | null {
  if (!usage) return null
  const { input_tokens, output_tokens, input_tokens_details, output_tokens_details } = usage
  return usageFrom({
    input: input_tokens,
    cached_input: input_tokens_details?.cached_tokens,
    output: output_tokens,
    reasoning: output_tokens_details?.reasoning_tokens,
  })
}

function viewOf(response: Response): ProviderResponse {
  const { id, model, metadata, status = 'completed' } = response
  const parts = response.output.flatMap(item => (item.type === 'message' ? item.content : []))
  return {
    response_id: id,
    model_snapshot: nameFrom(model),
    status,
    operation_id: metadata?.['operation_id'] ?? null,
    text: parts.map(part => (part.type === 'output_text' ? part.text : '')).join(''),
    usage: usageOf(response),
    outcome: outcomeOf(
      response,
      parts.some(part => part.type === 'refusal'),
    ),
  }
}

function outcomeOf(response: Response, refused: boolean): End | null {
  const { status } = response
  if (status === 'queued' || status === 'in_progress') return null
  if (status === 'cancelled') return new ProviderFailure('aborted', { reason: 'cancelled' })
  return refused ? refusal() : endOf(response)
}
