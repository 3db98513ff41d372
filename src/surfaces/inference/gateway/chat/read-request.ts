/** Turns a request of Chat Completions into a call of the platform. */
import { readFormat, readTools } from '../../inferences/schemas.ts'
import { readDataUrl } from '../../operations/attachments.ts'
import { fileOf } from '../read-file.ts'
import type { NewCall } from '../../operations/draft-call.ts'
import type { Item, Part, Tool, ToolChoice } from '../../providers/form.ts'
import type { ResponseFormat } from '../../providers/provider.ts'
import { calls_output_default, given, missing, unsupported } from '../dialect.ts'
import type { CreateChat } from './schemas.ts'

type Message = CreateChat['messages'][number]
type Asked = Pick<NewCall, 'model' | 'content' | 'parameters' | 'store' | 'metadata' | 'pointer'>

export async function readChat(body: CreateChat): Promise<Asked> {
  const { model, messages, tools, tool_choice, response_format, stop, metadata } = body
  const format = response_format && (await formatOf(response_format))
  const most = body.max_completion_tokens ?? body.max_tokens ?? undefined
  return {
    model,
    content: {
      input: messages.flatMap((one, at) => itemsOf(one, `/messages/${at}`)),
      ...readTools(tools?.length ? tools.map(toolOf) : undefined, choiceOf(tool_choice), '/'),
      ...given({ response_format: format }),
    },
    parameters: {
      max_output_default: calls_output_default,
      ...given({
        max_output_tokens: most,
        temperature: body.temperature,
        top_p: body.top_p,
        stop: typeof stop === 'string' ? [stop] : stop,
        seed: body.seed,
        reasoning_effort: body.reasoning_effort,
        parallel_tool_calls: body.parallel_tool_calls,
        prompt_cache_key: body.prompt_cache_key,
        include_usage: body.stream_options?.include_usage,
      }),
    },
    store: body.store ?? false,
    pointer: '/messages',
    ...given({ metadata }),
  }
}

function itemsOf({ role, content, name, ...calling }: Message, at: string): Item[] {
  const { tool_call_id, tool_calls } = calling
  if (name !== undefined && role !== 'tool') throw unsupported(`${at}/name`)
  if (role === 'tool') {
    if (tool_call_id === undefined) throw missing(`${at}/tool_call_id`)
    const parts = partsOf(content, `${at}/content`)
    const output = parts.map(part => (part.type === 'text' ? part.text : '')).join('')
    return [{ type: 'tool_result', id: tool_call_id, output }]
  }
  const calls = (tool_calls ?? []).map(({ id, function: { name, arguments: said } }) => ({
    type: 'tool_call' as const,
    id,
    name,
    arguments: said,
  }))
  const parts = partsOf(content, `${at}/content`)
  if (parts.length === 0 && calls.length === 0) throw missing(`${at}/content`)
  const own = role === 'developer' ? 'system' : role
  return [...(parts.length > 0 ? [{ type: 'message' as const, role: own, parts }] : []), ...calls]
}

function partsOf(content: Message['content'], at: string): Part[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.map(({ type, text, image_url, file }, index) => {
    const pointer = `${at}/${index}`
    if (type === 'text') {
      if (text === undefined) throw missing(`${pointer}/text`)
      return { type, text }
    }
    if (type === 'image_url') {
      if (image_url === undefined) throw missing(`${pointer}/image_url`)
      return readDataUrl(`${pointer}/image_url/url`, image_url.url, undefined)
    }
    if (file === undefined) throw missing(`${pointer}/file`)
    return fileOf(file, `${pointer}/file`)
  })
}

function toolOf({ function: one }: NonNullable<CreateChat['tools']>[number]): Tool {
  const { name, description, parameters, strict } = one
  const schema = parameters ?? { type: 'object', properties: {} }
  return { name, schema, ...given({ description, strict }) }
}

function choiceOf(choice: CreateChat['tool_choice']): ToolChoice | undefined {
  if (choice === undefined || choice === null) return undefined
  return typeof choice === 'string' ? choice : { name: choice.function.name }
}

type Format = NonNullable<CreateChat['response_format']>

async function formatOf({ type, json_schema: asked }: Format): Promise<ResponseFormat> {
  if (type !== 'json_schema') return { type }
  if (!asked) throw missing('/response_format/json_schema')
  const { name, schema, description } = asked
  const format = await readFormat({ type, name, schema })
  return { ...format, ...given({ description }) }
}
