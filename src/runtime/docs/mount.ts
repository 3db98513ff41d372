/**
 * The documentation at `/docs`: the Markdown files of this repository as pages, with a search that
 * needs no script and no network. Files are read at the first visit.
 */
import { readFile } from 'node:fs/promises'
import type { App } from '../../kernel/http/app.ts'
import { problem } from '../../kernel/errors/problem.ts'
import { markup, type Markup } from '../../kernel/http/markup.ts'
import { frame, policy } from './frame.ts'
import { openSearch, type Hit, type Search } from './search.ts'
import { base, openSite, type Site } from './site.ts'

const folder = new URL('../../../docs/', import.meta.url)
const query_length_max = 200

/** What lies beside the pages. Examples are shown as text, so that none of them runs here. */
const types: Readonly<Record<string, string>> = {
  svg: 'image/svg+xml',
  png: 'image/png',
  html: 'text/plain; charset=utf-8',
}

export function mountDocs(app: App): void {
  let opened: Promise<Site> | undefined
  let indexed: Promise<Search> | undefined
  const site = () => (opened ??= openSite())
  const search = () => (indexed ??= site().then(one => openSearch(one.all())))
  const sent = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }

  app.get(base, async (_request, reply) => reply.redirect(`${base}/`, 301))
  app.get(`${base}/search`, async (request, reply) => {
    const { q } = request.query as { q?: string | string[] }
    const query = (typeof q === 'string' ? q : '').slice(0, query_length_max)
    const [{ groups }, find] = await Promise.all([site(), search()])
    const body = found(query, find(query))
    const page = frame({ title: 'Search', name: 'search', groups, body, query })
    return reply.headers(sent).send(page)
  })
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
    return reply.headers(sent).send(frame({ ...shown, groups }))
  })
}

function found(query: string, hits: readonly Hit[]): Markup {
  if (query.trim() === '')
    return markup`<h1>Search</h1><p>Write what you look for into the field above.</p>`
  const items = hits.map(({ page, name, heading, id, excerpt }) => {
    const place = page === heading ? page : `${page}: ${heading}`
    return markup`<li><p><a href="${base}/${name}#${id}">${place}</a></p><p class="soft">${excerpt}</p></li>`
  })
  const none = markup`<p>Nothing was found. Try another word, or look at <a href="${base}/">all pages</a>.</p>`
  return markup`<h1>Search: ${query}</h1>${hits.length > 0 ? markup`<ol class="hits">${items}</ol>` : none}`
}
