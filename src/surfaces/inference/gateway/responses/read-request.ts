/** Turns a request of the Responses API into a call of the platform. */
import { readFormat, readTools } from '../../inferences/schemas.ts'
import { readDataUrl } from '../../operations/attachments.ts'
import { namedFile } from '../../operations/files.ts'
import { fileOf } from '../read-file.ts'
import type { Owner } from '../../operations/chain.ts'
import type { NewCall } from '../../operations/draft-call.ts'
import type { Input, Item, Part, Tool, ToolChoice } from '../../providers/form.ts'
import type { ResponseFormat } from '../../providers/provider.ts'
import type { Kernel } from '../../settings.ts'
import type { Approval, Operations } from '../../operations/contents.ts'
import { noTool, operationTool } from '../../tools/offer.ts'
import { calls_output_default, given, missing } from '../dialect.ts'
import { openThoughts } from '../sealed.ts'
import { readReferenced } from './read-referenced.ts'
import type { CreateResponse } from './schemas.ts'

type Asked = Pick<
  NewCall,
  'model' | 'content' | 'parameters' | 'store' | 'metadata' | 'pointer' | 'previous_id'
>
type GivenItem = Exclude<CreateResponse['input'], string>[number]

export async function readResponse(
  kernel: Pick<Kernel, 'keys' | 'db' | 'public_url' | 'tools'>,
  owner: Owner,
  body: CreateResponse,
): Promise<Asked> {
  const { model, tool_choice, text, instructions, metadata } = body
  const format = text?.format && (await formatOf(text.format))
  const { tools, operations } = toolsOf(kernel, body.tools ?? [])
  const approvals = approvalsIn(body.input)
  return {
    model,
    content: {
      input: await inputOf(kernel, owner, body.input),
      ...readTools(tools.length > 0 ? tools : undefined, choiceOf(tool_choice), '/'),
      ...given({ instructions, response_format: format, operations, approvals }),
    },
    parameters: {
      max_output_default: calls_output_default,
      ...given({
        max_output_tokens: body.max_output_tokens,
        temperature: body.temperature,
        top_p: body.top_p,
        reasoning_effort: body.reasoning?.effort,
        parallel_tool_calls: body.parallel_tool_calls,
        prompt_cache_key: body.prompt_cache_key,
      }),
    },
    store: body.store ?? true,
    pointer: '/input',
    ...given({ metadata, previous_id: body.previous_response_id }),
  }
}

async function inputOf(
  kernel: Pick<Kernel, 'keys' | 'db'>,
  owner: Owner,
  input: CreateResponse['input'],
): Promise<Input> {
  if (typeof input === 'string') return input
  const { tenant_id } = owner
  const referenced = await readReferenced(kernel, owner, input)
  return input.flatMap((item, at): Item[] => {
    const { type = 'message', encrypted_content: sealed } = item
    if (type === 'item_reference') return referenced(item.id ?? '')
    if (type === 'mcp_approval_response') return []
    if (type !== 'reasoning') return itemOf(type, item, `/input/${at}`)
    // Thoughts that cannot be read have no text either.
    if (sealed === undefined || sealed === null) return []
    return [openThoughts(kernel, tenant_id, sealed, `/input/${at}/encrypted_content`)]
  })
}

function itemOf(
  type: 'message' | 'function_call' | 'function_call_output',
  { role, content, call_id: id, name, arguments: said, output }: GivenItem,
  at: string,
): Item[] {
  if (type === 'function_call') {
    if (id === undefined) throw missing(`${at}/call_id`)
    if (name === undefined) throw missing(`${at}/name`)
    if (said === undefined) throw missing(`${at}/arguments`)
    return [{ type: 'tool_call', id, name, arguments: said }]
  }
  if (type === 'function_call_output') {
    if (id === undefined) throw missing(`${at}/call_id`)
    if (output === undefined) throw missing(`${at}/output`)
    return [{ type: 'tool_result', id, output }]
  }
  if (role === undefined) throw missing(`${at}/role`)
  if (content === undefined || content === null) throw missing(`${at}/content`)
  const parts: Part[] =
    typeof content === 'string'
      ? [{ type: 'text', text: content }]
      : content.map((part, index) => partOf(part, `${at}/content/${index}`))
  return [{ type, role: role === 'developer' ? 'system' : role, parts }]
}

