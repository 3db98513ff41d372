/**
 * Every page that a browser can open, in Chromium: the documentation, each operation, each problem,
 * the account pages, the pages of development, and each place of the console. No page may report an
 * error, miss a file, ask another host, be wider than the window, or violate a rule of axe.
 * Each page is opened in one of six views (three widths, two colour schemes), the next page in the
 * next view. Of operations and problems, whose pages have one template each, it opens every eighth;
 * `npm run chaos` opens all. SITE_CRAWL=all opens each page in all six views, SITE_CRAWL=1280-light each
 * in this one (SITE_CRAWL=1280: in both schemes); then sizes and first paint are printed. SHOTS=<folder>
 * keeps pictures.
 */
import axe from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { has_chromium, openConsoleWorld, type Visitor } from './console/console-world.ts'

const asked = process.env['SITE_CRAWL']
const shots = process.env['SHOTS']
const is_whole = asked !== undefined || inject('chaos') === 'full'
const ofOneTemplate = (paths: readonly string[]) =>
  paths.filter((_, index) => is_whole || index % 8 === 0)
const views = [390, 1280, 2560].flatMap(width =>
  (['light', 'dark'] as const).map(colorScheme => ({ width, colorScheme })),
)
type View = (typeof views)[number]
type Figures = { readonly at: string; readonly bytes: number; readonly paint_ms: number }
type Look = { readonly page: Page; readonly at: string; readonly view: View; axe?: boolean }

