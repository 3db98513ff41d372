/**
 * Makes a part of the client from the OpenAPI document: the types of all operations, the list of
 * operations that take an Idempotency-Key, and the error codes. The client needs the list at run
 * time, so that file is in git. scripts/generated.mjs writes both.
 */
import type * as OpenApiTypeScript from 'openapi-typescript'

type Parameter = { readonly $ref?: string; readonly name?: string; readonly required?: boolean }
type Operation = {
  readonly parameters?: readonly Parameter[]
  readonly responses?: Readonly<Record<string, { readonly description?: string }>>
}
export type ApiDocument = {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

type Tool = typeof OpenApiTypeScript

/** The files under `src/` and their content. `tool` is where openapi-typescript is. */
export async function generated(
  document: ApiDocument,
  tool = 'openapi-typescript',
): Promise<Record<string, string>> {
  const found = (await import(tool)) as Tool & { readonly default: Tool | Tool['default'] }
  // Found by `require.resolve`, it is a CommonJS module.
  const { default: openapiTS, astToString } = 'default' in found.default ? found.default : found
  const types = astToString(await openapiTS(JSON.stringify(document, readable)))
  return {
    'schema.d.ts': `/** The types of all operations, and the error codes; \`npm run generate\` writes this file. */\n${types}${codesOf(document)}`,
    'operations.ts': operations(keyedOperations(document)),
  }
}

type Schema = {
  readonly type?: string
  readonly properties?: object
  readonly [name: string]: unknown
}

/**
 * The client makes the key, so its callers need not make one. An object without any description in
 * the document accepts every property. Without this rule, its type would allow none.
 */
function readable(_name: string, value: unknown): unknown {
  const { name } = (value ?? {}) as Partial<Parameter>
  if (name === 'Idempotency-Key') return { ...(value as Parameter), required: false }
  const schema = (value ?? {}) as Schema
  const open = schema.type === 'object' && !schema.properties && !('additionalProperties' in schema)
  return open ? { ...schema, additionalProperties: true } : value
}

/** The parameter is a reference into `components`. */
function takesKey({ $ref, name }: Parameter): boolean {
  return name === 'Idempotency-Key' || ($ref?.endsWith('IdempotencyKey') ?? false)
}

/** The operations that take an Idempotency-Key, as `POST /v1/jobs`. */
export function keyedOperations({ paths }: ApiDocument): string[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { parameters = [] }]) => parameters.some(takesKey))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  )
}

/** The type of all error codes of the document, such as `alias_taken`. */
function codesOf({ paths }: ApiDocument): string {
  const said = Object.values(paths).flatMap(item =>
    Object.values(item).flatMap(({ responses = {} }) =>
      Object.entries(responses).flatMap(([status, { description = '' }]) =>
        status < '400'
          ? []
          : [...description.matchAll(/`([a-z_]+)`/g)].map(([, code = '']) => code),
      ),
    ),
  )
  const codes: readonly string[] = Array.from(new Set(said)).sort()
  return `export type ProblemCode = ${codes.map(one => `'${one}'`).join(' | ') || 'never'};\n`
}

function operations(keyed: readonly string[]): string {
  const lines = keyed.map(one => `  '${one}': true,\n`).join('')
  return `/** The operations that take an Idempotency-Key; \`npm run generate\` writes this file. */
export const keyed: Readonly<Record<string, true>> = {${lines && `\n${lines}`}}
`
}
