/** If a call requested JSON of a schema, checks that its output matches. */
import { compileSchema } from '#dodeca/kernel'
import type { Call } from './call.ts'

export async function checkJson(
  { content }: Pick<Call, 'content'>,
  text: string,
): Promise<boolean> {
  const { response_format: format } = content
  if (format === undefined || format.type === 'text') return true
  const value = parsed(text)
  if (value === undefined) return false
  if (format.type === 'json_object') return typeof value === 'object' && value !== null
  const fit = await compileSchema(format.schema)
  return (await fit(value, '')).length === 0
}

/** Undefined if the output is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
