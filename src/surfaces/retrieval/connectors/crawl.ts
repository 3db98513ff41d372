/**
 * Lists the pages of a web connector, as far as robots.txt allows. These are its URLs, and the
 * pages below them on the same host to which they link. A stored page is requested conditionally
 * (ETag, or Last-Modified). If the server replies that the page is unchanged, the links of the
 * stored text are used. If a page cannot be fetched, the listing is incomplete and nothing is
 * deleted. The same holds if pages link to more URLs than are kept in memory.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import robotsParser from 'robots-parser'
import type { SafeResponse } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { ConnectorConfig } from './schemas.ts'

export type Page = {
  readonly url: string
  readonly content_type: string
  readonly body: Buffer
  readonly source_version: string | null
  /** The server replied that the page is unchanged. */
  readonly unchanged: boolean
}

/** The stored data of a page. */
export type Earlier = {
  readonly source_version: string
  readonly content_type: string
  readonly text: string
}
type FindEarlier = (url: string) => Promise<Earlier | undefined>

export type Crawl = {
  /** False if a page could not be fetched. */
  complete: boolean
}

const agent = 'DodecaBot'
/** A hostile page of 50 MiB may have millions of links. */
const links_max = 50_000
/** After so many links the process gets a turn for its other work. */
const links_a_turn = 200
type Robots = { isAllowed(url: string, agent: string): boolean | undefined }
type Place = { readonly url: string; readonly depth: number }

export async function* crawl(
  deps: Pick<Deps, 'kernel' | 'fetch'>,
  { urls = [], depth: depth_max = 0 }: ConnectorConfig,
  pages_max: number,
  state: Crawl,
  signal: AbortSignal,
  findEarlier: FindEarlier,
): AsyncGenerator<Page> {
  const robots = new Map<string, Robots>()
  const starts = urls.map(url => new URL(url).href)
  const queue: Place[] = starts.map(url => ({ url, depth: 0 }))
  const seen = new Set(starts)
  let fetched = 0
  let looked_at = 0
  const rest = async () => {
    if (++looked_at % links_a_turn === 0) await nextTurn()
    signal.throwIfAborted()
  }
  for (let next = queue.shift(); next; next = queue.shift()) {
    await rest()
    if (fetched === pages_max) {
      state.complete = false
      return
    }
    const { url, depth } = next
    if (!(await isAllowed(deps, robots, url, signal))) continue
    fetched++
    const page = await fetchPage(deps, url, await findEarlier(url), state, signal)
    if (!page) continue
    yield page
    if (depth === depth_max || page.content_type !== 'text/html') continue
    for (const link of linksOf(page, starts)) {
      await rest()
      if (link === null || seen.has(link)) continue
      if (seen.size >= links_max) {
        state.complete = false
        break
      }
      seen.add(link)
      queue.push({ url: link, depth: depth + 1 })
    }
  }
}

/** A page that no longer exists is left out. Any other failure makes the listing incomplete. */
async function fetchPage(
  deps: Pick<Deps, 'kernel' | 'fetch'>,
  url: string,
  earlier: Earlier | undefined,
  state: Crawl,
  signal: AbortSignal,
): Promise<Page | undefined> {
  const response = await get(deps, url, signal, earlier ? conditionOf(earlier) : {})
  if (response?.status === 304 && earlier) {
    const { text, ...known } = earlier
    return { url, ...known, body: Buffer.from(text), unchanged: true }
  }
  if (response?.status === 200) {
    const { headers, body } = response
    const type = headers['content-type']?.split(';', 1)[0]
    const version = headers['etag'] ?? headers['last-modified']
    return {
      url,
      body,
      content_type: type?.trim().toLowerCase() ?? '',
      source_version: typeof version === 'string' ? version.slice(0, 200) : null,
      unchanged: false,
    }
  }
  if (response?.status !== 404 && response?.status !== 410) state.complete = false
  return undefined
}

function conditionOf({ source_version }: Earlier): Record<string, string> {
  const is_etag = /^(W\/)?"[\x21\x23-\x7e]*"$/.test(source_version)
  if (is_etag) return { 'if-none-match': source_version }
  const is_date = /^[A-Z][a-z]{2}, [\w: ]{10,40} GMT$/.test(source_version)
  return is_date ? { 'if-modified-since': source_version } : {}
}

async function get(
  { kernel: { settings }, fetch }: Pick<Deps, 'kernel' | 'fetch'>,
  url: string,
  signal: AbortSignal,
  condition: Record<string, string> = {},
): Promise<SafeResponse | undefined> {
  const limit_ms = settings['retrieval.fetch_seconds'] * 1000
  try {
    return await fetch(url, {
      headers: { 'user-agent': `${agent}/1`, ...condition },
      deadline_ms: limit_ms,
      body_timeout_ms: limit_ms,
      max_body_bytes: settings['retrieval.document_bytes'],
      over_limit: 'fail',
      signal,
    })
  } catch (error) {
    if (signal.aborted) throw error
    return undefined
  }
}

async function isAllowed(
  deps: Pick<Deps, 'kernel' | 'fetch'>,
  known: Map<string, Robots>,
  url: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { origin } = new URL(url)
  let robots = known.get(origin)
  if (!robots) {
    const at = `${origin}/robots.txt`
    const response = await get(deps, at, signal)
    const text = response?.status === 200 ? response.body.toString('utf8').slice(0, 500_000) : ''
    // @ts-expect-error -- the package declares a namespace, and exports a function
    robots = robotsParser(at, text) as Robots
    known.set(origin, robots)
  }
  return robots.isAllowed(url, agent) !== false
}

/**
 * Links are found with a pattern that takes linear time, because a hostile page could keep a parser
 * in this process busy. A missed link costs one page, and a wrong link costs one request.
 */
const anchors = /<a\s[^<>]{0,2000}?\bhref\s*=\s*(?:"([^"<>]{1,2048})"|'([^'<>]{1,2048})')/gi

/** Null stands for a link that leads elsewhere. */
function* linksOf({ url, body }: Page, starts: readonly string[]): Generator<string | null, void> {
  const folders = starts.map(start => new URL('.', start).href)
  for (const [, quoted, single] of body.toString('utf8').matchAll(anchors)) {
    const href = (quoted ?? single ?? '').replaceAll('&amp;', '&')
    const target = URL.parse(href, url)
    if (target) target.hash = ''
    const is_below =
      target && folders.some(folder => /^https?:/.test(folder) && target.href.startsWith(folder))
    yield is_below ? target.href : null
  }
}
