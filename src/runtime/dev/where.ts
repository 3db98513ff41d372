/** The addresses that you can open next, as JSON or, for a browser, as a page of links. */
import Negotiator from 'negotiator'
import { Type, type Static } from 'typebox'
import { markup, nullable, reply, rfc3339, route } from '#dodeca/kernel'
import type { Clock, Markup, Route } from '#dodeca/kernel'
import type { OutsideWorld } from '../../kernel/outgoing/sandbox-control.ts'
import { page, type Page } from './page.ts'

export type WhereDeps = {
  readonly public_url: string
  readonly clock: Clock
  readonly outside: OutsideWorld
}

const Where = Type.Object({
  base_url: Type.String(),
  docs: Type.String(),
  openapi: Type.String(),
  inbox: Type.String(),
  console: Type.String(),
  helpers: Type.Array(Type.String()),
  sandbox: nullable(Type.Record(Type.String(), Type.Record(Type.String(), Type.String()))),
  clock: Type.Object({ offset_seconds: Type.Number(), now: Type.String() }),
})
type Where = Static<typeof Where>

const media_types = ['application/json', 'text/html']

export function whereRoute(deps: WhereDeps, helpers: readonly string[]): Route {
  return route({
    method: 'GET',
    path: '/dev',
    summary: 'Where everything is',
    permission: 'public',
    hidden: true,
    added: true,
    transaction: 'own',
    head: true,
    produces: media_types,
    replies: { 200: Type.Union([Where, Type.String()]) },
    handle: async ({ request }) => {
      const where = await whereOf(deps, helpers)
      const accept = String(request.headers['accept'] ?? '*/*')
      const chosen = new Negotiator({ headers: { accept } }).mediaType([...media_types])
      if (chosen !== 'text/html') return reply(200, where)
      const { body, headers } = wherePage(where)
      return reply(200, body, headers)
    },
  })
}

async function whereOf(
  { public_url, clock, outside }: WhereDeps,
  helpers: readonly string[],
): Promise<Where> {
  return {
    base_url: public_url,
    docs: `${public_url}/docs`,
    openapi: `${public_url}/openapi.json`,
    inbox: `${public_url}/dev/inbox`,
    console: `${public_url}/console`,
    helpers: [...helpers],
    sandbox: await outside.addresses(),
    clock: { offset_seconds: clock.offsetSeconds(), now: rfc3339(clock.nowMs()) },
  }
}

function wherePage(where: Where): Page {
  const { clock, sandbox } = where
  const moved = clock.offset_seconds === 0 ? 'not moved' : `moved by ${clock.offset_seconds} s`
  const body = markup`<main><header><h1>Where everything is</h1></header>
    <div class="card">
      <dl>
        ${row('Base URL', link(where.base_url))} ${row('Documentation', link(where.docs))}
        ${row('OpenAPI', link(where.openapi))} ${row('Inbox', link(where.inbox))}
        ${row('Console', link(where.console))}
        ${row('Clock', markup`${clock.now} (${moved})`)}
      </dl>
    </div>
    <h2>Sandbox</h2>
    ${sandbox === null ? markup`<p class="soft">It does not run.</p>` : Object.entries(sandbox).map(vendor)}
    <h2>Helpers</h2>
    <div class="card"><dl>${where.helpers.map(helper)}</dl></div></main>`
  return page({ title: 'Where everything is', body })
}

function vendor([name, addresses]: [string, Readonly<Record<string, string>>]): Markup {
  return markup`<div class="card">
    <dl>
      ${row('Vendor', markup`<strong>${name}</strong>`)}
      ${Object.entries(addresses).map(([key, address]) =>
        row(key, address.startsWith('http') ? link(address) : markup`<code>${address}</code>`),
      )}
    </dl>
  </div>`
}

function helper(line: string): Markup {
  const [method = '', path = ''] = line.split(' ')
  return row(
    method,
    method === 'GET' && !path.includes('{') ? link(path) : markup`<code>${path}</code>`,
  )
}

function row(name: string, value: Markup): Markup {
  return markup`<dt>${name}</dt>
    <dd>${value}</dd>`
}

function link(address: string): Markup {
  return markup`<a href="${address}">${address}</a>`
}
