/** Chat Completions, the older protocol, which most compatible servers support. */
import type { Answer, ToolCall } from '../model/answer.ts'
import { ApiError } from '../model/api-error.ts'
import { snapshotOf } from '../model/models.ts'
import type { CreateChat } from './protocol.ts'
import type { Frame } from '../model/turn.ts'

export type MadeChat = {
  readonly id: string
  readonly created: number
  readonly body: CreateChat
  readonly answer: Answer
}

export function completionOf({ id, created, body, answer }: MadeChat): object {
  const said = answer.deltas.join('')
  failed(answer)
  return {
    id,
    object: 'chat.completion',
    created,
    model: snapshotOf(body.model),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.refused || answer.calls.length > 0 ? null : said,
          refusal: answer.refused ? said : null,
          ...(answer.calls.length > 0 ? { tool_calls: answer.calls.map(callOf) } : {}),
        },
        logprobs: null,
        finish_reason: reasonOf(answer),
      },
    ],
    ...(answer.usage ? { usage: usageOf(answer.usage) } : {}),
    service_tier: 'default',
  }
}

export function* chatFrames({ id, created, body, answer }: MadeChat): Generator<Frame> {
  const include_usage = body.stream_options?.include_usage === true
  const base = {
    id,
    object: 'chat.completion.chunk',
    created,
    model: snapshotOf(body.model),
    ...(include_usage ? { usage: null } : {}),
  }
  const frame = (
    delta: object,
    kind: Frame['kind'],
    finish_reason: string | null = null,
  ): Frame => ({
    text: `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason }] })}\n\n`,
    kind,
  })
  yield frame({ role: 'assistant', content: '', refusal: null }, 'other')
  for (const [index, call] of answer.calls.entries()) {
    const { id, type, function: called } = callOf(call)
    const half = Math.ceil(called.arguments.length / 2)
    const [before, after] = [called.arguments.slice(0, half), called.arguments.slice(half)]
    const { name } = called
    const begun = { index, id, type, function: { name, arguments: before } }
    yield frame({ tool_calls: [begun] }, 'delta')
    yield frame({ tool_calls: [{ index, function: { arguments: after } }] }, 'delta')
  }
  for (const delta of answer.deltas) {
    yield frame(answer.refused ? { refusal: delta } : { content: delta }, 'delta')
  }
  if (answer.ending.status === 'failed') {
    const { code, message } = answer.ending
    yield {
      text: `data: ${JSON.stringify({ error: { message, type: code, code } })}\n\n`,
      kind: 'other',
    }
    return
  }
  yield frame({}, 'terminal', reasonOf(answer))
  if (include_usage && answer.usage) {
    const usage = usageOf(answer.usage)
    yield { text: `data: ${JSON.stringify({ ...base, choices: [], usage })}\n\n`, kind: 'other' }
  }
  yield { text: 'data: [DONE]\n\n', kind: 'other' }
}

const callOf = ({ id, ...called }: ToolCall) => ({ id, type: 'function', function: called })

function reasonOf({ ending, calls }: Answer): string {
  if (calls.length > 0) return 'tool_calls'
  if (ending.status !== 'incomplete') return 'stop'
  return ending.reason === 'content_filter' ? 'content_filter' : 'length'
}

/** This protocol has no failed completion, so a failure is an error reply. */
function failed({ ending }: Answer): void {
  if (ending.status !== 'failed') return
  throw new ApiError(500, ending.message, { type: 'server_error', code: ending.code })
}

function usageOf({ input, cached, output, reasoning }: NonNullable<Answer['usage']>): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
}
