/** A call as the Responses API shows it: from memory, or from its row. */
import type { Reader } from '#dodeca/kernel'
import {
  answerOfRow,
  answerOfSettled,
  readActed,
  secondsOf,
  type Acted,
  type Answered,
} from '../../operations/answer.ts'
import type { Finished } from '../../operations/call-blocking.ts'
import { writtenOf, type Written } from '../../operations/call-streamed.ts'
import { readContent, readOutput, type Content } from '../../operations/contents.ts'
import type { OperationRow } from '../../operations/read-operation.ts'
import type { Sealed, ToolCall } from '../../providers/form.ts'
import type { Kernel } from '../../settings.ts'
import { problem } from '../../errors.ts'
import { isError, type Performable } from '../../tools/steps.ts'
import { sealThoughts } from '../sealed.ts'
import type { Output, ResponseView } from './schemas.ts'

type Keys = Pick<Kernel, 'keys' | 'public_url'>

export async function responseOf(
  reader: Reader,
  kernel: Keys,
  done: Finished,
): Promise<ResponseView> {
  if (!('ended' in done)) {
    return ended(viewOf(kernel, done.call), kernel, done.call.tenant_id, answerOfSettled(done))
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
  const view = viewOf(kernel, writtenOf(row, content))
  if (row.completed_at === null) return view
  if (row.state === 'succeeded') {
    const output = (await readOutput(reader, kernel, row)) ?? { text: '' }
    return ended(
      view,
      kernel,
      row.tenant_id,
      answerOfRow(row, output, await readActed(reader, kernel, row)),
    )
  }
  if (row.state === 'cancelled') return { ...view, status: 'cancelled' }
  return failed(view, row.error_code ?? 'service_unavailable')
}

/** Before its end. */
export function viewOf(kernel: Pick<Kernel, 'public_url'>, call: Written): ResponseView {
  const { content, parameters } = call
  const { tool_choice = 'auto', instructions = null, response_format } = content
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
    tools: shownTools(kernel, content),
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
  const { text, tool_calls = [], sealed = [] } = output.of_step ? { text: '' } : output
  const status = finish_reason === 'length' ? 'incomplete' : 'completed'
  const acted = actedIn(kernel, tenant_id, view.id, answer.acted)
  const spoken = acted.filter(one => one.type === 'message').length
  return {
    ...view,
    status,
    model: answer.model,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    output: [
      ...acted,
      ...(text === '' ? [] : [messageOf(messageId(view.id, spoken), text, status)]),
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

function shownTools(
  { public_url }: Pick<Kernel, 'public_url'>,
  { tools = [], operations = {} }: Content,
): unknown[] {
  const own = tools.filter(one => !operations[one.name])
  const functions = own.map(({ name, description = null, schema, strict = null }) => {
    return { type: 'function', name, description, parameters: schema, strict }
  })
  const named = Object.keys(operations)
  if (named.length === 0) return functions
  const never = named.filter(name => operations[name] === 'none')
  const free = never.length === 0 ? 'always' : { never: { tool_names: never } }
  const server = { type: 'mcp', server_label, server_url: `${public_url}/mcp` }
  return [...functions, { ...server, allowed_tools: named, require_approval: free }]
}

/** What the platform performed, in the order in which a stream shows it. */
function actedIn(kernel: Keys, tenant_id: string, id: string, acted: Acted): Output[] {
  const items = acted.answered.filter(hasResult).map(one => performedOf(one, one.id))
  let spoken = 0
  for (const [at, { text, sealed, tool_calls, calls }] of acted.steps.entries()) {
    if (text !== '') items.push(messageOf(messageId(id, spoken++), text, 'completed'))
    for (const one of sealed) items.push(thoughtOf(kernel, tenant_id, `${id}_${at}`, one, 0))
    const own = tool_calls.filter(one => !calls.some(call => call.id === one.id))
    items.push(
      ...own.map(calledOf),
      ...calls.filter(hasResult).map(one => performedOf(one)),
      ...calls.filter(one => !hasResult(one)).map(askedOf),
    )
  }
  return items
}

const hasResult = ({ output }: Performable) => output !== null
const server_label = 'dodeca' as const

/** An operation that the platform has performed. */
export function performedOf(call: Performable, approval_request_id: string | null = null): Output {
  const { id, name, arguments: said, output } = call
  const failed = isError(call)
  return {
    type: 'mcp_call',
    id: `mcp_${id}`,
    server_label,
    name,
    arguments: said,
    approval_request_id,
    status: failed ? 'failed' : 'completed',
    output: failed ? null : output,
    error: failed ? output : null,
  }
}

export function askedOf({ id, name, arguments: said }: ToolCall): Output {
  return { type: 'mcp_approval_request', id, server_label, name, arguments: said }
}

/** `before` counts the messages before it. */
export const messageId = (id: string, before: number) =>
  before === 0 ? `msg_${id}` : `msg_${id}_${before}`

export function messageOf(id: string, text: string, status: string): Output {
  const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }]
  return { type: 'message', id, status, role: 'assistant', content }
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
