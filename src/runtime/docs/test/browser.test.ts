/**
 * The documentation in Chromium: on a phone, a desk and a wide screen, in both colour schemes,
 * without a violation of axe, an error in the console or a request to anywhere else.
 */
import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { chromium, type Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { openWorld } from '../../../../test/world.ts'

const executablePath = '/usr/bin/chromium'
const widths = [390, 1280, 2560]
const world = await openWorld()
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] }).catch(() => null)
afterAll(async () => {
  await browser?.close()
  await world.close()
})

describe.skipIf(!existsSync(executablePath))('in a browser', () => {
  test('every kind of page fits and is accessible', { timeout: 120_000 }, async () => {
    await using here = await visit()
    const { page } = here
    for (const path of [
      '',
      'jobs',
      'why-not',
      'architecture',
      'reference/errors',
      'search?q=lease',
    ]) {
      await page.goto(`${world.url}/docs/${path}`)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect([path, colorScheme, await violations(page)]).toEqual([path, colorScheme, []])
      }
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 })
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
        expect([path, wide]).toEqual([path, width])
      }
    }
    expect(here.errors).toEqual([])
    expect(here.elsewhere).toEqual([])
  })

  test('a reader finds a page by the keyboard, and every picture loads', async () => {
    await using here = await visit()
    const { page } = here
    await page.goto(`${world.url}/docs`)
    await page.getByRole('searchbox').fill('rotate a webhook secret')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Webhooks: Rotate the secret' }).press('Enter')
    await page.getByRole('heading', { name: 'Rotate the secret' }).waitFor()
    expect(page.url()).toBe(`${world.url}/docs/webhooks#rotate-the-secret`)
    await page.getByRole('link', { name: 'Architecture' }).first().press('Enter')
    await page.waitForURL('**/docs/architecture')
    const broken = `[...document.images].filter(one => { one.loading = 'eager'; return !one.complete || one.naturalWidth === 0 }).length`
    await page.waitForFunction(`${broken} === 0`)
    expect(here.errors).toEqual([])
  })

  test('the reference shows samples in three languages, and asks only this platform', async () => {
    await using here = await visit()
    const { page } = here
    await page.goto(`${world.url}/docs/api#tag/notes/POST/v1/notes`)
    await page
      .getByText('const { data } = await api.POST')
      .or(page.getByText('curl '))
      .first()
      .waitFor()
    const sources = await page.evaluate<string>(
      `fetch('/docs/api/openapi.json').then(one => one.json()).then(one => JSON.stringify(one.paths['/v1/notes'].post['x-codeSamples'].map(({ label }) => label)))`,
    )
    expect(JSON.parse(sources)).toEqual(['curl', 'TypeScript', 'Python'])
    expect(here.elsewhere).toEqual([])
    expect(here.errors).toEqual([])
  })
})

/** A page, what its console reported, and the requests that left the platform. */
async function visit() {
  if (!browser) throw new Error('Chromium did not start')
  const context = await browser.newContext()
  const page = await context.newPage()
  const [errors, elsewhere]: string[][] = [[], []]
  page.on('console', message => {
    if (message.type() === 'error') errors?.push(message.text())
  })
  page.on('pageerror', error => errors?.push(String(error)))
  page.on('request', request => {
    const url = request.url()
    if (!url.startsWith(world.url) && !/^(data|blob):/.test(url)) elsewhere?.push(url)
  })
  return { page, errors, elsewhere, [Symbol.asyncDispose]: () => context.close() }
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
    'axe.run().then(({ violations }) => violations)',
  )
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
}
