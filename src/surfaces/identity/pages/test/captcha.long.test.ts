/** A person in Chromium registers and logs in while the pages ask for captchas. */
import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { chromium, type Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { freePort } from '../../../../../test/free-port.ts'
import { openProductWorld, password } from '../../../../../test/product-world.ts'
import { chromium_args } from '../../../../../test/chromium.ts'

const executablePath = '/usr/bin/chromium'
const port = await freePort()
const site = `http://localhost:${port}`
const world = await openProductWorld({
  IDENTITY_CAPTCHA: 'work',
  IDENTITY_CAPTCHA_WORK: '20000',
  IDENTITY_LOGIN_NETWORK_BURST: '2',
  KERNEL_THROTTLE_LOOPBACK: 'true',
  KERNEL_RATE_FACTOR: '1',
  PORT: String(port),
  PUBLIC_URL: site,
})
const browser = await chromium.launch({ executablePath, args: chromium_args }).catch(() => null)
afterAll(async () => {
  await browser?.close()
  await world.close()
})

test.skipIf(!existsSync(executablePath))('the browser solves the tasks by itself', async () => {
  if (!browser) throw new Error('Chromium did not start')
  const context = await browser.newContext({ locale: 'en-GB' })
  const violations: string[] = []
  context.on('console', message => {
    if (message.type() === 'error') violations.push(message.text())
  })
  const page = await context.newPage()
  const email = `cap-${port}@example.test`
  await page.goto(`${site}/account/register`)
  await audit(page, 'register')
  await page.getByLabel('Mail address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Look into your mailbox' }).waitFor()

  await page.goto(`${site}/account/login`)
  const logIn = async (secret: string) => {
    await page.getByLabel('Mail address').fill(email)
    await page.getByLabel('Password').fill(secret)
    await page.getByLabel('Password').press('Enter')
  }
  await logIn('another long password')
  await page.getByText('wrong').first().waitFor()
  await logIn(password)
  await page.getByText('Send the form again').waitFor()
  await audit(page, 'login with a captcha')
  await logIn(password)
  await page.getByRole('heading', { name: 'Your account' }).waitFor()
  // A page that failed is one of the errors that the browser reports; a refused script is another.
  expect(violations.filter(one => !one.includes('status of 4'))).toEqual([])
})

async function audit(page: Page, what: string): Promise<void> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() => {
    // oxlint-disable-next-line typescript/no-explicit-any -- axe is in the page
    return (globalThis as any).axe.run() as Promise<{ violations: { id: string }[] }>
  })
  expect(
    violations.map(({ id }) => id),
    what,
  ).toEqual([])
}
