/**
 * The lists below the pages of `docs/reference`: settings, errors, events, roles and permissions. They
 * are made from what the surfaces declare, so they are always those of this platform.
 */
import { describeSettings } from '../config.ts'
import { gather, type AnySurface } from '../gather-declarations.ts'

/** Markdown by the file of the page. */
export type Lists = Readonly<Record<string, () => string>>

export function referenceLists(surfaces: readonly AnySurface[]): Lists {
  return {
    'docs/reference/settings.md': () => settings(surfaces),
    'docs/reference/errors.md': () => errors(surfaces),
    'docs/reference/events.md': () => events(surfaces),
    'docs/reference/permissions.md': () => permissions(surfaces),
  }
}

function settings(surfaces: readonly AnySurface[]): string {
  const owners = new Set(surfaces.map(({ name }) => name))
  const groups = Map.groupBy(
    describeSettings(surfaces.map(one => one.settings)),
    ({ variable }) => {
      const first = variable.split('_')[0]?.toLowerCase() ?? ''
      return first === 'kernel' || owners.has(first) ? titled(first) : 'Platform'
    },
  )
  return listOf('##', groups, one => {
    const names = one.secret
      ? `\`${one.variable}\` or \`${one.variable}_FILE\``
      : `\`${one.variable}\``
    const usual = one.default === '(none)' ? 'none' : `\`${one.default}\``
    return `${names} (default ${usual}): ${sentence(one.says)}`
  })
}

function errors(surfaces: readonly AnySurface[]): string {
  const owners = new Map(
    surfaces.flatMap(({ name, errors }) =>
      Object.keys(errors).map(code => [code, titled(name)] as const),
    ),
  )
  // The kernel has some codes that surfaces declare too.
  const kernel = gather([]).catalog
  const all = [...gather(surfaces).catalog].toSorted(byName)
  const groups = Map.groupBy(all, ([code]) =>
    kernel.has(code) ? 'Every operation' : (owners.get(code) ?? 'Every operation'),
  )
  const sorted = new Map([...groups].toSorted(byName))
  return listOf('##', sorted, ([code, { status, title, cause, cure, retryable }]) => {
    const again = retryable ? ' The same request may succeed later.' : ''
    return `\`${code}\` (${status}): ${title}. ${[cause, cure].filter(Boolean).join(' ')}${again}`
  })
}

function events(surfaces: readonly AnySurface[]): string {
  const groups = surfaces.flatMap(({ name, events }) => {
    const shown = Object.entries(events).filter(([, { internal }]) => !internal)
    return shown.length > 0 ? [[titled(name), shown.toSorted(byName)] as const] : []
  })
  return listOf('##', new Map(groups), ([type, { data }]) => {
    const members = Object.keys((data as { properties?: object }).properties ?? {})
    return `\`${type}\`: ${members.map(one => `\`${one}\``).join(', ') || 'no data of its own'}`
  })
}

function permissions(surfaces: readonly AnySurface[]): string {
  const all = [...gather(surfaces).permissions].toSorted(byName)
  const roles = [...new Set(all.flatMap(([, one]) => one.roles))].toSorted()
  const held = roles.map(role => {
    const names = all.filter(([, one]) => one.roles.includes(role)).map(([name]) => `\`${name}\``)
    return `### ${role}\n\n${names.join(', ')}\n`
  })
  const groups = Map.groupBy(all, ([name]) => titled(name.split('.')[0] ?? ''))
  const lists = listOf('###', groups, ([name, { says, roles: holders, typed, duty }]) => {
    const who = holders.map(one => `\`${one}\``).join(', ') || 'no role'
    const more = [
      typed ? '; granted for one type, or with `:*` for all' : '',
      duty ? `; belongs to the duty of ${duty}` : '',
    ]
    return `\`${name}\`: ${sentence(says)} Held by ${who}${more.join('')}.`
  })
  return `## Roles\n\n${held.join('\n')}\n## Permissions\n\n${lists}`
}

function listOf<T>(
  mark: string,
  groups: ReadonlyMap<string, readonly T[]>,
  line: (one: T) => string,
): string {
  const parts = [...groups].map(
    ([title, entries]) => `${mark} ${title}\n\n${entries.map(one => `- ${line(one)}\n`).join('')}`,
  )
  return parts.join('\n')
}

function byName([one]: readonly [string, ...unknown[]], [other]: readonly [string, ...unknown[]]) {
  return one < other ? -1 : 1
}

function titled(name: string): string {
  return `${name[0]?.toUpperCase()}${name.slice(1)}`
}

function sentence(says: string): string {
  return /[.!?]$/.test(says) ? says : `${says}.`
}
