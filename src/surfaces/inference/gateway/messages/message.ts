/** A call as the Messages API shows it: whole, or as the events of a stream. */
import type { SseEvent } from '#dodeca/kernel'
import { answerOfRow, answerOfSettled, type Answered } from '../../operations/answer.ts'
import type { Writer, Written } from '../../operations/call-streamed.ts'
import { codeOf } from '../../operations/settle-call.ts'
import type { Sealed, ToolCall } from '../../providers/form.ts'
import type { Kernel } from '../../settings.ts'
import { errorOf, streamError, type ProblemDocument } from '../dialect.ts'
import { sealThoughts } from '../sealed.ts'
import type { Content, MessageView } from './schemas.ts'

type Keys = Pick<Kernel, 'keys'>

export function messageOf(kernel: Keys, tenant_id: string, answer: Answered): MessageView {
  const { text, tool_calls = [], sealed = [] } = answer.output
  return {
    ...begun(answer.id, answer.model),
    content: [
      ...sealed.map(one => thoughtOf(kernel, tenant_id, one)),
      ...(text === '' ? [] : [{ type: 'text' as const, text, citations: null }]),
      ...tool_calls.map(one => ({ ...usedOf(one), input: JSON.parse(one.arguments) as unknown })),
    ],
    ...reasonOf(answer),
    usage: usageOf(answer),
  }
}

const no_usage = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
}

function begun(id: string, model: string): MessageView {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: no_usage,
  }
}

export function messageWriter(kernel: Keys, { id, tenant_id, model }: Written): Writer {
  let blocks = 0
  let is_open = false
  const event = (type: string, more: object, terminal?: true): SseEvent => {
    return { event: type, data: { type, ...more }, ...(terminal ? { terminal } : {}) }
  }
  const close = (): SseEvent[] => {
    if (!is_open) return []
    is_open = false
    return [event('content_block_stop', { index: blocks++ })]
  }
  const block = (content_block: Content, delta?: object): SseEvent[] => {
    const index = blocks++
    return [
      event('content_block_start', { index, content_block }),
      ...(delta ? [event('content_block_delta', { index, delta })] : []),
      event('content_block_stop', { index }),
    ]
  }
  const begin = (snapshot: string | null) => [
    event('message_start', { message: begun(id, snapshot || model) }),
  ]
  const end = (answer: Answered): SseEvent[] => {
    const delta = reasonOf(answer)
    return [
      ...close(),
      event('message_delta', { delta, usage: usageOf(answer) }),
      event('message_stop', {}, true),
    ]
  }
  const broken = (code: string): SseEvent => {
    const { message } = streamError(code).error
    return event('error', { error: { type: 'api_error', message, code } }, true)
  }
  return {
    isFirst: piece => piece.type === 'started',
    started: (_call, snapshot) => begin(snapshot),
    text: text => {
      const delta = { index: blocks, delta: { type: 'text_delta', text } }
      const said = event('content_block_delta', delta)
      if (is_open) return [said]
      is_open = true
      const content_block = { type: 'text', text: '', citations: null }
      return [event('content_block_start', { index: blocks, content_block }), said]
    },
    toolCall: (call, _index, sealed) => [
      ...close(),
      ...sealed.flatMap(one => block(thoughtOf(kernel, tenant_id, one))),
      ...block(usedOf(call), { type: 'input_json_delta', partial_json: call.arguments }),
    ],
    ended: settled => {
      const { ending } = settled.result
      if (ending.state === 'succeeded') return end(answerOfSettled(settled))
      return [broken(codeOf(ending) ?? 'service_unavailable')]
    },
    storedStart: row => begin(row.model_snapshot),
    stored: (row, output) =>
      row.state === 'succeeded'
        ? end(answerOfRow(row, output))
        : [broken(row.error_code ?? 'service_unavailable')],
    broken: (_id, code) => broken(code),
  }
}

function usedOf({ id, name }: ToolCall) {
  return { type: 'tool_use' as const, id, name, input: {} as unknown }
}

function thoughtOf(kernel: Keys, tenant_id: string, sealed: Sealed) {
  return { type: 'redacted_thinking' as const, data: sealThoughts(kernel, tenant_id, sealed) }
}

const reasons = { tool_calls: 'tool_use', length: 'max_tokens', stop: 'end_turn' } as const

function reasonOf({ finish_reason, output: { stop } }: Answered) {
  return stop === undefined
    ? { stop_reason: reasons[finish_reason], stop_sequence: null }
    : { stop_reason: 'stop_sequence' as const, stop_sequence: stop }
}

/** Here the input does not contain what was cached. */
function usageOf({ usage: { input, cached_input, output } }: Answered): MessageView['usage'] {
  return {
    ...no_usage,
    input_tokens: input - cached_input,
    cache_read_input_tokens: cached_input,
    output_tokens: output,
  }
}

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
}

/** The `error` that the SDKs of Anthropic read. */
export function messageErrorOf(document: ProblemDocument) {
  const { error } = errorOf(document)
  const { status } = document
  const usual = status >= 500 ? 'api_error' : 'invalid_request_error'
  return { error: { ...error, type: types[status] ?? usual } }
}
