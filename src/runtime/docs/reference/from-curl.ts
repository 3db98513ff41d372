/**
 * Reads a command of curl in a page, so that the page shows the same request in the other languages.
 * Such a block is one request of the API: `$API/v1/…`, and a body of JSON whose variables are written
 * as `"'$NAME'"`.
 */
import type { Document } from './document.ts'
import type { Sample } from '../tabs.ts'
import { clientSamples } from './samples.ts'

/** Throws if the command is no request of the API, so that a page cannot show half of it. */
export function samplesFromCurl(document: Document, source: string): Sample[] {
  const [, address = '', search = ''] = /\$API(\/[^\s?"]*)(?:\?([^\s"]*))?/.exec(source) ?? []
  const given = /\s-d '([\s\S]*?)'(?= >|\s*$)/.exec(source)?.[1]
  const method = /\s-X ([A-Z]+)/.exec(source)?.[1] ?? (given === undefined ? 'GET' : 'POST')
  const body: unknown = given && JSON.parse(given.replaceAll(/'(\$[A-Z_]+)'/g, '$1'))
  const found = pathOf(document, method, address)
  if (!found) throw new Error(`a page shows a request that does not exist: ${method} ${address}`)
  const queries = [...new URLSearchParams(search)].map(([name, value]) => {
    const number = /^\d+$/.test(value) ? Number(value) : value
    return [name, number] as const
  })
  const samples = clientSamples({
    server: document.servers[0]?.url ?? '',
    method,
    ...found,
    query: Object.fromEntries(queries),
    token: /authorization:/i.test(source),
    key: /idempotency-key:/i.test(source),
    body,
    bytes: false,
    stream: false,
  })
  return [{ lang: 'shell', label: 'curl', source }, ...samples]
}

function pathOf({ paths }: Document, method: string, address: string) {
  const given = address.split('/')
  for (const [path, item] of Object.entries(paths)) {
    const parts = path.split('/')
    const fits = (part: string, at: number) => part === given[at] || isVariable(part, given[at])
    if (!item[method.toLowerCase()] || parts.length !== given.length || !parts.every(fits)) continue
    const values = parts.flatMap((part, at) =>
      part.startsWith('{') ? [[part.slice(1, -1), given[at] ?? ''] as const] : [],
    )
    return { path, path_values: Object.fromEntries(values) }
  }
  return null
}

function isVariable(part: string, given: string | undefined): boolean {
  return part.startsWith('{') && /^\$[A-Z_]+$/.test(given ?? '')
}
