/** Requests of calls, and their validation. */
import { Type, type Static } from 'typebox'
import { closed, compileSchema, limit, Refused, type RequestFacts } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import type { NewCall } from '../operations/draft-call.ts'
import type { Tool, ToolChoice } from '../providers/form.ts'
import type { ResponseFormat } from '../providers/provider.ts'
import { sentTags, tagsIn } from '../quotas/tags.ts'
import type { Kernel } from '../settings.ts'
import { asked } from '../schemas.ts'
import { noTool, operationTool, stepsMax } from '../tools/offer.ts'
import type { Operations } from '../operations/contents.ts'
import { readApprovals, readInput } from './read-input.ts'

export const CreateInference = closed(
  { ...asked, stream: Type.Optional(Type.Boolean()) },
  { title: 'CreateInference' },
)
export type CreateInference = Static<typeof CreateInference>

type Asked = Omit<CreateInference, 'stream'>
type Read = Pick<
  NewCall,
  'model' | 'content' | 'parameters' | 'store' | 'previous_id' | 'metadata' | 'tags' | 'deadline_ms'
>

const schema_bytes_max = limit(
  'inference.schema_bytes',
  64 * 1024,
  'bytes',
  'Largest schema of an output',
)

const tools_bytes_max = limit(
  'inference.tools_bytes',
  256 * 1024,
  'bytes',
  'Largest tools of a call, with their schemas',
)

/** Refuses an unusable schema before anything is sent. */
export async function readAsked(
  kernel: Pick<Kernel, 'settings' | 'tools'>,
  { model, input, previous_id, tags, parameters = {} }: Asked,
  request?: Pick<RequestFacts, 'headers'>,
): Promise<Read> {
  const { settings } = kernel
  const { instructions, response_format, store, metadata, deadline_ms, ...rest } = parameters
  const { tools, tool_choice, ...numbers } = rest
  const format = response_format && (await readFormat(response_format))
  const { tools: offered, operations } = readOffered(kernel, tools, numbers.max_steps)
  const approvals = readApprovals(input)
  return {
    model,
    content: {
      input: readInput(input),
      ...readTools(offered, tool_choice, '/parameters/'),
      ...(operations === undefined ? {} : { operations }),
      ...(approvals.length === 0 ? {} : { approvals }),
      ...(instructions === undefined ? {} : { instructions }),
      ...(format === undefined ? {} : { response_format: format }),
    },
    parameters: numbers,
    deadline_ms: deadline_ms ?? settings['inference.deadline_ms'],
    ...(store === undefined ? {} : { store }),
    ...(previous_id === undefined ? {} : { previous_id }),
    ...(metadata === undefined ? {} : { metadata }),
    tags: tags ? sentTags(tags, 'body', '/tags') : tagsIn(request?.headers ?? {}),
  }
}

type GivenTool = NonNullable<NonNullable<Asked['parameters']>['tools']>[number]

/** The tools of the caller, and operations of the platform. */
function readOffered(
  kernel: Pick<Kernel, 'settings' | 'tools'>,
  given: readonly GivenTool[] | undefined,
  max_steps: number | undefined,
): { readonly tools: Tool[] | undefined; readonly operations?: Operations } {
  stepsMax(kernel, max_steps)
  const operations: Record<string, 'ask' | 'none'> = {}
  const tools = given?.map(({ type, approval, ...tool }, at): Tool => {
    const pointer = `/parameters/tools/${at}`
    const { name, schema } = tool
    if (type === 'function') {
      if (schema === undefined) throw noTool(`${pointer}/schema`, 'A function needs its `schema`.')
      if (approval !== undefined) {
        throw noTool(
          `${pointer}/approval`,
          'You run a function yourself, so nothing asks you first.',
        )
      }
      return { ...tool, schema }
    }
    const own = Object.keys(tool).find(member => member !== 'name')
    if (own) throw noTool(`${pointer}/${own}`, `An operation has its own \`${own}\`. Leave it out.`)
    operations[name] = approval ?? 'ask'
    return operationTool(kernel, name, `${pointer}/name`)
  })
  return { tools, ...(Object.keys(operations).length === 0 ? {} : { operations }) }
}

/** `at` is the pointer of their members in the request. */
export function readTools(
  tools: readonly Tool[] | undefined,
  tool_choice: ToolChoice | undefined,
  at: string,
): Pick<NewCall['content'], 'tools' | 'tool_choice'> {
  const names = (tools ?? []).map(one => one.name)
  const refuse = (member: string, detail: string) => {
    const errors = [{ location: 'body' as const, pointer: `${at}${member}`, constraint: 'tools' }]
    return problem('validation_failed', { detail, errors })
  }
  if (new Set(names).size < names.length) {
    throw refuse('tools', 'Two tools have the same name. Give each its own.')
  }
  if (Buffer.byteLength(JSON.stringify(tools ?? [])) > tools_bytes_max) {
    throw refuse('tools', 'The tools have more than 256 KiB together. Shorten their schemas.')
  }
  const chosen = typeof tool_choice === 'object' ? tool_choice.name : undefined
  const is_chosen = tool_choice === 'required' || chosen !== undefined
  if (is_chosen && (chosen === undefined ? names.length === 0 : !names.includes(chosen))) {
    throw refuse('tool_choice', 'The chosen tool is not in `tools`. Add it there.')
  }
  return {
    ...(tools === undefined ? {} : { tools }),
    ...(tool_choice === undefined ? {} : { tool_choice }),
  }
}

type Format = NonNullable<NonNullable<Asked['parameters']>['response_format']>

export async function readFormat({ type, name, schema }: Format): Promise<ResponseFormat> {
  if (type === 'text') return { type }
  if (name !== undefined && schema !== undefined) {
    await checkSchema(schema)
    return { type, name, schema }
  }
  const pointer = `/parameters/response_format/${name === undefined ? 'name' : 'schema'}`
  throw problem('validation_failed', {
    errors: [{ location: 'body', pointer, constraint: 'required' }],
  })
}

async function checkSchema(schema: object): Promise<void> {
  const pointer = '/parameters/response_format/schema'
  const refuse = (detail: string) =>
    problem('validation_failed', {
      detail,
      errors: [{ location: 'body', pointer, constraint: 'schema' }],
    })
  if (Buffer.byteLength(JSON.stringify(schema)) > schema_bytes_max) {
    throw refuse('The schema has more than 64 KiB. Shorten it.')
  }
  try {
    await compileSchema(schema)
  } catch (error) {
    if (error instanceof Refused) throw refuse(error.message)
    throw error
  }
}
