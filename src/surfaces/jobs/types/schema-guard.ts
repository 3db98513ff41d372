/**
 * Which JSON Schemas may be registered: of bounded size, and such that the kernel can check against
 * them with a counted number of steps. An accepted schema runs on every submission and every
 * result.
 */
import { compileSchema, type Fit } from '../../../kernel/bounded/json-schema.ts'
import { Refused } from '../../../kernel/bounded/work.ts'
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
 * A schema that was registered before a limit was set may no longer be usable: then no value is
 * valid.
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
