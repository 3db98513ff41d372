/**
 * The console: one page for all its addresses, and its two files. The page is public and contains
 * no data. A signed-in person sees data from the API, with the session's cookies. The policy allows
 * only these files: no inline script or style, no other origin, and no text as markup.
 */
import { Type } from 'typebox'
import { closed, htmlPage, markup, problem, reply, route, text } from '#dodeca/kernel'
import type { RequestFacts, Route } from '#dodeca/kernel'
import {
  bundleClient,
  bundleConsole,
  bundleElements,
  joinClient,
  type Asset,
  type Bundle,
} from './bundle.ts'
import { clientPackage, readTypes } from './client-package.ts'

const policy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `connect-src 'self'`,
  `img-src 'self' data: blob:`,
  `frame-src 'self'`,
  `form-action 'none'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
  `require-trusted-types-for 'script'`,
  `trusted-types 'none'`,
].join('; ')

/** The HTML of mails has inline styles. */
const frame_policy = [
  `default-src 'none'`,
  `style-src 'unsafe-inline'`,
  `img-src data:`,
  `form-action 'none'`,
  `base-uri 'none'`,
  `frame-ancestors 'self'`,
  `sandbox allow-same-origin`,
].join('; ')

const common = { method: 'GET', permission: 'public', hidden: true, added: true } as const
const segment = text(300)

/** The addresses of the page. Its script in the browser decides which view each address shows. */
const paths = [
  '/console',
  '/console/',
  '/console/{place}',
  '/console/{place}/{kind}',
  '/console/{place}/{kind}/{item}',
] as const

export function consoleRoutes(document: () => string): Route[] {
  const bundle = fallible(() => bundleConsole(document()))
  return [
    moduleRoute('client', 'The client as a module for browsers', () => bundleClient(document())),
    moduleRoute('elements', 'The elements for pages', () => bundleElements(document())),
    clientPackageRoute(document),
    assetRoute(bundle),
    frameRoute(),
    ...paths.map(path => pageRoute(path, bundle)),
  ]
}

function pageRoute(path: (typeof paths)[number], bundle: () => Promise<Bundle>): Route {
  const names = [...path.matchAll(/\{([a-z]+)\}/g)].map(([, name = '']) => [name, segment] as const)
  return route({
    ...common,
    path,
    summary: 'The console',
    params: Object.fromEntries(names),
    // The state of the page: its filters and the selected rows.
    query: closed({ q: Type.Optional(text(2000)) }),
    transaction: 'own',
    head: true,
    produces: ['text/html'],
    replies: { 200: Type.String() },
    handle: async () => {
      const { script, style } = await bundle()
      return reply(200, page(script, style), {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy,
        'cache-control': 'no-cache',
        'referrer-policy': 'same-origin',
      })
    },
  })
}

function page(script: Asset, style: Asset): string {
  return htmlPage({
    title: 'Dodeca',
    head: markup`<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/console/assets/${style.name}">
<script type="module" src="/console/assets/${script.name}"></script>`,
    body: markup`<noscript>The console needs JavaScript. The same is possible with the API: see /docs.</noscript>`,
  })
}

/**
 * An empty page in which HTML from strangers is shown. No script runs in it, and it loads nothing.
 */
function frameRoute(): Route {
  return route({
    ...common,
    path: '/console/frame',
    summary: 'The frame of a preview',
    transaction: 'own',
    head: true,
    produces: ['text/html'],
    replies: { 200: Type.String() },
    handle: () =>
      Promise.resolve(
        reply(200, '<!doctype html><html lang="en"><title>Preview</title><body></body></html>', {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': frame_policy,
          'cache-control': 'no-cache',
        }),
      ),
  })
}

function assetRoute(bundle: () => Promise<Bundle>): Route {
  return route({
    ...common,
    path: '/console/assets/{name}',
    summary: 'A file of the console',
    params: { name: text(100) },
    transaction: 'own',
    head: true,
    produces: ['text/javascript', 'text/css'],
    replies: { 200: Type.Unsafe<Buffer>({ type: 'string' }) },
    fails: ['not_found'],
    handle: async ({ params, request }) => {
      const asset = Object.values(await bundle()).find(one => one.name === params.name)
      // A page that was loaded before an update may request a file that no longer exists.
      if (!asset) throw problem('not_found')
      return fileReply(asset, request, 'public, max-age=31536000, immutable')
    },
  })
}

/** Modules for pages of any origin, each at one address: they have the version of the platform. */
function moduleRoute(name: string, summary: string, make: () => Promise<Asset>): Route {
  const file = fallible(make)
  return route({
    ...common,
    path: `/client/v1/${name}.js`,
    summary,
    any_origin: true,
    transaction: 'own',
    head: true,
    produces: ['text/javascript'],
    sends: ['etag'],
    headers: { 'cache-control': 'no-cache' },
    replies: { 200: Type.Unsafe<Buffer>({ type: 'string' }) },
    handle: async ({ request }) => fileReply(await file(), request, 'no-cache'),
  })
}

/** The client for programs with a build or in Node: `npm install` takes the file, or commit it. */
function clientPackageRoute(document: () => string): Route {
  const made = fallible(async () => {
    const types = await readTypes()
    return clientPackage(await joinClient(document()), types)
  })
  return route({
    ...common,
    path: '/client/dodeca-client.tgz',
    summary: 'The client as a package',
    transaction: 'own',
    head: true,
    produces: ['application/gzip'],
    sends: ['etag'],
    headers: { 'cache-control': 'no-cache' },
    replies: { 200: Type.Unsafe<Buffer>({ type: 'string' }) },
    fails: ['not_found'],
    handle: async () => {
      const { name, bytes, etag } = await made()
      return reply(200, bytes, {
        'content-type': 'application/gzip',
        'content-disposition': `attachment; filename="${name}"`,
        'cache-control': 'no-cache',
        etag,
      })
    },
  })
}

/** Kept, unless it failed. */
function fallible<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    }))
}

function fileReply(asset: Asset, { headers }: RequestFacts, cache_control: string) {
  const accepted = String(headers['accept-encoding'] ?? '')
  const coding = (['br', 'gzip'] as const).find(one => accepted.includes(one))
  return reply(200, coding ? asset[coding] : asset.plain, {
    'content-type': asset.type,
    'cache-control': cache_control,
    vary: 'accept-encoding',
    ...(cache_control === 'no-cache' ? { etag: `"${asset.name}${coding ?? ''}"` } : {}),
    ...(coding ? { 'content-encoding': coding } : {}),
  })
}
