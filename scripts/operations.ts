/**
 * The interface in one line for each operation and event, so that a change of it is seen in a review
 * without reading the OpenAPI document.
 */
import type { ApiDocument } from '../client/generate.ts'
import type { Route } from '../src/kernel/http/route.ts'
import type { EventDeclaration } from '../src/kernel/surface.ts'

/** Operations that the document does not show are left out, and so are codes that all share. */
export function operationsPage(
  routes: readonly Route[],
  events: ReadonlyMap<string, EventDeclaration>,
  { paths }: ApiDocument,
): string {
  const shown = routes.filter(({ path, method }) => paths[path]?.[method.toLowerCase()])
  const lines = shown.toSorted(byPath).map(operationLine)
  const public_events = [...events].filter(([, { internal }]) => !internal)
  return `# Operations

\`npm run generate\` writes this file. An operation has its method, path, name, permission, statuses and own error codes; an event the members of its data. The OpenAPI document of a running platform says the rest.

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

function operationLine(route: Route): string {
  const { method, path, name, permission, replies, fails = [], deprecated } = route
  const statuses = Object.keys(replies).join(', ')
  const codes = [...fails].sort().map(one => ` \`${one}\``)
  const parts = [`- \`${method} ${path}\` ${name}`, `\`${permission}\``, statuses]
  if (deprecated) parts.push('deprecated')
  return `${parts.join('; ')}${codes.length > 0 ? `;${codes.join('')}` : ''}`
}

function eventLine([type, { version, data }]: readonly [string, EventDeclaration]): string {
  const members = Object.keys((data as { properties?: object }).properties ?? {})
  return `- \`${type}\` ${version}${members.length > 0 ? `; ${members.map(one => `\`${one}\``).join(' ')}` : ''}`
}
