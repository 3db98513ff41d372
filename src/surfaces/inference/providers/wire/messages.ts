/**
 * The adapter for Anthropic's Messages API: Anthropic itself, and Bedrock. A model that thinks wants
 * its thinking blocks back before the calls that it made, with their signatures, so they are sealed.
 */
import type Anthropic from '@anthropic-ai/sdk'
import { failureOfCode, invalid, unable } from '../failures.ts'
import { itemsOf, textIn, type File, type Item, type Part, type ToolCall } from '../form.ts'
import type { Lines } from '../lines.ts'
import { streamed } from '../make-call.ts'
import { ProviderFailure, type Provider, type ProviderRequest } from '../provider.ts'
import type { End, Read } from '../read-stream.ts'
import { nameFrom, usageFrom } from '../reported.ts'
import { withoutBackground } from './without-background.ts'

type Params = Anthropic.Messages.MessageCreateParamsStreaming
type Turn = { role: 'user' | 'assistant'; content: Block[] }
type Block = Anthropic.Messages.ContentBlockParam
type Event = Anthropic.Messages.RawMessageStreamEvent
type Usage = Partial<Anthropic.Messages.Usage>

/** The later one, 2026-10-21, has no `temperature`, and Bedrock has it for its newest models only. */
const version = '2023-06-01'

export function openAnthropic({ name, lines }: { name: string; lines: Lines }): Provider {
  return {
    ...withoutBackground(lines),
    name,
    kind: 'anthropic',
    has: ['image', 'document', 'reasoning'],
    complete: (request, options) => {
      const { model, provider_key, attempts_before } = request
      const sent = {
        method: 'POST',
        path: '/messages',
        headers: { 'anthropic-version': version },
        body: bodyOf(request, name),
      } as const
      return streamed(lines, { ...sent, model, provider_key, attempts_before, options }, reader())
    },
  }
}

function bodyOf(request: ProviderRequest, provider: string): Params {
  const { model, instructions, max_output_tokens, temperature, top_p, stop } = request
  if ((temperature ?? 0) > 1) throw unable('temperature')
  const items = itemsOf(request.input)
  const system = [
    ...(instructions === undefined ? [] : [instructions]),
    ...items.filter(isSystem).map(textIn),
  ].filter(text => text !== '')
  return {
    model,
    max_tokens: max_output_tokens,
    messages: turnsOf(items, provider),
    stream: true,
    metadata: { user_id: request.safety_identifier },
    ...(system.length > 0 ? { system: system.map(text => ({ type: 'text', text })) } : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(top_p === undefined ? {} : { top_p }),
    ...(stop === undefined ? {} : { stop_sequences: [...stop] }),
    ...toolsOf(request),
    ...thinkingOf(request),
  }
}

const isSystem = (item: Item) => item.type === 'message' && item.role === 'system'

/** How long it thinks, and the form of its output, are in one member. */
function thinkingOf({ reasoning_effort: effort, response_format: format }: ProviderRequest) {
  if (format?.type === 'json_object') throw unable('json_object')
  const thinks = effort !== undefined && effort !== 'none'
  const output_config = {
    ...(thinks ? { effort: effort === 'minimal' ? ('low' as const) : effort } : {}),
    ...(format?.type === 'json_schema'
      ? { format: { type: format.type, schema: format.schema as Record<string, unknown> } }
      : {}),
  }
  return {
    ...(thinks ? { thinking: { type: 'adaptive' as const } } : {}),
    ...(effort === 'none' ? { thinking: { type: 'disabled' as const } } : {}),
    ...(Object.keys(output_config).length > 0 ? { output_config } : {}),
  }
}

function toolsOf({ tools = [], tool_choice, parallel_tool_calls }: ProviderRequest) {
  if (tools.length === 0) return {}
  const choice = choiceOf(tool_choice)
  const one = parallel_tool_calls === false && choice.type !== 'none'
  return {
    tools: tools.map(({ name, description, schema, strict }) => ({
      name,
      input_schema: schema as Anthropic.Messages.Tool.InputSchema,
      ...(description === undefined ? {} : { description }),
      ...(strict ? { strict } : {}),
    })),
    ...(tool_choice === undefined && !one
      ? {}
      : { tool_choice: { ...choice, ...(one ? { disable_parallel_tool_use: true } : {}) } }),
  }
}

function choiceOf(choice: ProviderRequest['tool_choice'] = 'auto') {
  if (typeof choice === 'object') return { type: 'tool' as const, name: choice.name }
  return choice === 'required' ? { type: 'any' as const } : { type: choice }
}

/** Items of one side that follow each other are one turn. */
function turnsOf(items: readonly Item[], provider: string): Turn[] {
  const turns: Turn[] = []
  for (const item of items.filter(one => !isSystem(one))) {
    const content = blocksOf(item, provider)
    if (content.length === 0) continue
    const of_user = item.type === 'tool_result' || (item.type === 'message' && item.role === 'user')
    const role = of_user ? 'user' : 'assistant'
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...content)
    else turns.push({ role, content })
  }
  return turns
}

function blocksOf(item: Item, provider: string): Block[] {
  switch (item.type) {
    case 'message':
      // An empty text is refused.
      return item.parts.filter(part => part.type !== 'text' || part.text !== '').map(partOf)
    case 'tool_call': {
      const { id, name, arguments: said } = item
      return [{ type: 'tool_use', id, name, input: JSON.parse(said) as unknown }]
    }
    case 'tool_result': {
      const { id: tool_use_id, output: content, is_error } = item
      return [{ type: 'tool_result', tool_use_id, content, ...(is_error ? { is_error } : {}) }]
    }
    case 'sealed':
      return item.provider === provider ? [JSON.parse(item.data) as Block] : []
  }
}

