/**
 * Turns the violations of a schema into one sentence for each field. The sentence contains the
 * violated bound and never the value.
 */

export type FieldError = {
  location: 'body' | 'query' | 'path' | 'header'
  pointer: string
  constraint: string
  params?: Record<string, unknown>
}

/** Returns undefined if the rule has no sentence here, or has no bound. */
export function sentenceOf(error: FieldError): string | undefined {
  const { pointer, constraint, params, location } = error
  const name = pointer ? `\`${pointer.slice(1)}\`` : `The ${location}`
  const rule = rules[constraint]
  if (!rule || (!params && rule.length > 0)) return undefined
  return `${name} ${rule(params ?? {})}.`
}

const shown_max = 5

export function sentencesOf(errors: readonly FieldError[]): string {
  const sentences = [...new Set(errors.map(sentenceOf))].filter(one => one !== undefined)
  const more = sentences.length - shown_max
  const rest = more > 0 ? [`${more} more are in \`errors\`.`] : []
  return [...sentences.slice(0, shown_max), ...rest].join(' ')
}

type Params = Readonly<Record<string, unknown>>
type Rule = (params: Params) => string

const formats: Readonly<Record<string, string>> = {
  uuid: 'a UUID, such as 019c8f3a-5b20-7d41-9e6b-2f1c40d7a961',
  'date-time': 'a time with its offset, such as 2026-03-02T09:30:00Z',
  date: 'a day, such as 2026-03-02',
  uri: 'an absolute URL, such as https://example.com/orders',
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
}

const rules: Readonly<Record<string, Rule>> = {
  required: () => 'is required',
  type: ({ type }) => `must be ${kindsOf(type)}`,
  minLength: ({ limit }) =>
    limit === 1 ? 'must not be empty' : `must have at least ${String(limit)} characters`,
  maxLength: ({ limit }) => `may have at most ${String(limit)} characters`,
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  maximum: ({ limit }) => `must be at most ${String(limit)}`,
  exclusiveMinimum: ({ limit }) => `must be more than ${String(limit)}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${String(limit)}`,
  minItems: ({ limit }) => `must have at least ${things(limit, 'item')}`,
  maxItems: ({ limit }) => `may have at most ${things(limit, 'item')}`,
  minProperties: ({ limit }) => `must have at least ${things(limit, 'member')}`,
  maxProperties: ({ limit }) => `may have at most ${things(limit, 'member')}`,
  propertyNames: ({ limit, pattern }) => {
    if (typeof pattern === 'string') return `must have a name that matches ${pattern}`
    return limit === 1
      ? 'must have a name that is not empty'
      : `must have a name of at most ${String(limit)} characters`
  },
  uniqueItems: () => 'must not hold the same item twice',
  multipleOf: ({ multipleOf }) => `must be a multiple of ${String(multipleOf)}`,
  enum: ({ allowedValues }) => `must be one of ${listed(allowedValues)}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  format: ({ format }) => `must be ${formats[String(format)] ?? `of the format ${String(format)}`}`,
  pattern: ({ pattern }) => `must match ${String(pattern)}`,
  safe_number: () => 'must be a number that is exact in JSON, at most 9007199254740991',
  character: () => 'must not contain U+0000 or half of a surrogate pair',
  oneOf: ({ forms }) => `must have exactly one of these: ${formsOf(forms)}`,
  unknown: ({ instead, nearest }) => {
    if (typeof instead === 'string') return `is not known here. Use \`${instead}\` instead`
    const hint = typeof nearest === 'string' ? ` (the nearest is \`${nearest}\`)` : ''
    return `is not known here${hint}, so nothing was done`
  },
  etag: ({ part_number }) =>
    part_number === undefined
      ? 'must be an ETag in double quotes, such as "3"'
      : 'has another ETag than the stored part',
}

function kindsOf(type: unknown): string {
  const names = (Array.isArray(type) ? type : String(type).split(',')) as string[]
  return names.map(name => kinds[name] ?? name).join(' or ')
}

/** The members of each form: `email` with `password`, or `oidc_ticket`. */
function formsOf(forms: unknown): string {
  if (!Array.isArray(forms)) return 'the allowed forms'
  const names = (forms as string[][]).map(form => form.map(name => `\`${name}\``).join(' with '))
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(names)
}

function things(limit: unknown, thing: string): string {
  return `${String(limit)} ${thing}${limit === 1 ? '' : 's'}`
}

function listed(values: unknown): string {
  return Array.isArray(values) ? values.map(one => String(one)).join(', ') : 'the allowed values'
}
