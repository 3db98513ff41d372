/** A call as the Responses API shows it: from memory, or from its row. */
import type { Reader } from '#dodeca/kernel'
import { answerOfRow, answerOfSettled, secondsOf, type Answered } from '../../operations/answer.ts'
import type { Finished } from '../../operations/call-blocking.ts'
import { writtenOf, type Written } from '../../operations/call-streamed.ts'
import { readContent, readOutput, type Content } from '../../operations/contents.ts'
import type { OperationRow } from '../../operations/read-operation.ts'
import type { Sealed, ToolCall } from '../../providers/form.ts'
import type { Kernel } from '../../settings.ts'
import { problem } from '../../errors.ts'
import { sealThoughts } from '../sealed.ts'
import type { Output, ResponseView } from './schemas.ts'

type Keys = Pick<Kernel, 'keys'>

export async function responseOf(
  reader: Reader,
  kernel: Keys,
  done: Finished,
): Promise<ResponseView> {
  if (!('ended' in done)) {
    return ended(viewOf(done.call), kernel, done.call.tenant_id, answerOfSettled(done))
  }
  return await storedResponse(reader, kernel, done.ended)
}

/** A call in any state. One that succeeded is not found once its contents were deleted. */
export async function storedResponse(
  reader: Reader,
  kernel: Keys,
  row: OperationRow,
): Promise<ResponseView> {
  const text = await readContent(reader, kernel, row.tenant_id, row.input_ref)
  if (text === undefined && row.state === 'succeeded') throw problem('inference_not_found')
  const content = text === undefined ? { input: '' } : (JSON.parse(text) as Content)
  const view = viewOf(writtenOf(row, content))
  if (row.completed_at === null) return view
  if (row.state === 'succeeded') {
    const output = (await readOutput(reader, kernel, row)) ?? { text: '' }
    return ended(view, kernel, row.tenant_id, answerOfRow(row, output))
  }
  if (row.state === 'cancelled') return { ...view, status: 'cancelled' }
  return failed(view, row.error_code ?? 'service_unavailable')
}

/** Before its end. */
export function viewOf(call: Written): ResponseView {
  const { content, parameters } = call
  const { tools = [], tool_choice = 'auto', instructions = null, response_format } = content
  return {
    id: call.id,
    object: 'response',
    created_at: secondsOf(call.created_at),
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions,
    max_output_tokens: parameters.max_output_tokens,
    metadata: { ...call.metadata },
    model: call.model,
    output: [],
    parallel_tool_calls: parameters.parallel_tool_calls ?? true,
    previous_response_id: call.previous_id,
    reasoning: { effort: parameters.reasoning_effort ?? null, summary: null },
    service_tier: 'default',
    store: call.store,
    temperature: parameters.temperature ?? null,
    text: { format: response_format ?? { type: 'text' } },
    tool_choice:
      typeof tool_choice === 'string' ? tool_choice : { type: 'function', name: tool_choice.name },
    tools: tools.map(({ name, description = null, schema, strict = null }) => ({
      type: 'function',
      name,
      description,
      parameters: schema,
      strict,
    })),
    top_p: parameters.top_p ?? null,
    truncation: 'disabled',
    usage: null,
  }
}

export function ended(
  view: ResponseView,
  kernel: Keys,
  tenant_id: string,
  answer: Answered,
): ResponseView {
  const { usage, finish_reason, output } = answer
  const { text, tool_calls = [], sealed = [] } = output
  const status = finish_reason === 'length' ? 'incomplete' : 'completed'
  return {
    ...view,
    status,
    model: answer.model,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    output: [
      ...(text === '' ? [] : [messageOf(view.id, text, status)]),
      ...sealed.map((one, at) => thoughtOf(kernel, tenant_id, view.id, one, at)),
      ...tool_calls.map(calledOf),
    ],
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cached_input },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: usage.reasoning },
      total_tokens: usage.input + usage.output,
    },
  }
}

export function failed(view: ResponseView, code: string): ResponseView {
  const message = `The call did not end: ${code}. Its text is not complete.`
  return { ...view, status: 'failed', error: { code, message } }
}

export const messageId = (id: string) => `msg_${id}`

export function messageOf(id: string, text: string, status: string): Output {
  const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }]
  return { type: 'message', id: messageId(id), status, role: 'assistant', content }
}

export function calledOf({ id, name, arguments: said }: ToolCall): Output {
  return {
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    name,
    arguments: said,
    status: 'completed',
  }
}

export function thoughtOf(
  kernel: Keys,
  tenant_id: string,
  id: string,
  sealed: Sealed,
  at: number,
): Output {
  const encrypted_content = sealThoughts(kernel, tenant_id, sealed)
  return { type: 'reasoning', id: `rs_${id}_${at}`, summary: [], encrypted_content }
}
