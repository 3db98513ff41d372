/** The adapter for the Responses API: OpenAI itself, and the sandbox. */
import type { KeyObject } from 'node:crypto'
import type OpenAI from 'openai'
import { failureOfCode, invalid } from '../failures.ts'
import { dataUrl, resultText, textAlone, type Item, type Message, type Tool } from '../form.ts'
import type { Lines } from '../lines.ts'
import { streamed, unrecorded, whole } from '../make-call.ts'
import {
  ProviderFailure,
  type CallOptions,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
  type ProviderResponse,
  type ProviderUsage,
} from '../provider.ts'
import type { End, Read } from '../read-stream.ts'
import type { ProviderCall } from '../send-request.ts'
import { nameFrom, usageFrom } from '../reported.ts'
import { embed } from './vectors.ts'
import { isStrict } from '../strict-schema.ts'
import { verifyHook } from '../verify-hook.ts'

type Response = OpenAI.Responses.Response
type Event = OpenAI.Responses.ResponseStreamEvent
type Params = OpenAI.Responses.ResponseCreateParams
type InputItem = OpenAI.Responses.ResponseInputItem

export type AdapterOptions = {
  readonly name: string
  readonly lines: Lines
  secrets(): readonly KeyObject[] | Promise<readonly KeyObject[]>
}

export function openOpenai({ name, lines, secrets }: AdapterOptions): Provider {
  const order = (request: ProviderRequest, more: object, options: CallOptions) => {
    const { model, provider_key, attempts_before } = request
    const body = { ...bodyOf(request, name), ...more }
    return { ...create, body, model, provider_key, attempts_before, options }
  }
  return {
    name,
    kind: 'openai',
    has: ['image', 'document', 'reasoning'],
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

function bodyOf(request: ProviderRequest, provider: string): Params {
  const { model, input, instructions, max_output_tokens, temperature, top_p } = request
  const { response_format: format, prompt_cache_key, reasoning_effort: effort } = request
  return {
    model,
    input: typeof input === 'string' ? input : input.flatMap(item => itemOf(item, provider)),
    max_output_tokens,
    safety_identifier: request.safety_identifier,
    metadata: { operation_id: request.operation_id },
    ...(instructions === undefined ? {} : { instructions }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(top_p === undefined ? {} : { top_p }),
    ...(prompt_cache_key === undefined ? {} : { prompt_cache_key }),
    ...toolsOf(request),
    ...(effort === undefined ? {} : { reasoning: { effort } }),
    ...(format?.type === 'json_object' ? { text: { format } } : {}),
    ...(format?.type === 'json_schema'
      ? {
          text: {
            format: {
              type: format.type,
              name: format.name,
              ...(format.description === undefined ? {} : { description: format.description }),
              schema: format.schema as Record<string, unknown>,
              strict: isStrict(format.schema),
            },
          },
        }
      : {}),
  }
}

/** Without storage at the provider, its thoughts have to come back with the results of its calls. */
function toolsOf({ tools = [], tool_choice, parallel_tool_calls }: ProviderRequest) {
  if (tools.length === 0) return {}
  return {
    tools: tools.map(toolOf),
    include: ['reasoning.encrypted_content' as const],
    ...(tool_choice === undefined
      ? {}
      : {
          tool_choice:
            typeof tool_choice === 'string'
              ? tool_choice
              : { type: 'function' as const, name: tool_choice.name },
        }),
    ...(parallel_tool_calls === undefined ? {} : { parallel_tool_calls }),
  }
}

function toolOf({ name, description, schema, strict }: Tool): OpenAI.Responses.FunctionTool {
  return {
    type: 'function',
    name,
    parameters: schema as Record<string, unknown>,
    strict: strict ?? isStrict(schema),
    ...(description === undefined ? {} : { description }),
  }
}

function itemOf(item: Item, provider: string): InputItem[] {
  switch (item.type) {
    case 'message':
      return [messageOf(item)]
    case 'tool_call': {
      const { id: call_id, name, arguments: said } = item
      return [{ type: 'function_call', call_id, name, arguments: said }]
    }
    case 'tool_result':
      return [{ type: 'function_call_output', call_id: item.id, output: resultText(item) }]
    case 'sealed':
      return item.provider === provider ? [JSON.parse(item.data) as InputItem] : []
  }
}

function messageOf({ role, parts }: Message): InputItem {
  const alone = textAlone(parts)
  if (alone !== undefined) return { role, content: alone }
  const content = parts.map(part => {
    if (part.type === 'text') {
      // The types have no text of the assistant without an id.
      return { type: role === 'assistant' ? 'output_text' : 'input_text', text: part.text }
    }
    return part.type === 'image'
      ? { type: 'input_image', image_url: dataUrl(part), detail: 'auto' }
      : { type: 'input_file', filename: part.name ?? 'document.pdf', file_data: dataUrl(part) }
  })
  return { role, content } as InputItem
}

function reader(): (event: Event) => Read {
  let refused = false
  let calls = 0
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
      case 'response.output_item.done': {
        const { item } = event
        if (item.type === 'function_call') calls++
        return { events: outputOf(item) }
      }
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed': {
        const usage = usageOf(event.response)
        const end = refused ? refusal() : endOf(event.response, calls > 0)
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

function outputOf(item: OpenAI.Responses.ResponseOutputItem): ProviderEvent[] {
  if (item.type === 'function_call') {
    const { call_id: id, name, arguments: said } = item
    return [{ type: 'tool_call', id, name, arguments: said }]
  }
  if (item.type !== 'reasoning' || !item.encrypted_content) return []
  const { type, id, summary, encrypted_content } = item
  return [{ type: 'sealed', data: JSON.stringify({ type, id, summary, encrypted_content }) }]
}

function endOf({ status, incomplete_details, error }: Response, has_calls = false): End {
  if (status === 'completed') return { ended: has_calls ? 'tool_calls' : 'stop' }
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
