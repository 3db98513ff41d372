/**
 * The documentation at `/docs`: the Markdown files of this repository as pages, the reference of
 * the API, and a search that needs no script and no network. All files are read at the first visit.
 */
import { readFile } from 'node:fs/promises'
import { markup, Problem, problem, type Markup } from '#dodeca/kernel'
import type { Rendered } from '../../kernel/http/contract/reply.ts'
import type { WebPage } from '../../kernel/http/server/router.ts'
import { lazily } from '../lazily.ts'
import { wantsHtml } from '../platform-routes/html.ts'
import type { AnySurface } from '../gather-declarations.ts'
import { base, frame, headersFor, type FrameParts } from './frame.ts'
import { pythonClient } from './python/python-client.ts'
import type { Document } from './reference/document.ts'
import type { Reference } from './reference/reference.ts'
import { withSamples } from './reference/samples.ts'
import { openSearch, type Hit, type Search } from './search.ts'
import type { Site } from './site.ts'

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
export function docsPages(
  document: () => string,
  surfaces: readonly AnySurface[],
  public_url: string,
): WebPage[] {
  let opened: Promise<Site> | undefined
  let indexed: Promise<Search[]> | undefined
  let read: Promise<Reference> | undefined
  let sampled: string | undefined
  const site = () => (opened ??= loadSite(surfaces, public_url, document))
  const withOwn = () => (sampled ??= withSamples(document()))
  const reference = () => (read ??= loadReference(withOwn()))
  const searches = () => (indexed ??= openSearches(site, reference))

  const folded = { status: 301, headers: { location: `${base}/` }, body: null }
  const pages: WebPage[] = [
    { path: base, read: () => Promise.resolve(folded) },
    {
      path: `${base}/search`,
      read: async ({ query: { q } }) => {
        const query = (typeof q === 'string' ? q : '').slice(0, query_length_max)
        // The first search reads all pages. Without words that is not necessary.
        const indexes = query.trim() === '' ? [] : searches()
        const [{ groups }, [pages, operations]] = await Promise.all([site(), indexes])
        const body = found(query, pages?.(query) ?? [], operations?.(query) ?? [])
        return await shown({ title: 'Search', name: 'search', groups, body, query })
      },
    },
    // Browsers ask every host for it, also from pages that name none.
    { path: '/favicon.ico', read: () => fileAt('images/icon.svg', types['svg']) },
    ...referencePages(reference, withOwn),
    pythonPage(document),
    ...['images', 'examples'].map(filePages),
    // For models: what there is to read, each page as Markdown.
    {
      path: '/llms.txt',
      read: () => Promise.resolve({ ...folded, headers: { location: `${base}/llms.txt` } }),
    },
    { path: `${base}/llms.txt`, read: async () => markdown(await contents(site)) },
    {
      path: `${base}/*`,
      read: async ({ params: { '*': name = '' } }) => {
        const { groups, page, text } = await site()
        if (name.endsWith('.md'))
          return markdown(await text(name.slice(0, -3).replace(/^index$/, '')))
        const parts = await page(name)
        if (!parts) throw problem('not_found')
        return await shown({ ...parts, groups })
      },
    },
  ]
  return pages.map(page => withMissing(page, site))
}

/** A browser gets a page that leads on where another client gets the problem document. */
function withMissing({ path, read }: WebPage, site: () => Promise<Site>): WebPage {
  const missing = async (error: unknown, accept: string | undefined): Promise<Rendered> => {
    if (!(error instanceof Problem) || error.status !== 404 || !wantsHtml(accept)) throw error
    const { groups } = await site()
    const title = 'There is no such page'
    const body = markup`<h1>${title}</h1><p>Search for it above, or look at <a href="${base}/">all pages</a>.</p>`
    return { ...(await shown({ title, name: '', groups, body })), status: 404 }
  }
  return {
    path,
    read: asked => read(asked).catch((error: unknown) => missing(error, asked.headers.accept)),
  }
}