describe.skipIf(!has_chromium)('every page in a browser', async () => {
  if (!has_chromium) return
  const console_world = await openConsoleWorld()
  const { url } = console_world
  const figures: Record<string, Figures[]> = {}
  let owner: Visitor
  let browser: Browser
  beforeAll(async () => {
    owner = await console_world.visit('owner@acme.example')
    browser = owner.context.browser() as Browser
  })
  afterAll(async () => {
    await console_world.close()
    if (asked) printFigures(figures)
  })

  /** Opens pages, each in its views, and returns what is wrong with them. */
  async function crawl(kind: string, paths: readonly string[], more: Crawl = {}) {
    const wrong: string[] = []
    const seen = figures[kind] ?? []
    figures[kind] = seen
    for (const [turn, view] of views.entries()) {
      const mine = paths.filter((_, index) =>
        asked ? isAsked(view) : index % views.length === turn,
      )
      const context = await browser.newContext({
        locale: 'en-GB',
        viewport: { width: view.width, height: 900 },
        colorScheme: view.colorScheme,
        ...(more.logged_in && { storageState: await owner.context.storageState() }),
      })
      const watched = await watch(context, url)
      for (const [index, at] of mine.entries()) {
        const look = { page: watched.page, at, view, axe: index % (more.axe_each ?? 1) === 0 }
        seen.push(await open(look, url, more.ready))
        const found = [...(await faultsOf(look)), ...watched.faults()]
        wrong.push(...found.map(one => `${at} ${view.width} ${view.colorScheme}: ${one}`))
      }
      await context.close()
    }
    return wrong
  }

  test('of the documentation and the problems', { timeout: 600_000 }, async () => {
    const pages = [...(await linksOf(url, '/docs/', /"(\/docs[^"#]*)[#"]/g)), '/docs/search?q=job']
    expect(pages.length).toBeGreaterThan(40)
    const problems = await linksOf(url, '/problems', /"(\/problems\/[^"#]+)[#"]/g)
    expect(problems.length).toBeGreaterThan(100)
    const own = pages.filter(one => !/\.(json|py|svg|png)$/.test(one))
    expect(await crawl('documentation', ['/', ...own])).toEqual([])
    expect(
      await crawl('problems', ['/problems', ...ofOneTemplate(problems)], { axe_each: 10 }),
    ).toEqual([])
  })

  test('of the operations', { timeout: 600_000 }, async () => {
    const operations = await linksOf(url, '/docs/api', /"(\/docs\/api\/[^"#.]+)[#"]/g)
    expect(operations.length).toBeGreaterThan(300)
    expect(await crawl('operations', ofOneTemplate(operations), { axe_each: 10 })).toEqual([])
  })

  test('of the account, logged out and logged in', { timeout: 300_000 }, async () => {
    const pages = console_world.world.platform.routes
      .filter(({ method, path }) => method === 'GET' && path.startsWith('/account'))
      .map(({ path }) => path)
    expect(pages.length).toBeGreaterThan(12)
    expect(await crawl('account', pages)).toEqual([])
    expect(await crawl('account', pages, { logged_in: true })).toEqual([])
  })

  test('of development', { timeout: 300_000 }, async () => {
    const pages = ['/dev', '/dev/inbox', '/dev/inbox?channel=email']
    expect(await crawl('development', pages)).toEqual([])
  })

  test('of the console, each place and an item of it', { timeout: 600_000 }, async () => {
    const places = await placesOf(owner.page, url)
    expect(places.length).toBeGreaterThan(80)
    const ready = consoleIsReady
    expect(await crawl('console', places, { logged_in: true, ready })).toEqual([])
  })
})

/** Sizes and first paint of each kind of page. */
function printFigures(figures: Readonly<Record<string, Figures[]>>): void {
  for (const [kind, all] of Object.entries(figures)) {
    const line = (['bytes', 'paint_ms'] as const).map(name => {
      const sorted = all.toSorted((a, b) => a[name] - b[name])
      const [middle, last] = [sorted[sorted.length >> 1], sorted.at(-1)]
      return `${name} median ${middle?.[name]}, most ${last?.[name]} (${last?.at})`
    })
    process.stdout.write(`${kind}: ${all.length} visits, ${line.join('; ')}\n`)
  }
}

function isAsked({ width, colorScheme }: View): boolean {
  return asked === 'all' || `${width}-${colorScheme}`.startsWith(asked ?? 'all')
}

type Crawl = {
  readonly logged_in?: boolean
  /** Every how many pages axe looks at one. */
  readonly axe_each?: number
  readonly ready?: (page: Page) => Promise<void>
}

/** A page, and what its browser reported as wrong since the last call. */
async function watch(context: BrowserContext, url: string) {
  context.setDefaultTimeout(20_000)
  let faults: string[] = []
  context.on('console', one => {
    // An account page without its token is a page of status 4xx, and the browser reports that.
    const is_page = one.location().url === one.page()?.url() && one.text().includes('status of 4')
    // Where no limit is set, the console shows the line of the list: those of the platform.
    const is_unset =
      one.location().url.startsWith(`${url}/v1/quotas/`) && one.text().includes('404')
    if (/^(error|warning)$/.test(one.type()) && !is_page && !is_unset) faults.push(one.text())
  })
  context.on('weberror', one => faults.push(String(one.error())))
  context.on('request', one => {
    if (!one.url().startsWith(`${url}/`) && !/^(data|blob|about):/.test(one.url()))
      faults.push(`asks ${one.url()}`)
  })
  context.on('requestfailed', one => {
    const why = one.failure()?.errorText ?? ''
    // The page was left while its stream of events was open.
    if (why !== 'net::ERR_ABORTED') faults.push(`${one.url()} failed: ${why}`)
  })
  const page = await context.newPage()
  return {
    page,
    faults: () => {
      const found = faults
      faults = []
      return found
    },
  }
}

async function open(look: Look, url: string, ready?: Crawl['ready']): Promise<Figures> {
  const { page, at, view } = look
  await page.goto(url + at, { waitUntil: 'load' })
  await ready?.(page)
  const [bytes, paint_ms] = await page.evaluate<[number, number]>(figures_source)
  if (shots) {
    const name = `${view.width}-${view.colorScheme}-${at.replaceAll(/[^a-z0-9]+/gi, '_')}`
    await page.screenshot({ path: `${shots}/${name}.png` })
  }
  return { at, bytes, paint_ms: Math.round(paint_ms) }
}

/** Bytes as they come over the wire without a cache, and when the first text was painted. */
const figures_source = `new Promise(done => {
  const parts = ['navigation', 'resource'].flatMap(one => performance.getEntriesByType(one))
  const bytes = parts.reduce((sum, one) => sum + one.encodedBodySize, 0)
  new PerformanceObserver((list, observer) => {
    const first = list.getEntriesByName('first-contentful-paint')[0]
    if (first) { observer.disconnect(); done([bytes, first.startTime]) }
  }).observe({ type: 'paint', buffered: true })
})`

async function faultsOf({ page, axe: closely }: Look): Promise<string[]> {
  const wide = await page.evaluate<number>('document.scrollingElement.scrollWidth - innerWidth')
  const found = wide > 0 ? [`${wide} px too wide`] : []
  if (!closely && asked !== 'all') return found
  await page.evaluate(axe.source)
  const violations = await page.evaluate<string[]>(
    `axe.run(document).then(all => all.violations.map(one => one.id + ': ' + one.nodes[0]?.html))`,
  )
  return [...found, ...violations]
}

async function linksOf(url: string, at: string, links: RegExp): Promise<string[]> {
  const answer = await fetch(url + at, { headers: { accept: 'text/html' } })
  const text = (await answer.text()).replaceAll(url, '')
  return [...new Set([...text.matchAll(links)].map(([, to]) => to ?? ''))]
}

/** Each list of the menu, and the first item of each that has one. */
async function placesOf(page: Page, url: string): Promise<string[]> {
  // In one step, because a list that is live draws its rows again meanwhile.
  const hrefs = (where: string) =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('${where}')].map(one => one.getAttribute('href') ?? '')`,
    )
  const found: string[] = []
  for (const place of await hrefs('#menu > ul > li > a')) {
    await page.goto(url + place)
    await consoleIsReady(page)
    const kinds = await hrefs('#menu ul ul a')
    for (const kind of kinds.length > 0 ? kinds : [place]) {
      await page.goto(url + kind)
      await consoleIsReady(page)
      found.push(kind, ...(await hrefs('.rows .row.leads a')).slice(0, 1))
    }
  }
  return [...new Set(found)]
}

/** Its texts are there: nothing is being read any more. */
async function consoleIsReady(page: Page): Promise<void> {
  await page.locator('main h1').waitFor()
  // A locator, since the policy of the page refuses the text that waitForFunction evaluates.
  await page
    .locator('main')
    .filter({ hasNotText: /Loading …/ })
    .waitFor()
}
