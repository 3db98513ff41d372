/**
 * The adapter for Chat Completions. Most servers support this protocol (llama.cpp, vLLM, gateways).
 * The adapter sends only properties that all of them know.
 */
import type OpenAI from 'openai'
import { embed } from './vectors.ts'
import { failureOfCode, invalid } from '../failures.ts'
import {
  dataUrl,
  itemsOf,
  resultText,
  textAlone,
  type Item,
  type Part,
  type ToolCall,
} from '../form.ts'
import { streamed } from '../make-call.ts'
import type { AdapterOptions } from './responses.ts'
import { ProviderFailure, type Provider, type ProviderRequest } from '../provider.ts'
import type { End, Read } from '../read-stream.ts'
import { nameFrom, usageFrom } from '../reported.ts'
import { isStrict } from '../strict-schema.ts'
import { withoutBackground } from './without-background.ts'

type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk
type Params = OpenAI.Chat.Completions.ChatCompletionCreateParams
type Sent = OpenAI.Chat.Completions.ChatCompletionMessageParam

export function openCompatible({ name, lines }: Omit<AdapterOptions, 'secrets'>): Provider {
  return {
    ...withoutBackground(lines),
    name,
    kind: 'openai_compatible',
    has: ['seed'],
    complete: (request, options) => {
      const { model, provider_key, attempts_before } = request
      const sent = {
        method: 'POST',
        path: '/chat/completions',
        body: bodyOf(request) satisfies Params,
      } as const
      return streamed(lines, { ...sent, model, provider_key, attempts_before, options }, reader())
    },
    embed: (request, options) => embed(lines, request, options),
  }
}

function bodyOf(request: ProviderRequest) {
  const { model, input, instructions, max_output_tokens, temperature, top_p } = request
  const { response_format: format, stop, seed, reasoning_effort } = request
  return {
    model,
    messages: [
      ...(instructions === undefined ? [] : [{ role: 'system' as const, content: instructions }]),
      ...messagesOf(itemsOf(input)),
    ],
    // Many servers do not know the newer name.
    max_tokens: max_output_tokens,
    user: request.safety_identifier,
    stream: true as const,
    stream_options: { include_usage: true },
    ...(temperature === undefined ? {} : { temperature }),
    ...(top_p === undefined ? {} : { top_p }),
    ...(stop === undefined ? {} : { stop: [...stop] }),
    ...(seed === undefined ? {} : { seed }),
    ...(reasoning_effort === undefined ? {} : { reasoning_effort }),
    ...toolsOf(request),
    ...(format?.type === 'json_object' ? { response_format: format } : {}),
    ...(format?.type === 'json_schema'
      ? {
          response_format: {
            type: format.type,
            json_schema: {
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

function toolsOf({ tools = [], tool_choice: choice, parallel_tool_calls }: ProviderRequest) {
  if (tools.length === 0) return {}
  const named = (name: string) => ({ type: 'function' as const, function: { name } })
  return {
    tools: tools.map(({ name, description, schema, strict }) => ({
      type: 'function' as const,
      function: {
        name,
        parameters: schema as Record<string, unknown>,
        ...(description === undefined ? {} : { description }),
        ...((strict ?? isStrict(schema)) ? { strict: true } : {}),
      },
    })),
    ...(choice === undefined
      ? {}
      : { tool_choice: typeof choice === 'string' ? choice : named(choice.name) }),
    ...(parallel_tool_calls === undefined ? {} : { parallel_tool_calls }),
  }
}

/** In this protocol the calls of an answer are part of the assistant's message. */
function messagesOf(items: readonly Item[]): Sent[] {
  const sent: Sent[] = []
  for (const item of items) {
    const last = sent.at(-1)
    if (item.type === 'message') {
      const { role, parts } = item
      const content = textAlone(parts) ?? parts.map(partOf)
      sent.push({ role, content } as Sent)
    } else if (item.type === 'tool_result') {
      sent.push({ role: 'tool', tool_call_id: item.id, content: resultText(item) })
    } else if (item.type === 'tool_call') {
      const { id, name, arguments: said } = item
      const call = { id, type: 'function' as const, function: { name, arguments: said } }
      if (last?.role === 'assistant') last.tool_calls = [...(last.tool_calls ?? []), call]
      else sent.push({ role: 'assistant', content: null, tool_calls: [call] })
    }
  }
  return sent
}

function partOf(part: Part) {
  if (part.type === 'text') return { type: 'text', text: part.text }
  if (part.type === 'image') return { type: 'image_url', image_url: { url: dataUrl(part) } }
  const file = { filename: part.name ?? 'document.pdf', file_data: dataUrl(part) }
  return { type: 'file', file }
}

function reader(): (chunk: Chunk) => Read {
  const calls: Mutable<ToolCall>[] = []
  let created = false
  let refused = false
  return ({ id, model, choices, usage }) => {
    const events: Read['events'][number][] = []
    const names = { response_id: nameFrom(id), model_snapshot: nameFrom(model) }
    if (!created) events.push({ type: 'created', ...names })
    created = true
    const [choice] = choices ?? []
    if (choice?.delta.refusal) refused = true
    if (choice?.delta.content) events.push({ type: 'text', text: choice.delta.content })
    const counted = usage && usageIn(usage)
    if (counted) events.push({ type: 'usage', ...counted })
    for (const piece of choice?.delta.tool_calls ?? []) addTo(calls, piece)
    let end = choice?.finish_reason ? endOf(choice.finish_reason, refused) : undefined
    if (end && 'ended' in end && end.ended !== 'length' && calls.length > 0) {
      for (const call of calls) if (call) events.push({ type: 'tool_call', ...call })
      // Some servers end with `stop` after calls.
      end = { ended: 'tool_calls' }
    }
    // The usage comes after the end, in a chunk without choices.
    return { events, ...(end ? { end } : {}), ...(usage ? { last: true } : {}) }
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
const calls_max = 128

/** The name comes with the first piece of a call, and the arguments come in pieces. */
function addTo(
  calls: Mutable<ToolCall>[],
  {
    index,
    id,
    function: called,
  }: OpenAI.Chat.Completions.ChatCompletionChunk.Choice.Delta.ToolCall,
): void {
  if (!Number.isInteger(index) || index < 0 || index >= calls_max) {
    throw invalid('tool_call_index', false)
  }
  const call = calls[index] ?? { id: '', name: '', arguments: '' }
  calls[index] = call
  if (id) call.id = id
  if (called?.name) call.name = called.name
  if (typeof called?.arguments === 'string') call.arguments += called.arguments
  if (call.arguments.length > arguments_max) throw invalid('tool_call_too_long', false)
}

const arguments_max = 1024 * 1024

function usageIn(usage: NonNullable<Chunk['usage']>) {
  return usageFrom({
    input: usage.prompt_tokens,
    cached_input: usage.prompt_tokens_details?.cached_tokens,
    output: usage.completion_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens,
  })
}

function endOf(reason: string, refused: boolean): End {
  if (refused) {
    const options = { blocked: 'provider_refusal' as const, reason: 'refusal' }
    return new ProviderFailure('content_blocked', options)
  }
  if (reason === 'stop') return { ended: 'stop' }
  if (reason === 'length') return { ended: 'length' }
  if (reason === 'tool_calls') return { ended: 'tool_calls' }
  return reason === 'content_filter' ? failureOfCode(reason) : invalid('finish_reason', false)
}
