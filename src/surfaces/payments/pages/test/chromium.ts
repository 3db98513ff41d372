/** Pages in Chromium, each test in a browser of its own, and what a page must never report. */
import { chromium, type BrowserContext, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { chromium_args } from '../../../../../test/chromium.ts'

export async function openChromium() {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: chromium_args,
  })
  let context: BrowserContext
  let errors: string[] = []
  return {
    begin: async () => {
      context = await browser.newContext({ locale: 'en-GB' })
      errors = []
      context.on('console', message => {
        const is_icon = message.location().url.endsWith('/favicon.ico')
        if (message.type() === 'error' && !is_icon) errors.push(message.text())
      })
      context.on('weberror', error => errors.push(error.error().message))
    },
    open: async (url: string): Promise<Page> => {
      const page = await context.newPage()
      await page.goto(url)
      return page
    },
    /** No error but the replies that refuse, which the browser reports too. */
    end: async () => {
      await context.close()
      expect(errors.filter(one => !/status of (402|404|409|422)/.test(one))).toEqual([])
    },
    close: () => browser.close(),
  }
}

export const press = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).click()

export async function fillCard(page: Page, number = '4242 4242 4242 4242'): Promise<void> {
  const element = page.frameLocator('#element iframe')
  await element.getByLabel('Card number').fill(number)
  await element.getByLabel('Expiration date').fill('12/40')
  await element.getByLabel('Security code').fill('123')
}

export async function goToPayPal(page: Page): Promise<void> {
  await press(page, 'Pay with PayPal')
  await page.getByRole('heading', { name: /^Pay \d/ }).waitFor()
  expect(page.url()).toContain('/checkoutnow?token=')
}
