/**
 * Anthropic's Messages API over its own wire protocol, so that the official SDK can be its client. A
 * model that thought before it called a tool wants its thinking back, with the signature.
 */
import { createHmac } from 'node:crypto'
import { answerTo, type Answer, type Usage } from '../model/answer.ts'
import { ApiError, unknownUrl } from '../model/api-error.ts'
import { modelDouble } from '../model/double.ts'
import { faultFor, keyIn, turnOf } from '../model/http.ts'
import { checkModel, snapshotOf } from '../model/models.ts'
import { promptOf, type Prompt } from '../model/prompt.ts'
import { read } from '../model/read-body.ts'
import { strike } from '../model/strike.ts'
import { sendJson, sendStream, type Frame } from '../model/turn.ts'
import { idOf } from '../model/vendor-id.ts'
import { CreateMessage, type Block } from './protocol.ts'

type Made = {
  readonly id: string
  readonly body: CreateMessage
  readonly answer: Answer
}

export const anthropic = modelDouble({
  name: 'anthropic',
  base: '/v1',
  key_prefix: 'sk-ant-sandbox-',
  key_header: 'x-api-key',
  id_header: 'request-id',
  bodyOf: ({ status, code, message }) =>
    errorOf(typeOf(status), code === 'context_length_exceeded' ? too_long : message),
  route: async (heard, { faults, pace }) => {
    if (heard.method !== 'POST' || heard.path !== '/v1/messages') {
      throw unknownUrl(heard.method, heard.path)
    }
    const body = read(CreateMessage, heard.body)
    checkVersion(heard.headers['anthropic-version'], body)
    const prompt = promptOfMessage(heard.path, body, keyIn(heard))
    checkModel(prompt, 'text')
    const fault = faultFor(faults, heard, prompt)
    if (fault && strike(heard.response, fault)) return
    const made = { id: idOf('msg'), body, answer: answerTo(prompt, fault) }
    const turn = turnOf(heard, fault, pace, (code, message) =>
      eventOf('error', errorOf(code, message)),
    )
    await (body.stream
      ? sendStream(turn, framesOf(made))
      : sendJson(turn, 200, messageOf(made, contentOf(made))))
  },
})

/** The newer version has no sampling parameters. */
function checkVersion(version: unknown, { temperature, top_p }: CreateMessage): void {
  if (version !== '2023-06-01' && version !== '2026-10-21') {
    throw new ApiError(400, 'anthropic-version: header is required')
  }
  if (version === '2026-10-21' && (temperature !== undefined || top_p !== undefined)) {
    throw new ApiError(400, 'temperature: Extra inputs are not permitted')
  }
}

const too_long = 'prompt is too long: 9 tokens > 8 maximum'

function errorOf(type: string, message: string) {
  return { type: 'error', error: { type, message } }
}

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}
const typeOf = (status: number) =>
  types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')

function blocksOf(content: string | Block[]): Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

const textOf = (blocks: readonly Block[]) =>
  blocks
    .map(one => {
      if (one.type === 'text') return one.text
      return one.type === 'tool_result' ? (one.content ?? '') : ''
    })
    .join('\n')

function promptOfMessage(path: string, body: CreateMessage, key: string | null): Prompt {
  const { messages, system = [], tools = [], tool_choice: choice, output_config } = body
  checkTurns(messages)
  const blocks = messages.flatMap(one => blocksOf(one.content))
  const choices = { auto: 'auto', any: 'required', none: 'none', tool: choice?.name ?? '' }
  const schema = output_config?.format?.schema
  return promptOf({
    path,
    model: body.model,
    instructions: typeof system === 'string' ? system : system.map(one => one.text).join('\n'),
    input: textOf(blocks),
    max_output_tokens: body.max_tokens,
    schema: schema ? { name: '', schema } : null,
    tools: tools.map(({ name, input_schema: parameters }) => ({ name, parameters })),
    tool_choice: choices[(choice?.type ?? 'auto') as keyof typeof choices],
    results: blocks.filter(one => one.type === 'tool_result').length,
    operation_id: key,
  })
}

/** Calls and results are in turns that follow each other, and thoughts come before the calls. */
function checkTurns(messages: CreateMessage['messages']): void {
  for (const [at, { role, content }] of messages.entries()) {
    if (role !== (at % 2 === 0 ? 'user' : 'assistant')) {
      throw new ApiError(400, `messages.${at}: roles must alternate`)
    }
    const blocks = blocksOf(content)
    const calls = blocks.filter(one => one.type === 'tool_use')
    if (role === 'user' || calls.length === 0) continue
    const next = blocksOf(messages[at + 1]?.content ?? '')
    const answered = next.flatMap(one => (one.type === 'tool_result' ? one.tool_use_id : []))
    const open = calls.find(({ id }) => !answered.includes(id))
    if (open) throw new ApiError(400, `messages.${at}: \`tool_use\` ids without result: ${open.id}`)
    checkThoughts(at, blocks, calls[0]?.id ?? '')
  }
}

