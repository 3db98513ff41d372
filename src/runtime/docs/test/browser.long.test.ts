/**
 * The documentation in Chromium: on a phone, a desk and a wide screen, in both colour schemes,
 * without a violation of axe, an error in the console or a request to anywhere else.
 */
import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { chromium, type Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { openProductWorld } from '../../../../test/product-world.ts'
import { eventually } from '../../../../test/world.ts'
import { chromium_args } from '../../../../test/chromium.ts'

const executablePath = '/usr/bin/chromium'
const widths = [390, 1280, 2560]
const world = await openProductWorld()
const browser = await chromium.launch({ executablePath, args: chromium_args }).catch(() => null)
afterAll(async () => {
  await browser?.close()
  await world.close()
})

describe.skipIf(!existsSync(executablePath))('in a browser', () => {
  test('every kind of page fits and is accessible', async () => {
    await using here = await visit()
    const { page } = here
    for (const path of [
      '',
      'jobs',
      'why-not',
      'architecture',
      'reference/errors',
      'search?q=lease',
      'api',
      'api/createLink',
      'api/checkOut',
      'guides/log-in',
      '../problems',
      '../problems/validation_failed',
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
    // The policy of the page refuses the text that waitForFunction evaluates.
    await eventually('every picture is loaded', async () => (await page.evaluate(broken)) === 0)
    expect(here.errors).toEqual([])
  })

  test('a reader logs in on the reference and tries an operation', async () => {
    await using here = await visit()
    const { page } = here
    const { tenant, email, password } = await world.member()
    await page.goto(`${world.url}/docs/api/logIn`)
    await page.getByLabel('Body').fill(JSON.stringify({ tenant: tenant.slug, email, password }))
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('You are logged in').waitFor()

    await page.goto(`${world.url}/docs/api#tag/links/POST/v1/links`)
    await page.locator(':target').getByRole('link').click()
    await page.getByText('curl ', { exact: false }).first().waitFor()
    await page.getByText('TypeScript', { exact: true }).click()
    await page.getByText("const { data } = await api.POST('/v1/links'").waitFor()
    const body = JSON.stringify({ destination_url: 'https://example.com/', alias: 'tried-here' })
    await page.getByLabel('Body').fill(body)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText(/^201 .* ms$/).waitFor()
    await page.getByText('"code": "tried-here"').waitFor()
    expect(here.elsewhere).toEqual([])
    expect(here.errors).toEqual([])
  })

  test('the language that a reader chooses is that of all tabs, and a block can be copied', async () => {
    await using here = await visit()
    const { page } = here
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${world.url}/docs/guides/log-in`)
    await page.getByText('Python', { exact: true }).first().click()
    expect(await page.getByText('requests.post(').filter({ visible: true }).count()).toBe(3)
    await page.goto(`${world.url}/docs/api/createLink`)
    const block = page.locator('.tabs pre').filter({ visible: true })
    await block.getByRole('button', { name: 'Copy' }).click()
    await block.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toMatch(/^import os[^]*requests\.post\(/)
    expect(copied).not.toContain('Copied')
    expect(here.errors).toEqual([])
  })

  test('the reference shows a refusal, and runs nothing that a reply contains', async () => {
    await using here = await visit()
    const { page } = here
    await page.goto(`${world.url}/docs/api/getProblem`)
    await page.getByLabel('code').fill('<img src=x onerror=alert(1)>')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText(/^404 /).waitFor()
    expect(await page.locator('#reply img').count()).toBe(0)
    await page.goto(`${world.url}/docs/api/createLink`)
    await page.evaluate(
      `document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="document.title = 1">')`,
    )
    await page.evaluate('new Promise(done => setTimeout(done))')
    expect(await page.title()).toBe('Create a short link · Dodeca')
  })
})

/** A page, what its console reported, and the requests that left the platform. */
async function visit() {
  if (!browser) throw new Error('Chromium did not start')
  const context = await browser.newContext()
  const page = await context.newPage()
  // Only the deadline of the test limits how long Chromium may take.
  page.setDefaultTimeout(0)
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