type GivenTool = NonNullable<CreateResponse['tools']>[number]
type Approves = 'ask' | 'none'
type Offered = { readonly tools: readonly Tool[]; readonly operations: Operations | undefined }

function toolsOf(
  kernel: Pick<Kernel, 'public_url' | 'tools'>,
  asked: readonly GivenTool[],
): Offered {
  const operations: Record<string, Approves> = {}
  const tools = asked.flatMap((tool, at): Tool[] => {
    const { type, name, description, parameters, strict } = tool
    if (type === 'mcp') {
      const named = operationsIn(kernel, tool, `/tools/${at}`)
      for (const [one, approval] of named) operations[one] = approval
      return named.map(([one]) => operationTool(kernel, one, `/tools/${at}/allowed_tools`))
    }
    if (name === undefined) throw missing(`/tools/${at}/name`)
    const schema = parameters ?? { type: 'object', properties: {} }
    return [{ name, schema, ...given({ description, strict }) }]
  })
  return { tools, operations: Object.keys(operations).length === 0 ? undefined : operations }
}

/** No other server is called: it would get texts of the caller. */
function operationsIn(
  { public_url }: Pick<Kernel, 'public_url'>,
  { server_label, server_url, allowed_tools, require_approval: asks }: GivenTool,
  at: string,
): [string, Approves][] {
  if (server_label === undefined) throw missing(`${at}/server_label`)
  if (server_url !== `${public_url}/mcp`) {
    throw noTool(
      `${at}/server_url`,
      `Only the tools of the platform are called: ${public_url}/mcp.`,
    )
  }
  if (allowed_tools === undefined) throw missing(`${at}/allowed_tools`)
  const never = typeof asks === 'object' && asks !== null ? (asks.never?.tool_names ?? []) : []
  const isFree = (name: string) => asks === 'never' || never.includes(name)
  return allowed_tools.map(name => [name, isFree(name) ? 'none' : 'ask'])
}

function approvalsIn(input: CreateResponse['input']): readonly Approval[] | undefined {
  if (typeof input === 'string') return undefined
  const found = input.flatMap(({ type, approval_request_id: id, approve }, at) => {
    if (type !== 'mcp_approval_response') return []
    if (id === undefined) throw missing(`/input/${at}/approval_request_id`)
    if (approve === undefined) throw missing(`/input/${at}/approve`)
    return { id, approve }
  })
  return found.length === 0 ? undefined : found
}

type GivenPart = Exclude<NonNullable<GivenItem['content']>, string>[number]

function partOf({ type, text, image_url, ...file }: GivenPart, at: string): Part {
  if (type === 'input_image') {
    if (file.file_id && !image_url) return namedFile('image', file.file_id)
    if (!image_url) throw missing(`${at}/image_url`)
    return readDataUrl(`${at}/image_url`, image_url, undefined)
  }
  if (type === 'input_file') return fileOf(file, at)
  if (text === undefined) throw missing(`${at}/text`)
  return { type: 'text', text }
}

function choiceOf(choice: CreateResponse['tool_choice']): ToolChoice | undefined {
  if (choice === undefined || choice === null) return undefined
  return typeof choice === 'string' ? choice : { name: choice.name }
}

type Format = NonNullable<NonNullable<CreateResponse['text']>['format']>

async function formatOf({ type, name, schema, description }: Format): Promise<ResponseFormat> {
  if (type !== 'json_schema') return { type }
  if (name === undefined) throw missing('/text/format/name')
  if (schema === undefined) throw missing('/text/format/schema')
  return { ...(await readFormat({ type, name, schema })), ...given({ description }) }
}