const thinking = 'Where is the city? I have to look.'
const sign = (call: string) => createHmac('sha256', 'thoughts').update(call).digest('base64')
/** The ids of calls that a model of this vendor made after it had thought. */
const thoughtful = 'toolu_think_'

function checkThoughts(at: number, blocks: readonly Block[], call: string): void {
  const [first] = blocks
  if (!call.startsWith(thoughtful) && first?.type !== 'thinking') return
  if (first?.type !== 'thinking') {
    throw new ApiError(400, `messages.${at}.content.0: Expected \`thinking\`, but found another`)
  }
  if (first.thinking !== thinking || first.signature !== sign(call)) {
    throw new ApiError(400, `messages.${at}.content.0: Invalid \`signature\` in \`thinking\` block`)
  }
}

/** The arguments of a call as the model wrote them. */
type Called = Omit<Extract<Block, { type: 'tool_use' }>, 'input'> & { readonly input: string }
type Said = Extract<Block, { type: 'text' | 'thinking' }> | Called

function contentOf({ answer }: Made): Said[] {
  const { calls, deltas, usage } = answer
  if (calls.length === 0) return [{ type: 'text', text: deltas.join('') }]
  const thinks = (usage?.reasoning ?? 0) > 0
  const ids = calls.map(({ id }) => id.replace(/^call_/, thinks ? thoughtful : 'toolu_'))
  const used = calls.map((call, index) => ({
    type: 'tool_use' as const,
    id: ids[index] ?? '',
    name: call.name,
    input: call.arguments,
  }))
  const thought = { type: 'thinking' as const, thinking, signature: sign(ids[0] ?? '') }
  return thinks ? [thought, ...used] : used
}

function messageOf({ id, body, answer }: Made, content: Said[] | null): object {
  const parsed = content?.map(one =>
    one.type === 'tool_use' ? { ...one, input: JSON.parse(one.input) as unknown } : one,
  )
  return {
    id,
    type: 'message',
    role: 'assistant',
    model: snapshotOf(body.model),
    content: parsed ?? [],
    stop_reason: parsed ? reasonOf(answer) : null,
    stop_sequence: null,
    ...(answer.usage ? { usage: usageOf(answer.usage, parsed !== undefined) } : {}),
  }
}

function reasonOf({ calls, refused, ending }: Answer): string {
  if (calls.length > 0) return 'tool_use'
  if (refused || (ending.status === 'incomplete' && ending.reason === 'content_filter')) {
    return 'refusal'
  }
  return ending.status === 'incomplete' ? 'max_tokens' : 'end_turn'
}

/** The input without what the cache had. */
function usageOf({ input, cached, output, reasoning }: Usage, ended: boolean): object {
  return {
    input_tokens: input - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: ended ? output : 1,
    output_tokens_details: { thinking_tokens: ended ? reasoning : 0 },
  }
}

const eventOf = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`

function* framesOf(made: Made): Generator<Frame> {
  const { answer } = made
  const frame = (type: string, more: object = {}, kind: Frame['kind'] = 'other'): Frame => ({
    text: eventOf(type, { type, ...more }),
    kind,
  })
  yield frame('message_start', { message: messageOf(made, null) })
  yield frame('ping')
  for (const [index, block] of contentOf(made).entries()) {
    const delta = (type: string, more: object) =>
      frame('content_block_delta', { index, delta: { type, ...more } }, 'delta')
    yield frame('content_block_start', { index, content_block: emptied(block) })
    if (block.type === 'text') {
      for (const text of answer.deltas) yield delta('text_delta', { text })
    } else if (block.type === 'thinking') {
      for (const piece of halves(block.thinking)) yield delta('thinking_delta', { thinking: piece })
      yield delta('signature_delta', { signature: block.signature })
    } else if (block.type === 'tool_use') {
      for (const partial_json of halves(block.input)) {
        yield delta('input_json_delta', { partial_json })
      }
    }
    yield frame('content_block_stop', { index })
  }
  if (answer.ending.status === 'failed') {
    const { code, message } = answer.ending
    yield { text: eventOf('error', errorOf(code, message)), kind: 'other' }
    return
  }
  const usage = answer.usage ? { usage: usageOf(answer.usage, true) } : {}
  yield frame('message_delta', { delta: { stop_reason: reasonOf(answer) }, ...usage })
  yield frame('message_stop', {}, 'terminal')
}

function emptied(block: Said): object {
  if (block.type === 'text') return { ...block, text: '' }
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' }
  return { ...block, input: {} }
}

function halves(text: string): string[] {
  const half = Math.ceil(text.length / 2)
  return [text.slice(0, half), text.slice(half)]
}
