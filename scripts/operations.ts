/**
 * The interface in one line for each operation and event, so that a change of it is seen in a review
 * without reading the OpenAPI document.
 */
import type { ApiDocument } from '../client/generate.ts'
import type { Catalog } from '../src/kernel/errors/problem.ts'
import { refusalsOf } from '../src/kernel/http/openapi/replies.ts'
import type { EventDeclaration, Route } from '#dodeca/kernel'
import type { Gathered } from '../src/runtime/gather-declarations.ts'

/** Operations that the document does not show are left out. */
export function operationsPage(
  routes: readonly Route[],
  { catalog, declared }: Gathered,
  { paths }: ApiDocument,
): string {
  const shown = routes.filter(({ path, method }) => paths[path]?.[method.toLowerCase()])
  const lines = shown.toSorted(byPath).map(route => operationLine(route, catalog))
  const public_events = [...declared].filter(([, { internal }]) => !internal)
  return `# Operations

\`npm run generate\` writes this file. An operation has its method, path, name, permission, statuses and own error codes (without those of its credential, key or form); an event the members of its data. The OpenAPI document of a running platform says the rest.

## Operations

${lines.join('\n')}

## Events

${public_events.map(eventLine).sort().join('\n')}
`
}

function byPath(one: Route, other: Route): number {
  if (one.path !== other.path) return one.path < other.path ? -1 : 1
  return one.method < other.method ? -1 : 1
}

function operationLine(route: Route, catalog: Catalog): string {
  const { method, path, name, permission, replies, deprecated } = route
  const statuses = Object.keys(replies).join(', ')
  const codes = ownCodes(route, catalog).map(one => ` \`${one}\``)
  const parts = [`- \`${method} ${path}\` ${name}`, `\`${permission}\``, statuses]
  if (deprecated) parts.push('deprecated')
  return `${parts.join('; ')}${codes.length > 0 ? `;${codes.join('')}` : ''}`
}

/** Without the codes that a route of this form has anyway, such as those of its credential. */
function ownCodes(route: Route, catalog: Catalog): string[] {
  const { path, fails = [], absent } = route
  const implied = [...refusalsOf({ ...route, fails: [] }, catalog).values()].join()
  const missing = absent !== undefined && path.includes('{') ? [absent] : []
  const declared = fails.filter(code => !implied.includes(`\`${code}\``))
  return [...declared, ...missing].sort()
}

function eventLine([type, { version, data }]: readonly [string, EventDeclaration]): string {
  const members = Object.keys((data as { properties?: object }).properties ?? {})
  return `- \`${type}\` ${version}${members.length > 0 ? `; ${members.map(one => `\`${one}\``).join(' ')}` : ''}`
}
