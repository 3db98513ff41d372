/**
 * Writes docs/reference/*.md from what the code declares: settings, errors, events, roles and
 * permissions. `node scripts/reference-pages.ts` after a change of any of them; a test compares.
 */
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { gather } from '../src/runtime/gather.ts'
import { describeSettings } from '../src/runtime/config.ts'
import { composition } from '../src/platform.ts'
import { tables } from '../src/settings.ts'

const folder = resolve(import.meta.dirname, '../docs/reference')
const gathered = gather(composition.surfaces)

/** The pages under `docs/reference` by their names. */
export async function referencePages(): Promise<Record<string, string>> {
  const options = await resolveConfig(resolve(folder, 'settings.md'))
  const pages = {
    'settings.md': settingsPage(),
    'errors.md': errorsPage(),
    'events.md': eventsPage(),
    'permissions.md': permissionsPage(),
  }
  const formatted = Object.entries(pages).map(
    async ([name, text]) => [name, await format(text, { ...options, parser: 'markdown' })] as const,
  )
  return Object.fromEntries(await Promise.all(formatted))
}

function settingsPage(): string {
  const owners = new Set(tables.flatMap(table => Object.keys(table).map(name => ownerOf(name))))
  const groups = Map.groupBy(describeSettings(tables), ({ variable }) => {
    const first = variable.split('_')[0]?.toLowerCase() ?? ''
    if (first === 'kernel') return 'Kernel'
    return owners.has(first) ? titled(first) : 'Platform'
  })
  const parts = [...groups].map(([group, settings]) => {
    const lines = settings.map(
      one =>
        `- \`${one.variable}\`${one.secret ? ` or \`${one.variable}_FILE\`` : ''} (default ${shown(one.default)}): ${sentence(one.says)}`,
    )
    return `## ${group}\n\n${lines.join('\n')}\n`
  })
  return `# All settings

Each setting is an environment variable with a default. An unknown name or an invalid value stops the start with a sentence that says what to change. [Configuration](../configuration.md) explains those of a first production start; \`npx dodeca help settings\` prints this list; a variable with \`_FILE\` names a file with the secret; \`GET /v1/limits\` shows the limits in force. This page is generated.

${parts.join('\n')}`
}

function errorsPage(): string {
  const kernel = new Set(gather([]).catalog.keys())
  const owned = new Map(
    composition.surfaces.flatMap(({ name, errors }) =>
      Object.keys(errors).map(code => [code, titled(name)] as const),
    ),
  )
  const groups = Map.groupBy([...gathered.catalog].toSorted(byName), ([code]) =>
    kernel.has(code) ? 'Every operation' : (owned.get(code) ?? 'Every operation'),
  )
  const parts = [...groups].toSorted(byName).map(([group, entries]) => {
    const lines = entries.map(([code, { status, title, cause, cure, retryable }]) => {
      const again = retryable ? ' The same request may succeed later.' : ''
      return `- \`${code}\` (${status}): ${title}. ${[cause, cure].filter(Boolean).join(' ')}${again}`
    })
    return `## ${group}\n\n${lines.join('\n')}\n`
  })
  return `# All errors

Each refusal is a problem document of RFC 9457 with a stable \`code\` ([Requests and errors](../requests.md#errors)). Branch on \`code\`; \`/problems/{code}\` of a running platform is the page of one of them. This page is generated.

${parts.join('\n')}`
}

function eventsPage(): string {
  const parts = composition.surfaces
    .filter(({ events }) => Object.values(events).some(one => !one.internal))
    .map(({ name, events }) => {
      const lines = Object.entries(events)
        .filter(([, { internal }]) => !internal)
        .toSorted(byName)
        .map(([type, { data }]) => {
          const members = Object.keys((data as { properties?: object }).properties ?? {})
          const says = members.map(one => `\`${one}\``).join(', ')
          return `- \`${type}\`: ${says || 'no data of its own'}`
        })
      return `## ${titled(name)}\n\n${lines.join('\n')}\n`
    })
  return `# All events

The events to which a webhook can subscribe, with the members of their \`data\`. Each has also the members that all events have ([Webhooks](../webhooks.md#send-an-event)). How they are written and delivered is explained in [Events](../events.md); \`GET /v1/webhook-event-types\` lists them with their schemas. This page is generated.

${parts.join('\n')}`
}

function permissionsPage(): string {
  const all = [...gathered.permissions].toSorted(byName)
  const roles = [...new Set(all.flatMap(([, one]) => one.roles))].toSorted()
  const held = roles.map(role => {
    const names = all.filter(([, one]) => one.roles.includes(role)).map(([name]) => `\`${name}\``)
    return `### ${role}\n\n${names.join(', ')}\n`
  })
  const groups = Map.groupBy(all, ([name]) => titled(ownerOf(name)))
  const parts = [...groups].map(([group, entries]) => {
    const lines = entries.map(([name, { says, roles: holders, typed, duty }]) => {
      const who = holders.length > 0 ? holders.map(one => `\`${one}\``).join(', ') : 'no role'
      const more = [
        ...(typed ? ['granted for one type, or with `:*` for all'] : []),
        ...(duty ? [`belongs to the duty of ${duty}`] : []),
      ]
      return `- \`${name}\`: ${sentence(says)} Held by ${who}${more.map(one => `; ${one}`).join('')}.`
    })
    return `### ${group}\n\n${lines.join('\n')}\n`
  })
  return `# Roles and permissions

A request is allowed by a permission; people have permissions through roles. Everybody who registers is a \`member\`. \`npx dodeca user grant\` and \`PUT /v1/accounts/{account_id}/roles/{role_id}\` give more, and \`POST /v1/roles\` defines roles of your own ([Operation](../operation.md#permissions-of-your-users)). No role holds permissions of two different duties. This page is generated.

## Roles

${held.join('\n')}
## Permissions

${parts.join('\n')}`
}

function byName([one]: readonly [string, ...unknown[]], [other]: readonly [string, ...unknown[]]) {
  return one < other ? -1 : 1
}

function ownerOf(name: string): string {
  return name.split('.')[0] ?? ''
}

function titled(name: string): string {
  return `${name[0]?.toUpperCase()}${name.slice(1)}`
}

function sentence(says: string): string {
  return /[.!?]$/.test(says) ? says : `${says}.`
}

/** The default value as code; an empty default has no code marks. */
function shown(value: string): string {
  return value === '(none)' ? 'none' : `\`${value}\``
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(await referencePages())) {
    await writeFile(resolve(folder, name), text)
  }
  console.log('docs/reference is written.')
}
