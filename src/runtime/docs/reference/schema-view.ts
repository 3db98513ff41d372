/**
 * Shows a schema to a reader: the members with their types and limits. Nested schemas are folded.
 */
import { markup, type Markup } from '#dodeca/kernel'
import { renderMarkdown } from '../render-markdown.ts'
import { resolved, type Document, type Json } from './document.ts'

/** The number of nested levels that are shown. A schema that contains itself ends here too. */
const depth_max = 6

export function described(text: unknown): Markup {
  return markup`${typeof text === 'string' && renderMarkdown(text, target => target).body}`
}

/** Shows name, type and meaning of a member, and below them the nested schema. */
export function member(
  document: Document,
  name: string,
  given: Json,
  required: boolean,
  depth = 0,
): Markup {
  const schema = resolved(document, given)
  const kind = [typeOf(document, given), ...(required ? ['required'] : [])].join(', ')
  return markup`<dt><code>${name}</code> <span class="soft">${kind}</span></dt>
<dd>${described(schema['description'])}${limits(document, schema)}${folded(document, given, depth)}</dd>
`
}

/** The members of an object, or the alternatives of a choice. Null for a plain value. */
export function shape(document: Document, given: Json, depth = 0): Markup | null {
  const schema = inner(document, given)
  const choices = choicesOf(document, schema)
  if (choices.length > 1)
    return markup`${choices
      .map(one => {
        const inside = depth < depth_max ? shape(document, one, depth + 1) : null
        return (
          inside &&
          markup`<details><summary>${titleOf(document, one)}</summary>${inside}</details>\n`
        )
      })
      .filter(one => one !== null)}`
  const only = choices[0] ? inner(document, choices[0]) : schema
  const properties = Object.entries((only['properties'] ?? {}) as Record<string, Json>)
  if (properties.length === 0) return null
  const needed = new Set((only['required'] ?? []) as string[])
  const members = properties.map(([name, one]) =>
    member(document, name, one, needed.has(name), depth),
  )
  return markup`<dl class="members">${members}</dl>`
}

function folded(document: Document, given: Json, depth: number): Markup | null {
  const inside = depth < depth_max ? shape(document, given, depth + 1) : null
  if (!inside) return null
  return markup`<details><summary>${nameOf(inner(document, given, false)) ?? 'Its members'}</summary>${inside}</details>`
}

/** The schema of the items of a list, or of the values of a record. */
function inner(document: Document, given: Json, resolve = true): Json {
  const schema = resolved(document, given)
  const pattern = Object.values((schema['patternProperties'] ?? {}) as Record<string, Json>)[0]
  const more = schema['additionalProperties']
  const within = schema['items'] ?? pattern ?? (typeof more === 'object' ? more : undefined)
  if (within !== undefined && within !== null) return inner(document, within as Json, resolve)
  const [only, ...others] = choicesOf(document, schema)
  if (only && others.length === 0) return inner(document, only, resolve)
  return resolve ? schema : given
}

/**
 * The alternatives of a value, except null. A choice of constants has no alternatives here, because
 * it is a plain value.
 */
function choicesOf(document: Document, schema: Json): Json[] {
  const all = (schema['anyOf'] ?? schema['oneOf'] ?? []) as Json[]
  return all.filter(one => {
    const choice = resolved(document, one)
    return choice['type'] !== 'null' && choice['const'] === undefined
  })
}

function nameOf(given: Json): string | undefined {
  const reference = given['$ref']
  return typeof reference === 'string' ? reference.split('/').at(-1) : undefined
}

function titleOf(document: Document, given: Json): string {
  const properties = (resolved(document, given)['properties'] ?? {}) as Record<string, Json>
  const constant = Object.entries(properties).find(([, one]) => one['const'] !== undefined)
  const mark = constant && `${constant[0]}: ${JSON.stringify(constant[1]['const'])}`
  return mark ?? nameOf(given) ?? typeOf(document, given)
}

export function typeOf(document: Document, given: Json): string {
  const schema = resolved(document, given)
  if (schema['const'] !== undefined) return JSON.stringify(schema['const'])
  const choices = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined
  if (choices) return [...new Set(choices.map(one => typeOf(document, one)))].join(' or ')
  if (schema['type'] === 'array')
    return `list of ${typeOf(document, (schema['items'] ?? {}) as Json)}`
  const type = schema['type'] ?? (schema['enum'] ? 'string' : 'any value')
  return type === 'object' ? (nameOf(given) ?? 'object') : (type as string)
}

/** Bounds, choices and patterns of a value, and of the items of a list. */
function limits(document: Document, schema: Json): Markup | null {
  const choices = choicesOf(document, schema).map(one => resolved(document, one))
  const items = schema['items'] === undefined ? [] : [resolved(document, schema['items'] as Json)]
  const says = [schema, ...(choices.length === 1 ? choices : []), ...items].flatMap(limitsOf)
  return says.length > 0 ? described(says.join('; ')) : null
}

function limitsOf(schema: Json): string[] {
  const values = schema['enum'] as readonly unknown[] | undefined
  return [
    ...(values ? [`one of ${values.map(one => `\`${String(one)}\``).join(', ')}`] : []),
    ...between(schema['minLength'], schema['maxLength'], 'characters'),
    ...between(schema['minItems'], schema['maxItems'], 'items'),
    ...between(schema['minimum'], schema['maximum'], ''),
    ...(schema['pattern'] === undefined ? [] : [`pattern \`${schema['pattern'] as string}\``]),
    ...(schema['default'] === undefined ? [] : [`else \`${JSON.stringify(schema['default'])}\``]),
  ]
}

function between(least: unknown, most: unknown, unit: string): string[] {
  const bounded = typeof most === 'number' && most < Number.MAX_SAFE_INTEGER
  const from = typeof least === 'number' ? least : null
  if (!bounded && !from) return []
  if (!bounded) return [`at least ${from} ${unit}`.trim()]
  const range = from === most ? `${most}` : `${from === null ? 'at most' : `${from} to`} ${most}`
  return [`${range} ${unit}`.trim()]
}
