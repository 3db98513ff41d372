/** Turns a request of the Responses API into a call of the platform. */
import { readFormat, readTools } from '../../inferences/schemas.ts'
import { readDataUrl } from '../../operations/attachments.ts'
import { namedFile } from '../../operations/files.ts'
import { fileOf } from '../read-file.ts'
import type { Owner } from '../../operations/chain.ts'
import type { NewCall } from '../../operations/draft-call.ts'
import type { Input, Item, Part, ToolChoice } from '../../providers/form.ts'
import type { ResponseFormat } from '../../providers/provider.ts'
import type { Kernel } from '../../settings.ts'
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
  kernel: Pick<Kernel, 'keys' | 'db'>,
  owner: Owner,
  body: CreateResponse,
): Promise<Asked> {
  const { model, tools, tool_choice, text, instructions, metadata } = body
  const format = text?.format && (await formatOf(text.format))
  const offered = tools?.map(({ name, description, parameters, strict }) => ({
    name,
    schema: parameters ?? { type: 'object', properties: {} },
    ...given({ description, strict }),
  }))
  return {
    model,
    content: {
      input: await inputOf(kernel, owner, body.input),
      ...readTools(offered?.length ? offered : undefined, choiceOf(tool_choice), '/'),
      ...given({ instructions, response_format: format }),
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
