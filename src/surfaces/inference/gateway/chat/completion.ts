/** A call as Chat Completions shows it: whole, or as the chunks of a stream. */
import type { SseEvent } from '#dodeca/kernel'
import { problemOfRow } from '../../operations/call-blocking.ts'
import type { Writer, Written } from '../../operations/call-streamed.ts'
import type { Answered } from '../../operations/answer.ts'
import { answerOfRow, answerOfSettled } from '../../operations/answer.ts'
import { codeOf } from '../../operations/settle-call.ts'
import type { ToolCall } from '../../providers/form.ts'
import { streamError } from '../dialect.ts'
import type { ChatCompletion } from './schemas.ts'

export function completionOf(answer: Answered): ChatCompletion {
  const { id, created, model, output, finish_reason } = answer
  const calls = output.tool_calls?.map(callOf)
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: output.text === '' && calls ? null : output.text,
          refusal: null,
          ...(calls ? { tool_calls: calls } : {}),
        },
        logprobs: null,
        finish_reason: reasonOf(finish_reason),
      },
    ],
    usage: usageOf(answer),
    service_tier: 'default',
    metadata: answer.metadata,
  }
}

export function chunkWriter({ id, model, created_at, parameters }: Written): Writer {
  const created = Math.floor(Date.parse(created_at) / 1000)
  const { include_usage = false } = parameters
  let answering = model
  const chunk = (delta: object, finish_reason: string | null = null): SseEvent => ({
    event: 'chunk',
    plain: true,
    data: {
      id,
      object: 'chat.completion.chunk',
      created,
      model: answering,
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...(include_usage ? { usage: null } : {}),
    },
  })
  const begin = (snapshot: string | null): SseEvent[] => {
    answering = snapshot ?? model
    return [chunk({ role: 'assistant', content: '', refusal: null })]
  }
  const end = (answer: Answered): SseEvent[] => {
    const usage = { ...chunkBase(id, created, answering), choices: [], usage: usageOf(answer) }
    return [
      chunk({}, reasonOf(answer.finish_reason)),
      ...(include_usage ? [{ event: 'chunk', plain: true as const, data: usage }] : []),
      { event: 'done', plain: true, data: '[DONE]', terminal: true },
    ]
  }
  const broken = (code: string): SseEvent => ({
    event: 'error',
    plain: true,
    data: streamError(code),
    terminal: true,
  })
  return {
    isFirst: piece => piece.type === 'started',
    started: (_call, model_snapshot) => begin(model_snapshot),
    text: content => [chunk({ content })],
    toolCall: (call, index) => [chunk({ tool_calls: [{ index, ...callOf(call) }] })],
    ended: settled => {
      const { ending } = settled.result
      if (ending.state !== 'succeeded') return [broken(codeOf(ending) ?? 'service_unavailable')]
      return end(answerOfSettled(settled))
    },
    storedStart: row => begin(row.model_snapshot),
    stored: row => {
      if (row.state !== 'succeeded') return [broken(problemOfRow(row).code)]
      return end(answerOfRow(row, { text: '' }))
    },
    broken: (_id, code) => broken(code),
  }
}

const chunkBase = (id: string, created: number, model: string) => ({
  id,
  object: 'chat.completion.chunk',
  created,
  model,
})

/** The other reasons are those of tools of the platform, which this dialect does not have. */
function reasonOf(reason: Answered['finish_reason']): 'stop' | 'length' | 'tool_calls' {
  return reason === 'length' || reason === 'tool_calls' ? reason : 'stop'
}

const callOf = ({ id, name, arguments: said }: ToolCall) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: said },
})

function usageOf({ usage: { input, cached_input, output, reasoning } }: Answered) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached_input },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
}
