/**
 * A log-in at Apple in a real browser: the form comes from another site, so the browser sends no
 * cookie with it, and the page that answers it leads to the callback with one.
 */
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { freePort } from '../../../../../test/free-port.ts'
import { openProductWorld } from '../../../../../test/product-world.ts'
import { chromium_args } from '../../../../../test/chromium.ts'
import { newId } from '#dodeca/kernel'

const executablePath = '/usr/bin/chromium'
const port = await freePort()
// The sandbox is at 127.0.0.1, which is another site than localhost.
const home = `http://localhost:${port}`
const world = await openProductWorld({ PORT: String(port), PUBLIC_URL: home })
const browser = await chromium.launch({ executablePath, args: chromium_args }).catch(() => null)
afterAll(async () => {
  await browser?.close()
  await world.close()
})

test.skipIf(!existsSync(executablePath)).each(['Apple', 'GitHub'])(
  'leads from the log-in page by %s to the account',
  async name => {
    if (!browser) throw new Error('Chromium did not start')
    const context = await browser.newContext({ locale: 'en-GB' })
    const posted: Promise<Record<string, string>>[] = []
    context.on('request', request => {
      const back = request.method() === 'POST' && request.url().startsWith(`${home}/v1/oidc/`)
      if (back) posted.push(request.allHeaders())
    })
    const email = `${newId()}@example.test`
    const page = await context.newPage()
    await page.goto(`${home}/account/login`)
    await page.getByRole('link', { name: `Continue with ${name}` }).click()
    await page.getByLabel('Mail address').fill(email)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    await page.getByText(email).waitFor()
    const sent = await Promise.all(posted)
    expect(sent.map(({ cookie }) => cookie ?? null)).toEqual(name === 'Apple' ? [null] : [])
    await context.close()
  },
)
