/**
 * Which JSON Schemas may be registered. Their size is limited, and the kernel must be able to check
 * with a limited number of steps. An accepted schema runs on every submission and every result.
 */
import { compileSchema, Refused, type Fit } from '#dodeca/kernel'
import { problem } from '../errors.ts'

export async function requireSchema(
  schema: object,
  member: string,
  bytes_max: number,
): Promise<void> {
  if (Buffer.byteLength(JSON.stringify(schema)) > bytes_max) {
    throw refusal(`/${member}`, 'maxBytes', `A schema has at most ${bytes_max} bytes.`)
  }
  try {
    await compileSchema(schema)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    throw refusal(`/${member}${error.pointer}`, 'schema', error.message)
  }
}

/**
 * A schema may have been registered before a limit was set, and may be unusable now. Then no value
 * is valid.
 */
export async function compileRegistered(schema: object): Promise<Fit> {
  try {
    return await compileSchema(schema)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return async (_value, pointer) => [{ location: 'body', pointer, constraint: 'schema_invalid' }]
  }
}

function refusal(pointer: string, constraint: string, detail: string) {
  return problem('schema_invalid', { detail, errors: [{ location: 'body', pointer, constraint }] })
}
