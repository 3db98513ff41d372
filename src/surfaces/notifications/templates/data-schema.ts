/**
 * The JSON Schema that validates the data of a template. Its size and the steps of a validation are
 * bounded.
 */
import { compileSchema, limit, Refused, type Fit } from '#dodeca/kernel'
import { problem } from '../errors.ts'

const bytes_max = limit(
  'notifications.data_schema_bytes',
  16 * 1024,
  'bytes',
  'Largest schema of the data of a template',
)
const member = '/data_schema'

export async function checkSchema(schema: object): Promise<void> {
  if (Buffer.byteLength(JSON.stringify(schema)) > bytes_max) {
    throw refusal(member, 'maxBytes', `A schema has at most ${bytes_max} bytes.`)
  }
  try {
    await compileSchema(schema)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    throw refusal(`${member}${error.pointer}`, 'schema', error.message)
  }
}

const fits = new WeakMap<object, Promise<Fit>>()

/** The schema was validated when the template was written. */
export async function fitOf(schema: object): Promise<Fit> {
  const fit = fits.get(schema) ?? compileSchema(schema)
  fits.set(schema, fit)
  return await fit
}

function refusal(pointer: string, constraint: string, detail: string) {
  return problem('schema_invalid', { detail, errors: [{ location: 'body', pointer, constraint }] })
}