/** The parser of Markdown takes 6 MB. It is loaded at the first visit. */
async function loadSite(
  surfaces: readonly AnySurface[],
  public_url: string,
  document: () => string,
): Promise<Site> {
  const { referenceLists } = await import('./reference-lists.ts')
  const { samplesFromCurl } = await import('./reference/from-curl.ts')
  const { openSite } = await import('./site.ts')
  let read: Document | undefined
  const samplesOf = (source: string) =>
    samplesFromCurl((read ??= JSON.parse(document()) as Document), source)
  return await openSite(referenceLists(surfaces), public_url, samplesOf)
}

async function loadReference(document: string): Promise<Reference> {
  return (await import('./reference/reference.ts')).openReference(document)
}

/** The convention of llmstxt.org: a title and lists of links. */
async function contents(site: () => Promise<Site>): Promise<string> {
  const { groups } = await site()
  const lists = groups.map(({ title, entries }) => {
    const lines = entries.map(one => `- [${one.title}](${base}/${one.name}.md)\n`)
    return `\n## ${title}\n\n${lines.join('')}`
  })
  return `# Dodeca\n\nThe operations of the API are in [openapi.json](${base}/api/openapi.json).\n${lists.join('')}`
}

function markdown(body: string | null): Rendered {
  if (body === null) throw problem('not_found')
  return { status: 200, headers: { 'content-type': 'text/markdown; charset=utf-8' }, body }
}

function filePages(kind: string): WebPage {
  return {
    path: `${base}/${kind}/:file`,
    read: async ({ params: { file = '' } }) => {
      const type = types[/^[a-z0-9-]+\.([a-z]+)$/.exec(file)?.[1] ?? '']
      if (type === undefined) throw problem('not_found')
      return fileAt(`${kind}/${file}`, type)
    },
  }
}

async function fileAt(path: string, type = ''): Promise<Rendered> {
  const body = await readFile(new URL(path, folder)).catch(() => null)
  if (!body) throw problem('not_found')
  return { status: 200, headers: { 'content-type': type }, body }
}

function referencePages(reference: () => Promise<Reference>, document: () => string): WebPage[] {
  const script = lazily(() => readFile(new URL('reference/try-it.js', import.meta.url), 'utf8'))
  const pageOf: WebPage['read'] = async ({ params: { name = '' } }) => {
    const page = (await reference()).page(name)
    if (!page) throw problem('not_found')
    if (name === '') return await shown({ ...page, name: 'api' })
    return await shown({ ...page, name: `api/${name}`, script: await script() })
  }
  const paths = [`${base}/api`, `${base}/api/`, `${base}/api/:name`]
  const type = 'application/json; charset=utf-8'
  return [
    ...paths.map(path => ({ path, read: pageOf })),
    {
      path: `${base}/api/openapi.json`,
      read: () =>
        Promise.resolve({ status: 200, headers: { 'content-type': type }, body: document() }),
    },
  ]
}

function pythonPage(document: () => string): WebPage {
  let made: Promise<string> | undefined
  const transport = new URL('python/transport.py', import.meta.url)
  const make = async () =>
    pythonClient(JSON.parse(document()) as Document, await readFile(transport, 'utf8'))
  const headers = { 'content-type': 'text/x-python; charset=utf-8' }
  return {
    path: `${base}/dodeca.py`,
    read: async () => ({ status: 200, headers, body: await (made ??= make()) }),
  }
}

const pageScript = lazily(() => readFile(new URL('docs-page.js', import.meta.url), 'utf8'))

async function shown(parts: Omit<FrameParts, 'script'> & { script?: string }): Promise<Rendered> {
  const script = `${await pageScript()}${parts.script ?? ''}`
  const headers = headersFor(script, parts.script === undefined ? '' : `connect-src 'self'; `)
  return { status: 200, headers, body: frame({ ...parts, script }) }
}

/**
 * Pages and operations are searched separately. Otherwise hundreds of operations would hide the
 * pages.
 */
async function openSearches(site: () => Promise<Site>, reference: () => Promise<Reference>) {
  const { all } = await site()
  return Promise.all([openSearch(all()), openSearch((await reference()).all())])
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
