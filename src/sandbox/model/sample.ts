/**
 * A value that matches a JSON schema, for requests that ask for one. Strings are words of the
 * model.
 */
type Schema = Readonly<Record<string, unknown>>

const no_id = '00000000-0000-7000-8000-000000000000'

export function sampleOf(schema: Schema, word: () => string, depth = 0): unknown {
  const { enum: values, const: constant, type, anyOf, properties, items } = schema
  if (constant !== undefined) return constant
  if (Array.isArray(values)) return values[0]
  if (Array.isArray(anyOf)) return sampleOf(anyOf[0] as Schema, word, depth)
  const kind: unknown = Array.isArray(type) ? type[0] : type
  if (depth > 8) return null
  switch (kind) {
    case 'object':
      return Object.fromEntries(
        Object.entries((properties ?? {}) as Record<string, Schema>).map(([name, member]) => [
          name,
          sampleOf(member, word, depth + 1),
        ]),
      )
    case 'array': {
      const length = Math.max(1, Number(schema['minItems'] ?? 1))
      return Array.from({ length }, () => sampleOf((items ?? {}) as Schema, word, depth + 1))
    }
    case 'integer':
    case 'number':
      return Number(schema['minimum'] ?? 1)
    case 'boolean':
      return true
    case 'string':
      return schema['format'] === 'uuid' ? no_id : word()
    default:
      return null
  }
}
