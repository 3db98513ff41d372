/**
 * Makes the Python client from the published document: the text of `transport.py`, and a method for
 * each operation in its class `Dodeca`. It is served at `/docs/dodeca.py`, so that it always fits
 * the platform that it is loaded from.
 */
import {
  parametersOf,
  resolved,
  type Document,
  type Json,
  type Operation,
} from '../reference/document.ts'

/** Words of the language that are names of members or parameters here. */
const reserved = new Set(['class', 'from', 'global', 'import', 'in', 'is', 'lambda', 'pass'])

/** A value that the caller gives by name. `member` is its name on the wire. */
type Given = {
  readonly name: string
  readonly member: string
  readonly type: string
  readonly required: boolean
}

export function pythonClient(document: Document, transport: string): string {
  const methods = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) =>
      methodOf(document, method.toUpperCase(), path, operation),
    ),
  )
  return `${transport}\n${methods.join('\n')}`
}

function methodOf(document: Document, method: string, path: string, operation: Operation): string {
  const parameters = parametersOf(document, operation)
  const [ids, query] = ['path', 'query'].map(place =>
    parameters
      .filter(one => one.in === place)
      .map(({ name, required = false, schema }) => given(document, name, schema, required)),
  ) as [Given[], Given[]]
  const taken = new Set([...ids, ...query].map(({ name }) => name))
  const body = bodyOf(document, operation, taken)
  const headers = headersOf(operation, parameters)
  const named = [...query, ...body.members, ...headers.members]
  const ordered = [...named.filter(one => one.required), ...named.filter(one => !one.required)]
  const signature = [
    'self',
    ...ids.map(one => `${one.name}: ${one.type}`),
    ...(ordered.length > 0 ? ['*'] : []),
    ...ordered.map(one => `${one.name}: ${one.type}${one.required ? '' : ' = UNSET'}`),
  ]
  return `    def ${snake(operation.operationId)}(
${signature.map(one => `        ${one},\n`).join('')}    ) -> Any:
        """${docOf(method, path, operation)}"""
        return self._call(
            "${method}",
            ${pathOf(path, ids)},
            query=${dict(query)},
${body.passed}            headers=${dict(headers.members)},
${headers.keyed ? '            keyed=True,\n' : ''}        )
`
}

type Body = { readonly members: readonly Given[]; readonly passed: string }

/** The members of a JSON object are given by name. Any other body is given as it is. */
function bodyOf(document: Document, { requestBody }: Operation, taken: Set<string>): Body {
  if (!requestBody) return { members: [], passed: '' }
  const schema = requestBody.content['application/json']?.schema
  const { properties, required = [] } = schema ? (resolved(document, schema) as Shape) : {}
  if (properties) {
    const members = Object.entries(properties).map(([member, one]) => {
      const made = given(document, member, one, required.includes(member))
      return taken.has(made.name) ? { ...made, name: `new_${made.name}` } : made
    })
    return { members, passed: `            body=${dict(members)},\n` }
  }
  const content_type = { ...text('content_type'), required: true }
  const bytes = { name: 'body', member: 'body', type: 'bytes', required: true }
  return {
    members: [bytes, content_type],
    passed: '            body=body,\n            content_type=content_type,\n',
  }
}

type Shape = { readonly properties?: Record<string, Json>; readonly required?: readonly string[] }

function headersOf({ responses }: Operation, parameters: readonly { readonly name: string }[]) {
  const has = (name: string) => parameters.some(one => one.name === name)
  const keyed = has('Idempotency-Key')
  const good = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const types = new Set(good.flatMap(([, one]) => Object.keys(one['content'] ?? {})))
  return {
    keyed,
    members: [
      ...(keyed ? [{ ...text('idempotency_key'), member: 'Idempotency-Key' }] : []),
      ...(has('If-Match') ? [{ ...text('if_match'), member: 'If-Match' }] : []),
      ...(types.size > 1 ? [{ ...text('accept'), member: 'Accept' }] : []),
    ],
  }
}

function given(document: Document, member: string, schema: Json, required: boolean): Given {
  const name = reserved.has(member) ? `${member}_` : member
  return { name, member, type: typeOf(document, schema), required }
}

function text(name: string): Given {
  return { name, member: name, type: 'str', required: false }
}

function dict(members: readonly Given[]): string {
  return `{${members.map(({ member, name }) => `"${member}": ${name}`).join(', ')}}`
}

function pathOf(path: string, ids: readonly Given[]): string {
  if (ids.length === 0) return `"${path}"`
  const filled = path.replaceAll(
    /\{([a-z_]+)\}/g,
    (_, id: string) => `{urllib.parse.quote(str(${id}), safe='')}`,
  )
  return `f"${filled}"`
}

function docOf(method: string, path: string, { summary, description }: Operation): string {
  return `${summary} (${method} ${path})\n\n        ${description}\n        `
    .replaceAll('\\', '\\\\')
    .replaceAll('"""', "'''")
}

function typeOf(document: Document, schema: Json): string {
  const { const: value, enum: values, anyOf, type, items } = resolved(document, schema) as Types
  const literals = values ?? (value === undefined ? undefined : [value])
  if (literals) return `Literal[${literals.map(one => JSON.stringify(one)).join(', ')}]`
  if (anyOf) return typeOfAny(document, anyOf)
  if (type === 'array') return `List[${items ? typeOf(document, items) : 'Any'}]`
  return types[type ?? ''] ?? 'Any'
}

type Types = {
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Json[]
  readonly type?: string
  readonly items?: Json
}

const types: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  object: 'Dict[str, Any]',
}

function typeOfAny(document: Document, all: readonly Json[]): string {
  const kept = all.filter(one => one['type'] !== 'null')
  const of = [...new Set(kept.map(one => typeOf(document, one)))]
  const one = of.length === 1 ? (of[0] ?? 'Any') : `Union[${of.join(', ')}]`
  return kept.length < all.length ? `Optional[${one}]` : one
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}
