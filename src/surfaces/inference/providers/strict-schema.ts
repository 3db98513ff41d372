/**
 * Finds whether the provider can enforce a JSON schema while it writes. Every object of the schema
 * must be closed and require all its properties. Other schemas are sent as a hint, and the output
 * is checked afterwards.
 */
type Schema = Readonly<Record<string, unknown>>

export function isStrict(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true
  if (Array.isArray(schema)) return schema.every(isStrict)
  const { properties, required, additionalProperties, ...rest } = schema as Schema
  if (!Object.values(rest).every(isStrict)) return false
  if (properties === undefined) return rest['type'] !== 'object'
  const members = properties as Schema
  const names: unknown[] = Array.isArray(required) ? required : []
  const closed = additionalProperties === false
  return (
    closed &&
    Object.keys(members).every(name => names.includes(name)) &&
    Object.values(members).every(isStrict)
  )
}
