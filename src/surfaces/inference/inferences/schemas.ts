/** Requests of calls, and their validation. */
import { Type, type Static } from 'typebox'
import { closed, compileSchema, limit, Refused } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import type { NewCall } from '../operations/draft-call.ts'
import type { ResponseFormat } from '../providers/provider.ts'
import type { Kernel } from '../settings.ts'
import { asked } from '../schemas.ts'

export const CreateInference = closed(
  { ...asked, stream: Type.Optional(Type.Boolean()) },
  { title: 'CreateInference' },
)
export type CreateInference = Static<typeof CreateInference>

type Asked = Omit<CreateInference, 'stream'>
type Read = Pick<NewCall, 'model' | 'content' | 'parameters' | 'store' | 'metadata' | 'deadline_ms'>

const schema_bytes_max = limit(
  'inference.schema_bytes',
  64 * 1024,
  'bytes',
  'Largest schema of an output',
)

/** Refuses an unusable schema before anything is sent. */
export async function readAsked(
  { settings }: Pick<Kernel, 'settings'>,
  { model, input, parameters = {} }: Asked,
): Promise<Read> {
  const { instructions, response_format, store, metadata, deadline_ms, ...numbers } = parameters
  const format = response_format && (await readFormat(response_format))
  return {
    model,
    content: {
      input,
      ...(instructions === undefined ? {} : { instructions }),
      ...(format === undefined ? {} : { response_format: format }),
    },
    parameters: numbers,
    deadline_ms: deadline_ms ?? settings['inference.deadline_ms'],
    ...(store === undefined ? {} : { store }),
    ...(metadata === undefined ? {} : { metadata }),
  }
}

type Format = NonNullable<NonNullable<Asked['parameters']>['response_format']>

async function readFormat({ type, name, schema }: Format): Promise<ResponseFormat> {
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
