/** The shop of the examples in Chromium: from the catalog to the paid order of a guest, and its mail. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import axe from 'axe-core'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { openApp } from '../src/testing/entry.ts'
import shop from '../examples/shop/dodeca.config.ts'
import { endsWithFile } from './children.ts'
import { has_chromium, openBrowser } from './console/console-world.ts'
import { freePort } from './free-port.ts'

process.env['TEST_DATABASE_URL'] = inject('admin_url')

describe.skipIf(!has_chromium)('the shop', async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const folder = resolve(import.meta.dirname, '../examples/shop')
  const world = await openApp(shop, { PORT: String(port), PUBLIC_URL: url }, folder)
  const browser = await openBrowser()
  afterAll(async () => {
    await browser.close()
    await world.close()
  })
  await fill()

  /** As its README says. */
  async function fill(): Promise<void> {
    const child = endsWithFile(
      spawn(process.execPath, [resolve(folder, 'setup.ts')], {
        env: { ...process.env, ...world.ground.environment, API: url },
        stdio: 'inherit',
      }),
    )
    const [code] = (await once(child, 'exit')) as [number | null]
    expect(code).toBe(0)
  }

  /** Returns what the browser reported, but the reply that a card was declined. */
  async function visit(
    run: (page: Page, context: BrowserContext) => Promise<void>,
    more: object = {},
  ): Promise<string[]> {
    const context = await browser.newContext({ locale: 'en-GB', ...more })
    const errors: string[] = []
    context.on('console', one => one.type() === 'error' && errors.push(one.text()))
    context.on('weberror', error => errors.push(String(error.error())))
    await run(await context.newPage(), context)
    await context.close()
    return errors.filter(one => !one.includes('status of 422'))
  }

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

  async function audit(page: Page): Promise<void> {
    const session = await page.context().newCDPSession(page)
    const expression = `${axe.source}; axe.run().then(one => one.violations.map(v => v.id + ': ' + v.nodes.map(n => n.target).join()))`
    const asked = { expression, awaitPromise: true, returnByValue: true }
    const { result } = await session.send('Runtime.evaluate', asked)
    expect(result.value).toEqual([])
    await session.detach()
  }

  async function shoot(page: Page, name: string): Promise<void> {
    const at = process.env['SCREENSHOTS']
    if (at === undefined) return
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const { width = 0 } = page.viewportSize() ?? {}
      await page.screenshot({ path: `${at}/${name}-${width}-${colorScheme}.png`, fullPage: true })
    }
  }

  /** Fills a cart from the catalog, with a filter, a sort and a code, up to the payment. */
  async function choose(page: Page, email: string): Promise<void> {
    await page.goto(url)
    const cards = page.locator('.card')
    await cards.first().waitFor()
    expect(await cards.count()).toBe(6)
    await audit(page)
    await shoot(page, 'list')
    await page.getByRole('link', { name: 'For reading' }).click()
    await page.getByRole('heading', { name: 'A collection' }).waitFor()
    await page.getByLabel('blue (1)').check()
    await page.getByRole('link', { name: 'A wool blanket' }).waitFor()
    await expect.poll(() => cards.count()).toBe(1)
    await page.getByRole('link', { name: 'All things' }).click()
    await page.getByRole('heading', { name: 'All things' }).waitFor()
    await page.getByLabel('Sort').selectOption('-price')
    await expect.poll(() => cards.first().textContent()).toContain('A shelf for forty books')
    await page.getByLabel('At most, in €').fill('80')
    await page.getByLabel('At most, in €').press('Enter')
    await expect.poll(() => cards.first().textContent()).toContain('A wool blanket')
    await page.getByRole('link', { name: 'A wool blanket' }).click()
    await page.getByLabel('grey, €79.00').check()
    await audit(page)
    await shoot(page, 'product')
    await button(page, 'Add to cart').click()
    await page.getByText('A wool blanket is in your cart.').waitFor()
    await page.getByRole('link', { name: 'Cart (1)' }).click()
    await page.getByLabel('Discount code').fill('welcome10')
    await button(page, 'Apply').click()
    await page.getByRole('row', { name: 'Discount -€7.90' }).waitFor()
    await page.getByLabel('Mail address').fill(email)
    await page.getByLabel('Name').fill('Mara Lindqvist')
    await page.getByLabel('Street').fill('Lindenstraße 12')
    await page.getByLabel('Postal code').fill('10969')
    await page.getByLabel('City').fill('Berlin')
    await audit(page)
    await shoot(page, 'cart')
    await button(page, 'Go on to the payment').click()
    await page.getByRole('heading', { name: 'Or pay here' }).waitFor()
    await page.getByRole('row', { name: 'Total €90.44' }).waitFor()
  }

  async function card(page: Page, place: string, number: string): Promise<void> {
    const form = page.frameLocator(`${place} iframe`)
    await form.getByLabel('Card number').fill(number)
    await form.getByLabel('Expiration date').fill('12/40')
    await form.getByLabel('Security code').fill('123')
  }

  async function thanks(page: Page, email: string): Promise<void> {
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
    await page.getByText(/Your order \d+ is confirmed/).waitFor()
    await audit(page)
    await shoot(page, 'thanks')
    const [mail] = await world.inbox(email)
    expect(mail?.text).toContain('1 × A wool blanket, grey')
    expect(mail?.text).toContain('€90.44')
    await page.getByRole('link', { name: 'See the order' }).click()
    await page.getByRole('row', { name: '1 × A wool blanket, grey' }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'All things' }).click()
    await page.getByRole('link', { name: 'Cart', exact: true }).click()
    await page.getByText('Your cart is empty.').waitFor()
  }

  test.each([390, 1280])('sells to a guest on the payment page, at %d pixels', async width => {
    const errors = await visit(
      async page => {
        const email = `redirect-${width}@example.test`
        await choose(page, email)
        await shoot(page, 'payment')
        await button(page, 'Pay on the payment page').click()
        await page.getByRole('row', { name: '1 × A wool blanket, grey' }).waitFor()
        await audit(page)
        await shoot(page, 'page')
        await card(page, '#element', '4242 4242 4242 4242')
        await button(page, 'Pay').click()
        await thanks(page, email)
      },
      { viewport: { width, height: 800 } },
    )
    expect(errors).toEqual([])
  })

  test.each([
    ['a good card', '4242 4242 4242 4242', false],
    ['a card whose bank asks', '4000 0025 0000 3155', true],
  ])(
    'sells to a guest on its own page with %s, after one that is declined',
    async (_, number, asks) => {
      const errors = await visit(async page => {
        const email = `own-${String(asks)}@example.test`
        await choose(page, email)
        await card(page, '#payment', '4000 0000 0000 0002')
        await button(page, 'Order and pay').click()
        await page.getByText('The card was declined. Nothing was ordered.').waitFor()
        await card(page, '#payment', number)
        await button(page, 'Order and pay').click()
        if (asks) {
          const bank = page.frameLocator('iframe[title="Authentication of your bank"]')
          await bank.getByRole('button', { name: 'fail' }).click()
          await page.locator('#state:not(:empty)').waitFor()
          await button(page, 'Order and pay').click()
          await bank.getByRole('button', { name: 'succeed' }).click()
        }
        await thanks(page, email)
      })
      expect(errors).toEqual([])
    },
  )

  test('is used with the keyboard alone, from the list to the payment page', async () => {
    const errors = await visit(async page => {
      const press = async (name: string, role: 'link' | 'button') => {
        const wanted = page.getByRole(role, { name, exact: true })
        await wanted.waitFor()
        for (let tabs = 0; tabs < 60; tabs++) {
          await page.keyboard.press('Tab')
          if ((await wanted.and(page.locator(':focus')).count()) === 1) {
            return await page.keyboard.press('Enter')
          }
        }
        throw new Error(`Tab never reached ${name}`)
      }
      await page.goto(url)
      await press('A quiet clock', 'link')
      await press('Add to cart', 'button')
      await press('Cart (1)', 'link')
      await page.getByLabel('Mail address').focus()
      const typed = ['keys@example.test', 'Mara', 'Lindenstraße 12', '10969', 'Berlin']
      for (const text of typed) {
        await page.keyboard.type(text)
        await page.keyboard.press('Tab')
      }
      await page.keyboard.press('Enter')
      await press('Pay on the payment page', 'button')
      await page.getByRole('row', { name: '1 × A quiet clock, brass' }).waitFor()
    })
    expect(errors).toEqual([])
  })
})
