/** Turns a request of the Messages API into a call of the platform. */
import { readFormat, readTools } from '../../inferences/schemas.ts'
import { readFile } from '../../operations/attachments.ts'
import { namedFile } from '../../operations/files.ts'
import type { Content } from '../../operations/contents.ts'
import type { NewCall } from '../../operations/draft-call.ts'
import type { Item, Part, ToolChoice } from '../../providers/form.ts'
import type { Kernel } from '../../settings.ts'
import { given, missing } from '../dialect.ts'
import { openThoughts } from '../sealed.ts'
import type { CountTokens, CreateMessage } from './schemas.ts'

type Asked = Pick<NewCall, 'model' | 'content' | 'parameters' | 'store' | 'pointer'>
type Turn = CountTokens['messages'][number]
type Block = Exclude<Turn['content'], string>[number]
type Reading = { readonly kernel: Pick<Kernel, 'keys'>; readonly tenant_id: string }

export async function readMessage(reading: Reading, body: CreateMessage): Promise<Asked> {
  const { model, stop_sequences: stop, tool_choice: choice } = body
  return {
    model,
    content: await readContents(reading, body),
    parameters: {
      max_output_tokens: body.max_tokens,
      ...given({
        temperature: body.temperature,
        top_p: body.top_p,
        stop: stop?.length ? stop : undefined,
        reasoning_effort: body.output_config?.effort,
        parallel_tool_calls: choice?.disable_parallel_tool_use ? false : undefined,
      }),
    },
    store: false,
    pointer: '/messages',
  }
}

export async function readContents(reading: Reading, body: CountTokens): Promise<Content> {
  const { system, tools, tool_choice, output_config, messages } = body
  const schema = output_config?.format?.schema
  const format = schema && (await readFormat({ type: 'json_schema', name: 'output', schema }))
  const offered = tools?.map(({ name, description, input_schema, strict }) => ({
    name,
    schema: input_schema,
    ...given({ description, strict }),
  }))
  const instructions =
    typeof system === 'string' ? system : system?.map(one => one.text).join('\n\n')
  return {
    input: messages.flatMap((turn, at) => itemsOf(reading, turn, `/messages/${at}`)),
    ...readTools(offered?.length ? offered : undefined, choiceOf(tool_choice), '/'),
    ...(instructions ? { instructions } : {}),
    ...given({ response_format: format }),
  }
}

/** Blocks that follow each other and are no calls and no results are one message. */
function itemsOf(reading: Reading, { role, content }: Turn, at: string): Item[] {
  const blocks: readonly Block[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const items: Item[] = []
  let parts: Part[] = []
  const close = () => {
    if (parts.length > 0) items.push({ type: 'message', role, parts })
    parts = []
  }
  for (const [index, block] of blocks.entries()) {
    const pointer = `${at}/content/${index}`
    const item = itemOf(reading, block, pointer)
    if (item === undefined) {
      const part = partOf(block, pointer)
      if (part) parts.push(part)
      continue
    }
    close()
    items.push(item)
  }
  close()
  return items
}

/** Undefined if the block is part of a message. */
function itemOf({ kernel, tenant_id }: Reading, block: Block, at: string): Item | undefined {
  const { type, id, name, input, tool_use_id, content, is_error, data } = block
  if (type === 'tool_use') {
    if (id === undefined) throw missing(`${at}/id`)
    if (name === undefined) throw missing(`${at}/name`)
    return { type: 'tool_call', id, name, arguments: JSON.stringify(input ?? {}) }
  }
  if (type === 'tool_result') {
    if (tool_use_id === undefined) throw missing(`${at}/tool_use_id`)
    const output =
      typeof content === 'string' ? content : (content ?? []).map(one => one.text).join('\n')
    return { type: 'tool_result', id: tool_use_id, output, ...given({ is_error }) }
  }
  if (type !== 'redacted_thinking') return undefined
  if (data === undefined) throw missing(`${at}/data`)
  return openThoughts(kernel, tenant_id, data, `${at}/data`)
}

function partOf({ type, text, source, title }: Block, at: string): Part | undefined {
  if (type === 'text') {
    if (text === undefined) throw missing(`${at}/text`)
    return text === '' ? undefined : { type, text }
  }
  if (source === undefined) throw missing(`${at}/source`)
  const { media_type, data, file_id } = source
  if (source.type === 'file') {
    if (file_id === undefined) throw missing(`${at}/source/file_id`)
    return namedFile(type === 'image' ? 'image' : 'document', file_id)
  }
  if (media_type === undefined) throw missing(`${at}/source/media_type`)
  if (data === undefined) throw missing(`${at}/source/data`)
  return readFile(`${at}/source`, media_type, data, title ?? undefined)
}

function choiceOf(choice: CountTokens['tool_choice']): ToolChoice | undefined {
  if (!choice) return undefined
  if (choice.type === 'any') return 'required'
  if (choice.type !== 'tool') return choice.type
  if (choice.name === undefined) throw missing('/tool_choice/name')
  return { name: choice.name }
}
