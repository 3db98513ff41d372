/**
 * Samples in curl, TypeScript and Python for each operation of the published document. The
 * reference shows them, and the document has them as the member `x-codeSamples`. The values are the
 * document's own examples.
 */
import type { Sample } from '../tabs.ts'
import {
  parametersOf,
  resolved,
  smallest,
  type Document,
  type Json,
  type Operation,
} from './document.ts'

/**
 * The parts of a request from which a sample is made. A value such as `$FILE` is a variable of the
 * shell, which is `file` in the other languages.
 */
export type Call = {
  readonly server: string
  readonly method: string
  readonly path: string
  readonly path_values: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | number>>
  readonly token: boolean
  readonly key: boolean
  readonly body: unknown
  /** True if the body is bytes and not JSON. */
  readonly bytes: boolean
  readonly stream: boolean
}

const uuid = '0199a1b2-0000-7000-8000-000000000000'

export function withSamples(text: string): string {
  const document = JSON.parse(text) as Document
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [
          method,
          { ...operation, 'x-codeSamples': samplesOf(document, method, path, operation) },
        ]),
      ),
    ]),
  )
  return JSON.stringify({ ...document, paths })
}

function samplesOf(
  document: Document,
  method: string,
  path: string,
  operation: Operation,
): Sample[] {
  const call = callOf(document, method, path, operation)
  return [{ lang: 'shell', label: 'curl', source: curlOf(call) }, ...clientSamples(call)]
}

/** There is no TypeScript sample for a body of bytes, because the client sends only JSON. */
export function clientSamples(call: Call): Sample[] {
  const typescript = { lang: 'typescript', label: 'TypeScript', source: typescriptOf(call) }
  return [
    ...(call.bytes ? [] : [typescript]),
    { lang: 'python', label: 'Python', source: pythonOf(call) },
  ]
}

function callOf(document: Document, method: string, path: string, operation: Operation): Call {
  const parameters = parametersOf(document, operation)
  const valuesIn = (place: string) =>
    Object.fromEntries(
      parameters
        .filter(one => one.in === place && (place === 'path' || one.required === true))
        .map(({ name, schema }) => [name, exampleOf(document, name, schema)]),
    )
  const content = operation.requestBody?.content ?? {}
  const schema = content['application/json']?.schema
  const replies = Object.keys(operation.responses['200']?.['content'] ?? {})
  return {
    server: document.servers[0]?.url ?? '',
    method: method.toUpperCase(),
    path,
    path_values: valuesIn('path'),
    query: valuesIn('query'),
    token: (operation.security ?? []).length > 0,
    key: parameters.some(({ name }) => name === 'Idempotency-Key'),
    body: schema && smallest(resolved(document, schema)),
    bytes: operation.requestBody !== undefined && !schema,
    stream: replies.length === 1 && replies[0] === 'text/event-stream',
  }
}

function exampleOf(document: Document, name: string, given: Json): string {
  const schema = resolved(document, given)
  const alternatives = (schema['anyOf'] ?? schema['enum'] ?? []) as readonly (Json | string)[]
  const [first] = alternatives
  const [example] = (schema['examples'] ?? []) as readonly unknown[]
  if (schema['format'] === 'uuid') return uuid
  const value = example ?? schema['const'] ?? (typeof first === 'object' ? first['const'] : first)
  return value === undefined ? name.replaceAll('_', '-') : `${value as string | number}`
}

function addressOf({ path, path_values, query }: Call): string {
  const filled = path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) =>
    encodeURIComponent(path_values[name] ?? name),
  )
  const search = Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
  return search ? `${filled}?${search}` : filled
}

function curlOf(call: Call): string {
  const { server, method, token, key, body, bytes, stream } = call
  const simple = method === 'GET' || (method === 'POST' && (body !== undefined || bytes))
  const json = body === undefined ? null : JSON.stringify(body, null, 2)
  const parts = [
    `curl ${stream ? '-N ' : ''}${simple ? '' : `-X ${method} `}'${server}${addressOf(call)}'`,
    ...(token ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(key ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(json
      ? [`-H 'Content-Type: application/json'`, `-d '${json.replaceAll("'", `'\\''`)}'`]
      : []),
    ...(bytes ? ['--data-binary @file'] : []),
  ]
  return parts.join(' \\\n  ')
}

function typescriptOf({ method, path, path_values, query, body, stream }: Call): string {
  const params = [
    ...(Object.keys(path_values).length > 0 ? [`path: ${literal(path_values, 2)}`] : []),
    ...(Object.keys(query).length > 0 ? [`query: ${literal(query, 2)}`] : []),
  ]
  const init = [
    ...(params.length > 0 ? [`  params: { ${params.join(', ')} },`] : []),
    ...(body === undefined ? [] : [`  body: ${literal(body, 2)},`]),
    ...(stream ? [`  parseAs: 'stream',`] : []),
  ]
  const given = init.length > 0 ? `, {\n${init.join('\n')}\n}` : ''
  return `const { data } = await api.${method}('${path}'${given})`
}

/** Writes a value as a TypeScript literal. Names have quotation marks only if they need them. */
function literal(value: unknown, indent: number): string {
  return JSON.stringify(value, null, 2)
    .replaceAll('\n', `\n${' '.repeat(indent)}`)
    .replaceAll(/"\$([A-Z_]+)"/g, (_, name: string) => name.toLowerCase())
    .replaceAll(/^(\s*)"([a-zA-Z_]\w*)":/gm, '$1$2:')
}

function pythonOf(call: Call): string {
  const { server, method, token, key, body, bytes } = call
  const headers = [
    ...(token ? [`"Authorization": f"Bearer {os.environ['TOKEN']}"`] : []),
    ...(key ? ['"Idempotency-Key": str(uuid.uuid4())'] : []),
  ]
  const given = [
    pythonText(`${server}${addressOf(call).replaceAll('%24', '$')}`),
    ...(headers.length > 0 ? [`headers={${headers.join(', ')}}`] : []),
    ...(body === undefined ? [] : [`json=${pythonValue(body, 1)}`]),
    ...(bytes ? ['data=open("file", "rb")'] : []),
  ]
  const imports = [...(token ? ['import os'] : []), ...(key ? ['import uuid'] : [])]
  return `${[...imports, 'import requests'].join('\n')}

reply = requests.${method.toLowerCase()}(
${given.map(one => `    ${one},\n`).join('')})
reply.raise_for_status()
print(reply.text)`
}

function pythonText(text: string): string {
  const [variable] = /(?<=^\$)[A-Z_]+$/.exec(text) ?? []
  if (variable !== undefined) return variable.toLowerCase()
  const filled = text.replaceAll(/\$([A-Z_]+)/g, (_, name: string) => `{${name.toLowerCase()}}`)
  return filled === text ? JSON.stringify(text) : `f${JSON.stringify(filled)}`
}

function pythonValue(value: unknown, depth: number): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') return pythonText(value)
  if (typeof value !== 'object') return JSON.stringify(value)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const items = Array.isArray(value)
    ? value.map(one => pythonValue(one, depth + 1))
    : Object.entries(value).map(
        ([name, one]) => `${JSON.stringify(name)}: ${pythonValue(one, depth + 1)}`,
      )
  if (items.length === 0) return `${open}${close}`
  const pad = '    '.repeat(depth + 1)
  return `${open}\n${items.map(one => `${pad}${one},\n`).join('')}${'    '.repeat(depth)}${close}`
}
