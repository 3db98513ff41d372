/** The root of the API: the addresses of the documentation, for programs and for people. */
import { Type } from 'typebox'
import { markup, reply, route, type Route } from '#dodeca/kernel'
import { html, wantsHtml } from './html.ts'

export type RootDeps = {
  readonly name: string
  readonly version: string
  readonly public_url: string
  readonly routes: () => readonly Route[]
}

const Root = Type.Object({
  name: Type.String(),
  version: Type.String(),
  docs: Type.String(),
  openapi: Type.String(),
  health: Type.String(),
})

/** The pages for people, if this platform has them. */
const places: readonly (readonly [string, string])[] = [
  ['/console', 'see and steer everything'],
  ['/docs', 'the documentation, with a search'],
  ['/docs/api', 'the reference of the API, to try with your own token'],
  ['/account/', 'log in, and manage your account'],
  ['/dev', 'helpers for development: mails, events, the clock'],
  ['/problems', 'every error code, and what to do about it'],
  ['/openapi.json', 'the OpenAPI document'],
]

export function rootRoute({ name, version, public_url, routes }: RootDeps): Route {
  return route({
    method: 'GET',
    path: '/',
    name: 'getRoot',
    summary: 'List the addresses of the documentation',
    description:
      'Returns the addresses of the reference, of this document and of the health check. With `Accept: text/html`, the reply is an HTML page.',
    permission: 'public',
    foreign_query: true,
    added: true,
    produces: ['application/json', 'text/html'],
    replies: { 200: Type.Union([Root, Type.String()]) },
    handle: ({ request }) => {
      if (wantsHtml(request.headers['accept'])) return html('Dodeca', links(routes()))
      return reply(200, {
        name,
        version,
        docs: `${public_url}/docs`,
        openapi: `${public_url}/openapi.json`,
        health: `${public_url}/healthz`,
      })
    },
  })
}

function links(routes: readonly Route[]) {
  const served = new Set(['/docs', '/docs/api', ...routes.map(({ path }) => path)])
  const rows = places
    .filter(([path]) => served.has(path))
    .map(([path, says]) => markup`<dt><a href="${path}">${path}</a></dt><dd>${says}</dd>`)
  return markup`<h1>Dodeca</h1><dl>${rows}</dl>`
}
