/**
 * What models can do, in one line for each operation: a change of it is seen in a review. The
 * operations that they can only find are listed too, and those that they never reach.
 */
import type { Route } from '#dodeca/kernel'
import { whyNever } from '../src/kernel/http/tools/never.ts'
import type { Tool } from '../src/kernel/http/tools/operations.ts'

export function toolsPage(routes: readonly Route[], tools: ReadonlyMap<string, Tool>): string {
  const all = [...tools.values()]
  const never = routes.filter(({ path }) => path.startsWith('/v1/')).flatMap(neverLine)
  return `# Tools

\`npm run generate\` writes this file. A tool is listed by its mode: \`read\`, \`write\`, or \`confirm\`, which asks for a yes first. Models find the other operations by \`find_operation\`; each that changes something asks first.

## Tools

${all
  .filter(({ is_tool }) => is_tool)
  .map(toolLine)
  .join('\n')}

## Found

${all
  .filter(({ is_tool }) => !is_tool)
  .map(toolLine)
  .join('\n')}

## Never

${never.sort().join('\n')}
`
}

function toolLine({ name, mode, surface, input }: Tool): string {
  const required = new Set(input.required)
  const names = Object.keys(input.properties).map(one => (required.has(one) ? one : `${one}?`))
  return `- ${name} \`${mode}\` ${surface ?? 'platform'}${names.length > 0 ? `: ${names.join(' ')}` : ''}`
}

function neverLine(route: Route): string[] {
  const why = whyNever(route)
  return why === null || route.hidden ? [] : [`- ${route.name ?? route.path}: ${why}`]
}