function partOf(part: Part): Block {
  return part.type === 'text' ? { type: 'text', text: part.text } : fileOf(part)
}

function fileOf({ type, media_type, data, name }: File): Block {
  const source = { type: 'base64' as const, media_type, data }
  return { type, source, ...(type === 'document' && name ? { title: name } : {}) } as Block
}

type Open = { type: string; thinking: string; signature: string; data: string; call: ToolCall }

/** A block, its thoughts and its arguments come in pieces. */
class Message {
  private readonly open = new Map<number, Open>()
  private readonly calls: ToolCall[] = []
  private usage: Usage = {}
  private reason: string | null = null
  private units = 0

  read(event: Event): Read {
    switch (event.type) {
      case 'message_start': {
        const { id, model, usage } = event.message
        this.count(usage)
        const names = { response_id: nameFrom(id), model_snapshot: nameFrom(model) }
        return { events: [{ type: 'created', ...names }] }
      }
      case 'content_block_start':
        this.open.set(event.index, opened(event.content_block))
        return { events: textOf(event.content_block) }
      case 'content_block_delta':
        return { events: this.add(event) }
      case 'content_block_stop':
        return { events: this.close(event.index) }
      case 'message_delta':
        this.count(event.usage)
        this.reason = event.delta.stop_reason
        return { events: [] }
      case 'message_stop':
        return this.end()
      default:
        return { events: [] }
    }
  }

  /** Later numbers are sums too, and leave out what did not change. */
  private count(usage: object | null | undefined): void {
    const reported = Object.entries(usage ?? {}).filter(([, value]) => value !== null)
    this.usage = { ...this.usage, ...Object.fromEntries(reported) }
  }

  private add({ index, delta }: Anthropic.Messages.RawContentBlockDeltaEvent): Read['events'] {
    const block = this.open.get(index)
    if (!block) throw invalid('content_block', false)
    if (delta.type === 'text_delta') {
      return delta.text === '' ? [] : [{ type: 'text', text: delta.text }]
    }
    let piece = ''
    if (delta.type === 'input_json_delta') {
      piece = delta.partial_json
      block.call = { ...block.call, arguments: block.call.arguments + piece }
    } else if (delta.type === 'thinking_delta') {
      piece = delta.thinking
      block.thinking += piece
    } else if (delta.type === 'signature_delta') {
      piece = delta.signature
      block.signature += piece
    }
    this.units += piece.length
    if (this.units > units_max) throw invalid('blocks_too_long', false)
    return []
  }

  private close(index: number): Read['events'] {
    const block = this.open.get(index)
    this.open.delete(index)
    if (block?.type === 'tool_use') {
      const { arguments: said } = block.call
      this.calls.push({ ...block.call, arguments: said === '' ? '{}' : said })
    }
    if (block?.type === 'thinking') {
      const { type, thinking, signature } = block
      return [{ type: 'sealed', data: JSON.stringify({ type, thinking, signature }) }]
    }
    if (block?.type === 'redacted_thinking') {
      return [{ type: 'sealed', data: JSON.stringify({ type: block.type, data: block.data }) }]
    }
    return []
  }

  private end(): Read {
    const usage = usageOf(this.usage)
    const end = endOf(this.reason)
    const called = 'ended' in end && end.ended === 'tool_calls' ? this.calls : []
    const calls = called.map(call => ({ type: 'tool_call' as const, ...call }))
    const counted = usage ? [{ type: 'usage' as const, ...usage }] : []
    return { events: [...calls, ...counted], end, last: true }
  }
}

const units_max = 4 * 1024 * 1024

function reader(): (event: Event) => Read {
  const message = new Message()
  return event => message.read(event)
}

function textOf(block: Anthropic.Messages.ContentBlock): Read['events'] {
  return block.type === 'text' && block.text ? [{ type: 'text', text: block.text }] : []
}

function opened(block: Anthropic.Messages.ContentBlock): Open {
  const { type } = block
  return {
    type,
    thinking: type === 'thinking' ? block.thinking : '',
    signature: type === 'thinking' ? block.signature : '',
    data: type === 'redacted_thinking' ? block.data : '',
    call: {
      id: type === 'tool_use' ? block.id : '',
      name: type === 'tool_use' ? block.name : '',
      arguments: '',
    },
  }
}

/** `input_tokens` are those that no cache had. */
function usageOf(usage: Usage) {
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens } = usage
  const cached = [cache_creation_input_tokens ?? 0, cache_read_input_tokens ?? 0]
  return usageFrom({
    input: [input_tokens, ...cached].reduce((sum, count) => Number(sum) + Number(count), 0),
    cached_input: cache_read_input_tokens,
    output: usage.output_tokens,
    reasoning: usage.output_tokens_details?.thinking_tokens,
  })
}

function endOf(reason: string | null): End {
  switch (reason) {
    case 'end_turn':
    case 'stop_sequence':
      return { ended: 'stop' }
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return { ended: 'length' }
    case 'tool_use':
      return { ended: 'tool_calls' }
    case 'refusal':
      return new ProviderFailure('content_blocked', { blocked: 'provider_refusal', reason })
    default:
      return reason === null ? invalid('stop_reason', false) : failureOfCode(reason)
  }
}
