/** The prompt of a request to OpenAI, whichever endpoint received it. */
import { ApiError } from '../model/api-error.ts'
import { promptOf, type Prompt } from '../model/prompt.ts'
import { textOf, type CreateChat, type CreateResponse } from './protocol.ts'

const any_object = {
  name: '',
  schema: { type: 'object', properties: { answer: { type: 'string' } } },
}
type Format = { readonly name?: string; readonly schema?: Record<string, unknown> }

function schemaOf(type: string | undefined, format: Format | undefined): Prompt['schema'] {
  if (type === 'json_object') return any_object
  if (type !== 'json_schema') return null
  return { name: format?.name ?? '', schema: format?.schema ?? {} }
}

const output_tokens_max = 1_000_000

export function promptOfResponse(path: string, body: CreateResponse, key: string | null): Prompt {
  const { input, instructions, max_output_tokens, text } = body
  const items = typeof input === 'string' ? [] : input
  const said = typeof input === 'string' ? input : items.map(textOfItem).join('\n')
  const format = text?.format
  const [calls, results] = [
    items.flatMap(one => ('call_id' in one && 'name' in one ? one.call_id : [])),
    items.flatMap(one => ('call_id' in one && 'output' in one ? one.call_id : [])),
  ]
  checkCalls(calls, results)
  const { tool_choice: choice = 'auto' } = body
  return promptOf({
    path,
    model: body.model,
    instructions: instructions ?? '',
    input: said,
    max_output_tokens: max_output_tokens ?? output_tokens_max,
    schema: schemaOf(format?.type, format),
    tools: (body.tools ?? []).map(one => ({ name: one.name, parameters: one.parameters ?? {} })),
    tool_choice: typeof choice === 'string' ? choice : choice.name,
    results: results.length,
    operation_id: operationOf(body.metadata) ?? key,
  })
}

type ResponseItem = Exclude<CreateResponse['input'], string>[number]

function textOfItem(item: ResponseItem): string {
  if ('content' in item) return textOf(item.content)
  return 'output' in item ? item.output : ''
}

/** Every call has one result, and every result its call. */
function checkCalls(calls: readonly string[], results: readonly string[]): void {
  const open = calls.find(id => !results.includes(id))
  const lost = results.find(id => !calls.includes(id))
  if (open !== undefined) {
    throw new ApiError(400, `No tool output found for function call ${open}.`, { param: 'input' })
  }
  if (lost !== undefined) {
    throw new ApiError(400, `No tool call found for function call output with call_id ${lost}.`, {
      param: 'input',
    })
  }
}

export function promptOfChat(path: string, body: CreateChat, key: string | null): Prompt {
  const { messages, max_tokens, max_completion_tokens, response_format } = body
  const from = (users: boolean) =>
    messages
      .filter(one => (one.role === 'system' || one.role === 'developer') !== users)
      .map(one => textOf(one.content))
      .join('\n')
  const format = response_format?.json_schema
  const results = messages.flatMap(one => one.tool_call_id ?? [])
  checkCalls(
    messages.flatMap(one => (one.tool_calls ?? []).map(call => call.id)),
    results,
  )
  const { tool_choice: choice = 'auto' } = body
  return promptOf({
    path,
    model: body.model,
    instructions: from(false),
    input: from(true),
    max_output_tokens: max_completion_tokens ?? max_tokens ?? output_tokens_max,
    schema: schemaOf(response_format?.type, format),
    tools: (body.tools ?? []).map(({ function: one }) => ({
      name: one.name,
      parameters: one.parameters ?? {},
    })),
    tool_choice: typeof choice === 'string' ? choice : choice.function.name,
    results: results.length,
    operation_id: operationOf(body.metadata) ?? key,
  })
}

export function promptOfTexts(
  path: string,
  model: string,
  texts: readonly string[],
  key: string | null,
): Prompt {
  const input = texts.join('\n')
  return promptOf({
    path,
    model,
    instructions: '',
    input,
    max_output_tokens: 0,
    schema: null,
    tools: [],
    tool_choice: 'none',
    results: 0,
    operation_id: key,
  })
}

function operationOf(metadata: unknown): string | null {
  const id = (metadata as { operation_id?: unknown } | null | undefined)?.operation_id
  return typeof id === 'string' ? id : null
}
