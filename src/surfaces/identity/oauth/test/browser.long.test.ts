/**
 * The page that asks, in a browser and by the keyboard alone: from the log-in over the question back
 * to a web page, and to a program on this device whose answer Chromium would stop if the policy of
 * the page did not name its address.
 */
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import * as oidc from 'openid-client'
import axe from 'axe-core'
import { chromium, type Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { checksOf, openOAuthWorld } from './oauth-world.ts'
import { chromium_args } from '../../../../../test/chromium.ts'

const executablePath = '/usr/bin/chromium'
const world = await openOAuthWorld({ IDENTITY_EMAIL_SCOPE: 'global' })
const program = createServer((_request, response) => response.end('You can close this page.'))
await once(program.listen(0, '127.0.0.1'), 'listening')
const redirect_uri = `http://127.0.0.1:${(program.address() as AddressInfo).port}/back`
const browser = await chromium.launch({ executablePath, args: chromium_args }).catch(() => null)
afterAll(async () => {
  await browser?.close()
  program.close()
  await world.close()
})

test.skipIf(!existsSync(executablePath))(
  'logs in, asks, and leads back to the application',
  async () => {
    if (!browser) throw new Error('Chromium did not start')
    const context = await browser.newContext({ locale: 'en-GB' })
    const refusals: string[] = []
    context.on('console', message => {
      if (message.type() === 'error') refusals.push(message.text())
    })
    const page = await context.newPage()
    const app = await world.app({ type: 'native', redirect_uri, name: 'Notes' })
    const person = await world.member()
    const way = await world.way(app, 'openid profile email offline_access chat.read jobs.write')

    await page.goto(way.url.href)
    await page.getByLabel('Mail address').fill(person.email)
    await page.getByLabel('Password', { exact: true }).fill(person.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Allow Notes?' }).waitFor()
    await audit(page, 'asking')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Allow')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Refuse')
    await page.keyboard.press('Enter')
    await page.getByText('You can close this page.').waitFor()
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')

    await page.goto(way.url.href)
    await page.getByRole('link', { name: 'Deutsch' }).press('Enter')
    await page.getByRole('heading', { name: 'Notes erlauben?' }).waitFor()
    await audit(page, 'asking in German')
    await page.getByRole('button', { name: 'Erlauben' }).press('Enter')
    await page.getByText('You can close this page.').waitFor()
    const tokens = await oidc.authorizationCodeGrant(app.config, new URL(page.url()), checksOf(way))
    expect(tokens.claims()?.sub).toBe(person.id)

    await page.goto(`${world.url}/account/`)
    await page.getByRole('heading', { name: 'Anwendungen' }).waitFor()
    await audit(page, 'applications')
    const row = page.getByRole('listitem').filter({ hasText: 'Notes' })
    await row.getByRole('button', { name: 'Beenden' }).press('Enter')
    await page.getByText('Die Sitzungen sind beendet.').waitFor()
    const { status } = await world.call('GET', '/v1/me', { token: tokens.access_token })
    expect(status).toBe(401)
    const wrong = new URL(way.url)
    wrong.searchParams.set('redirect_uri', 'https://evil.test/')
    await page.goto(wrong.href)
    await page.getByText('nicht ihr gehört').waitFor()
    await audit(page, 'refused')
    expect(refusals.filter(one => !one.includes('status of 422'))).toEqual([])
  },
)

async function audit(page: Page, name: string): Promise<void> {
  await page.evaluate(axe.source)
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      const found = await page.evaluate(
        `axe.run(document).then(all => all.violations.map(one => one.id + ': ' + one.nodes[0]?.html))`,
      )
      expect(found, `${name} ${colorScheme} ${width}`).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    }
  }
}
