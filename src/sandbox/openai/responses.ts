/** The Responses API: the object, its stream of events, and background responses with their webhooks. */
import { answerTo, type Answer, type ToolCall } from '../model/answer.ts'
import { ApiError, unknownResponse } from '../model/api-error.ts'
import { promptOfResponse } from './prompt.ts'
import type { CreateResponse } from './protocol.ts'
import { snapshotOf } from '../model/models.ts'
import type { StoredResponse } from './store.ts'
import type { Frame } from '../model/turn.ts'
import { idOf } from '../model/vendor-id.ts'
import type { Vended } from './vended.ts'
import type { FaultRule } from '../model/faults.ts'

/** A created response. Every repeat of its request gets the same one. */
export type Made = Omit<StoredResponse, 'status' | 'ends_ms'>

export function makeResponse(
  body: CreateResponse,
  { key, fault, now_ms }: { key: string | null; fault: FaultRule | undefined; now_ms: number },
): Made {
  return {
    id: idOf('resp'),
    message_id: idOf('msg'),
    created_at: Math.floor(now_ms / 1000),
    body,
    answer: answerTo(promptOfResponse('/v1/responses', body, key), fault),
  }
}

type Status = Answer['ending']['status'] | 'queued' | 'in_progress' | 'cancelled'

export function viewOf({ id, message_id, created_at, body, answer }: Made, status: Status): object {
  const ended = status === answer.ending.status
  const { ending } = answer
  const output = ended && ending.status !== 'failed' ? outputOf(body, message_id, answer) : []
  return {
    id,
    object: 'response',
    created_at,
    status,
    background: body.background ?? false,
    error:
      ended && ending.status === 'failed' ? { code: ending.code, message: ending.message } : null,
    incomplete_details: ended && ending.status === 'incomplete' ? { reason: ending.reason } : null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: body.metadata ?? {},
    model: snapshotOf(body.model),
    output,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: null },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: body.text?.format ?? { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_p: body.top_p ?? 1,
    truncation: 'disabled',
    usage: ended ? usageOf(answer) : null,
  }
}

/** What a model thought before a call comes back encrypted, and has to be sent with the result. */
function outputOf(body: CreateResponse, message_id: string, answer: Answer): object[] {
  const { calls, deltas, refused, ending } = answer
  if (calls.length === 0) return [messageOf(message_id, deltas.join(''), refused, ending.status)]
  const is_asked = body.include?.includes('reasoning.encrypted_content') ?? false
  const thought = {
    type: 'reasoning',
    id: `rs_${calls[0]?.id}`,
    summary: [],
    encrypted_content: Buffer.from(`thought before ${calls[0]?.id}`).toString('base64'),
  }
  const thinks = is_asked && (answer.usage?.reasoning ?? 0) > 0
  return [...(thinks ? [thought] : []), ...calls.map(calledOf)]
}

const calledOf = ({ id, name, arguments: said }: ToolCall) => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: said,
  status: 'completed',
})

function messageOf(id: string, said: string, refused: boolean, status: string): object {
  const content = refused
    ? { type: 'refusal', refusal: said }
    : { type: 'output_text', text: said, annotations: [], logprobs: [] }
  return { type: 'message', id, status, role: 'assistant', content: [content] }
}

function usageOf({ usage }: Answer): object | null {
  if (!usage) return null
  const { input, cached, output, reasoning } = usage
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  }
}

export function* responseFrames(made: Made): Generator<Frame> {
  const { message_id: item_id, answer } = made
  const { deltas, refused, ending } = answer
  const said = deltas.join('')
  const place = { item_id, output_index: 0, content_index: 0 }
  const part = (text: string) =>
    refused ? { type: 'refusal', refusal: text } : { type: 'output_text', text, annotations: [] }
  let sequence_number = 0
  const frame = (type: string, more: object, kind: Frame['kind'] = 'other'): Frame => ({
    text: `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...more })}\n\n`,
    kind,
  })
  const item = { id: item_id, type: 'message', role: 'assistant' }
  yield frame('response.created', { response: viewOf(made, 'in_progress') })
  yield frame('response.in_progress', { response: viewOf(made, 'in_progress') })
  if (answer.calls.length > 0) {
    for (const [output_index, done] of outputOf(made.body, item_id, answer).entries()) {
      yield frame('response.output_item.added', { output_index, item: done })
      yield frame('response.output_item.done', { output_index, item: done }, 'delta')
    }
    const response = viewOf(made, ending.status)
    yield frame(`response.${ending.status}`, { response }, 'terminal')
    return
  }
  yield frame('response.output_item.added', {
    output_index: 0,
    item: { ...item, status: 'in_progress', content: [] },
  })
  yield frame('response.content_part.added', { ...place, part: part('') })
  const type = refused ? 'response.refusal' : 'response.output_text'
  for (const delta of deltas)
    yield frame(`${type}.delta`, { ...place, delta, logprobs: [] }, 'delta')
  if (ending.status !== 'failed') {
    yield frame(`${type}.done`, { ...place, [refused ? 'refusal' : 'text']: said })
    yield frame('response.content_part.done', { ...place, part: part(said) })
    const message = messageOf(item_id, said, refused, ending.status)
    yield frame('response.output_item.done', { output_index: 0, item: message })
  }
  const response = viewOf(made, ending.status)
  yield frame(`response.${ending.status}`, { response }, 'terminal')
}

export function storedView({ status, ...made }: StoredResponse): object {
  return viewOf(made, status === 'completed' ? made.answer.ending.status : status)
}

export function found({ store }: Vended, id: string): StoredResponse {
  const stored = store.get('response', id)
  if (!stored) throw unknownResponse(id)
  return stored
}

/** Stores a background response, which ends later by itself. */
export function queue(vended: Vended, made: Made, wait_ms?: number): object {
  const { store, clock, config, queued } = vended
  if (made.body.store === false) {
    throw new ApiError(400, 'Background responses must be stored.', { param: 'store' })
  }
  const ends_ms = clock.nowMs() + (wait_ms ?? config().background_ms)
  const stored = { ...made, status: 'queued' as const, ends_ms }
  store.change(change => change.put('response', made.id, stored))
  queued.add(made.id)
  return storedView(stored)
}

/** Ends the background responses that are due, or the one with the given id. */
export function endDue(vended: Vended, only?: string): void {
  const { store, clock, queued, deliveries } = vended
  const now_ms = clock.nowMs()
  for (const id of queued) {
    const one = store.get('response', id)
    if (one && id !== only && one.ends_ms > now_ms) continue
    queued.delete(id)
    if (one?.status !== 'queued') continue
    store.change(change => {
      change.put('response', id, { ...one, status: 'completed' })
      deliveries.add(change, id, `response.${one.answer.ending.status}`)
    })
    deliveries.wake()
  }
}

/** Has no effect on a response that has ended. */
export function cancel(vended: Vended, id: string): object {
  const stored = found(vended, id)
  if (!stored.body.background) {
    throw new ApiError(400, 'Cannot cancel a synchronous response.', { param: 'id' })
  }
  if (stored.status !== 'queued') return storedView(stored)
  const cancelled = { ...stored, status: 'cancelled' as const }
  vended.store.change(change => {
    change.put('response', id, cancelled)
    vended.deliveries.add(change, id, 'response.cancelled')
  })
  vended.deliveries.wake()
  return storedView(cancelled)
}
