/** Reads a body by its schema. An unknown field is refused, so a spelling mistake is noticed. */
import type { Static, TObject } from 'typebox'
import { Value } from 'typebox/value'
import { ApiError } from './api-error.ts'

export function read<S extends TObject>(schema: S, body: unknown): Static<S> {
  if (typeof body === 'object' && body !== null) {
    const unknown = Object.keys(body).find(name => !(name in schema.properties))
    if (unknown !== undefined) {
      const fields = { code: 'unknown_parameter', param: unknown }
      throw new ApiError(400, `Unknown parameter: '${unknown}'.`, fields)
    }
  }
  if (Value.Check(schema, body)) return body
  const [fault] = Value.Errors(schema, body)
  const param = (fault?.instancePath ?? '').slice(1).replaceAll('/', '.')
  throw new ApiError(400, `Invalid value for '${param}': ${fault?.message ?? 'not valid'}.`, {
    code: 'invalid_value',
    param,
  })
}
