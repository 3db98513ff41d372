/**
 * The documentation at `/docs`: the Markdown files of this repository as pages, the reference of
 * the API, and a search that needs no script and no network. All files are read at the first visit.
 */
import { readFile } from 'node:fs/promises'
import type { App } from '../../kernel/http/app.ts'
import { problem } from '../../kernel/errors/problem.ts'
import { markup, type Markup } from '../../kernel/http/markup.ts'
import { frame, policyFor, type FrameParts } from './frame.ts'
import { pythonClient } from './python/python-client.ts'
import type { Document } from './reference/document.ts'
import { openReference, type Reference } from './reference/reference.ts'
import { withSamples } from './samples.ts'
import { openSearch, type Hit, type Search } from './search.ts'
import { base, openSite, type Site } from './site.ts'

const folder = new URL('../../../docs/', import.meta.url)
const query_length_max = 200

/**
 * The types of other files in `docs/`. Examples are sent as text, so that a browser does not run
 * them.
 */
const types: Readonly<Record<string, string>> = {
  svg: 'image/svg+xml',
  png: 'image/png',
  html: 'text/plain; charset=utf-8',
}

/** `document` is the OpenAPI document, as JSON. */
export function mountDocs(app: App, document: () => string): void {
  let opened: Promise<Site> | undefined
  let indexed: Promise<Search[]> | undefined
  let read: Reference | undefined
  let sampled: string | undefined
  const site = () => (opened ??= openSite())
  const withOwn = () => (sampled ??= withSamples(document()))
  const reference = () => (read ??= openReference(withOwn()))
  const searches = () => (indexed ??= openSearches(site, reference))

  app.get(base, async (_request, reply) => reply.redirect(`${base}/`, 301))
  app.get(`${base}/search`, async (request, reply) => {
    const { q } = request.query as { q?: string | string[] }
    const query = (typeof q === 'string' ? q : '').slice(0, query_length_max)
    const [{ groups }, [pages, operations]] = await Promise.all([site(), searches()])
    const body = found(query, pages?.(query) ?? [], operations?.(query) ?? [])
    const parts = { title: 'Search', name: 'search', groups, body, query }
    return reply.headers(headersOf(parts)).send(frame(parts))
  })
  // Browsers ask every host for it, also from pages that name none.
  app.get('/favicon.ico', async (_request, reply) =>
    reply
      .header('content-type', 'image/svg+xml')
      .send(await readFile(new URL('images/icon.svg', folder))),
  )
  mountReference(app, reference, withOwn)
  mountPython(app, document)
  for (const kind of ['images', 'examples']) {
    app.get(`${base}/${kind}/:file`, async (request, reply) => {
      const { file = '' } = request.params as { file?: string }
      const type = types[/^[a-z0-9-]+\.([a-z]+)$/.exec(file)?.[1] ?? '']
      if (type === undefined) throw problem('not_found')
      const content = await readFile(new URL(`${kind}/${file}`, folder)).catch(() => null)
      if (!content) throw problem('not_found')
      return reply.header('content-type', type).send(content)
    })
  }
  app.get(`${base}/*`, async (request, reply) => {
    const { '*': name = '' } = request.params as { '*'?: string }
    const { groups, page } = await site()
    const shown = await page(name)
    if (!shown) throw problem('not_found')
    const parts = { ...shown, groups }
    return reply.headers(headersOf(parts)).send(frame(parts))
  })
}

function mountReference(app: App, reference: () => Reference, document: () => string): void {
  let read: Promise<string> | undefined
  const script = () => (read ??= readFile(new URL('reference/try-it.js', import.meta.url), 'utf8'))
  for (const path of [`${base}/api`, `${base}/api/`, `${base}/api/:name`]) {
    app.get(path, async (request, reply) => {
      const { name = '' } = request.params as { name?: string }
      const page = reference().page(name)
      if (!page) throw problem('not_found')
      const parts =
        name === ''
          ? { ...page, name: 'api' }
          : { ...page, name: `api/${name}`, script: await script() }
      return reply.headers(headersOf(parts)).send(frame(parts))
    })
  }
  app.get(`${base}/api/openapi.json`, async (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send(document()),
  )
}

function mountPython(app: App, document: () => string): void {
  let made: Promise<string> | undefined
  const transport = new URL('python/transport.py', import.meta.url)
  const make = async () =>
    pythonClient(JSON.parse(document()) as Document, await readFile(transport, 'utf8'))
  app.get(`${base}/dodeca.py`, async (_request, reply) =>
    reply.header('content-type', 'text/x-python; charset=utf-8').send(await (made ??= make())),
  )
}

function headersOf({ script }: FrameParts) {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policyFor(script),
  }
}

/**
 * Pages and operations are searched separately. Otherwise hundreds of operations would hide the
 * pages.
 */
async function openSearches(site: () => Promise<Site>, reference: () => Reference) {
  const { all } = await site()
  return Promise.all([openSearch(all()), openSearch(reference().all())])
}

function found(query: string, pages: readonly Hit[], operations: readonly Hit[]): Markup {
  if (query.trim() === '')
    return markup`<h1>Search</h1><p>Write what you look for into the field above.</p>`
  const none = markup`<p>Nothing was found. Try another word, or look at <a href="${base}/">all pages</a>.</p>`
  const below = markup`<p><a href="#operations">${operations.length} operations of the API</a> are below.</p>`
  return markup`<h1>Search: ${query}</h1>
${pages.length > 0 && operations.length > 0 && below}
${pages.length > 0 && hitList(pages)}
${operations.length > 0 && markup`<h2 id="operations">Operations</h2>${hitList(operations)}`}
${pages.length + operations.length === 0 && none}`
}

function hitList(hits: readonly Hit[]): Markup {
  const items = hits.map(({ page, name, heading, id, excerpt }) => {
    const place = page === heading ? page : `${page}: ${heading}`
    const anchor = id && `#${id}`
    return markup`<li><p><a href="${base}/${name}${anchor}">${place}</a></p><p class="soft">${excerpt}</p></li>`
  })
  return markup`<ol class="hits">${items}</ol>`
}
