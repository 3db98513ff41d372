/**
 * The facts that the console needs about each operation, from the OpenAPI document: its path, the
 * permission that it requires, its filters, and the schema and example of its body. References are
 * replaced by their targets, down to the depth at which a form shows JSON.
 */
type Json = { readonly [name: string]: unknown }

export type CatalogOperation = {
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly permission: string | null
  /** What it requires for what belongs to others. */
  readonly for_others: string | null
  /** Whether the reply is a page, so that it takes `limit`. */
  readonly pages: boolean
  /** The filters, without cursor and limit. */
  readonly query: Readonly<Record<string, Json>>
  readonly body: Json | null
  readonly example: unknown
  /** Whether it compares the version of the item, which it gets as `If-Match`. */
  readonly compares: boolean
  /** Whether the list also is a file for spreadsheets. */
  readonly csv: boolean
}

type Parameter = { readonly name: string; readonly in: string; readonly schema: Json }

const kept = [
  'type',
  'format',
  'enum',
  'const',
  'minimum',
  'maximum',
  'maxLength',
  'minItems',
  'pattern',
  'required',
  'description',
  'default',
] as const
/** Down to a price of a variant of a product. */
const depth_max = 5
const methods = ['get', 'post', 'put', 'patch', 'delete']

export function operationCatalog(document: string): Record<string, CatalogOperation> {
  const { paths, components } = JSON.parse(document) as {
    readonly paths: Record<string, Record<string, Json>>
    readonly components: Json
  }
  const resolve = resolver(components)
  const found: Record<string, CatalogOperation> = {}
  for (const [path, item] of Object.entries(paths)) {
    for (const method of methods) {
      const operation = item[method]
      const id = operation?.['operationId']
      if (operation && typeof id === 'string' && path.startsWith('/v1/')) {
        found[id] = entryOf(method, path, operation, resolve)
      }
    }
  }
  return found
}

/** The operations that take an Idempotency-Key, as `POST /v1/jobs`. */
export function keyedOperations(document: string): Record<string, true> {
  const { paths } = JSON.parse(document) as { paths: Record<string, Record<string, Json>> }
  const takesKey = (operation: Json | undefined) =>
    /IdempotencyKey"|"Idempotency-Key"/.test(JSON.stringify(operation?.['parameters'] ?? []))
  return Object.fromEntries(
    Object.entries(paths).flatMap(([path, item]) =>
      methods
        .filter(method => takesKey(item[method]))
        .map(method => [`${method.toUpperCase()} ${path}`, true] as const),
    ),
  )
}

type Resolve = (value: unknown) => Json

function resolver(components: Json): Resolve {
  const resolve: Resolve = value => {
    const given = (value ?? {}) as Json
    const reference = given['$ref']
    if (typeof reference !== 'string') return given
    const [, , section = '', name = ''] = reference.split('/')
    return resolve((components[section] as Json | undefined)?.[name])
  }
  return resolve
}

function entryOf(method: string, path: string, operation: Json, resolve: Resolve) {
  const parameters = ((operation['parameters'] ?? []) as unknown[]).map(
    one => resolve(one) as unknown as Parameter,
  )
  const filters = parameters.filter(
    one => one.in === 'query' && one.name !== 'cursor' && one.name !== 'limit',
  )
  const content = resolve(operation['requestBody'])['content'] as Json | undefined
  const json = content?.['application/json'] as Json | undefined
  const schema = json ? resolve(json['schema']) : null
  return {
    method: method.toUpperCase(),
    path,
    summary: (operation['summary'] as string | undefined) ?? '',
    permission: (operation['x-permission'] as string | undefined) ?? null,
    for_others: (operation['x-for-others'] as string | undefined) ?? null,
    pages: parameters.some(one => one.name === 'limit'),
    query: Object.fromEntries(filters.map(one => [one.name, trimmed(one.schema, resolve, 1)])),
    body: schema && trimmed(schema, resolve, 0),
    example: json && schema ? exampleOf(json, schema) : null,
    compares: parameters.some(one => one.name === 'If-Match'),
    csv: (operation['x-list'] as Json | undefined)?.['csv'] === true,
  }
}

function exampleOf(json: Json, schema: Json): unknown {
  const named = Object.values((json['examples'] ?? {}) as Record<string, { value?: unknown }>)
  const listed = schema['examples'] as unknown[] | undefined
  return json['example'] ?? named[0]?.value ?? schema['example'] ?? listed?.[0] ?? null
}

function trimmed(given: unknown, resolve: Resolve, depth: number): Json {
  const schema = resolve(given)
  const own = Object.fromEntries(
    kept.flatMap(name => (schema[name] === undefined ? [] : [[name, schema[name]] as const])),
  )
  if (depth >= depth_max) return own
  const alternatives = (schema['anyOf'] ?? schema['oneOf']) as unknown[] | undefined
  const properties = schema['properties'] as Json | undefined
  const others = schema['additionalProperties'] as Json | undefined
  const inner = (one: unknown) => trimmed(one, resolve, depth + 1)
  return {
    ...own,
    ...(alternatives ? { anyOf: alternatives.map(inner) } : {}),
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, one]) => [name, inner(one)]),
          ),
        }
      : {}),
    ...(!properties && others?.['type'] === 'string' ? { pairs: true } : {}),
    ...(schema['items'] ? { items: inner(schema['items']) } : {}),
  }
}
