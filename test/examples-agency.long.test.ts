/**
 * The agency of the examples: its page in Chromium, and two of its tests that kill the process. All of
 * these are in `chaos/agency.full.test.ts`, its other tests in `examples-agency.test.ts`.
 */
import { resolve } from 'node:path'
import axe from 'axe-core'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { newKey, openApp } from '../src/testing/entry.ts'
import agency from '../examples/agency/dodeca.config.ts'
import { has_chromium, openBrowser } from './console/console-world.ts'
import { runTests } from './examples-agency.ts'
import { freePort } from './free-port.ts'

process.env['TEST_DATABASE_URL'] = inject('admin_url')

describe.skipIf(!has_chromium)('the page of the agency', async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const settings = { PORT: String(port), PUBLIC_URL: url, IDENTITY_EMAIL_SCOPE: 'global' }
  const world = await openApp(agency, settings, resolve(import.meta.dirname, '../examples/agency'))
  const browser = await openBrowser()
  afterAll(async () => {
    await browser.close()
    await world.close()
  })

  test('lists services, books, pays and shows the state', async () => {
    const host = await world.member()
    await world.give(host, 'tenant_admin')
    const { access_token: token } = (await world.login(host)).body
    const body = { title: 'A portrait', price_minor: 12_000, places: 5, host_id: host.id }
    const made = await world.call('POST', '/v1/services', { token, key: newKey(), body })
    expect(made.status).toBe(201)
    const { email, password } = await world.member(host.tenant)
    const page = await browser.newPage({ bypassCSP: true })
    const errors: string[] = []
    page.on('console', one => one.type() === 'error' && errors.push(one.text()))
    page.on('pageerror', error => errors.push(String(error)))
    await page.goto(url)
    await page.getByLabel('Mail address').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Log in or register' }).click()
    await page.getByRole('button', { name: /^Book: A portrait/ }).click()
    await page.getByText('A portrait, €120.00: not paid').waitFor()
    await page.getByLabel('Card').selectOption({ label: 'A card that is declined' })
    await page.getByRole('button', { name: /^Pay/ }).click()
    await page.getByText('The card was declined').waitFor()
    await page.getByLabel('Card').selectOption({ label: 'Visa of the sandbox' })
    await page.getByRole('button', { name: /^Pay/ }).click()
    await page.getByText('The booking is paid, in work.').waitFor()
    await page.getByText('A portrait, €120.00: paid, in work').waitFor()
    await page.evaluate(axe.source)
    const { violations } = (await page.evaluate('axe.run()')) as {
      violations: { id: string }[]
    }
    expect(violations.map(one => one.id)).toEqual([])
    expect(errors).toEqual([])
    const shot = process.env['SCREENSHOT']
    if (shot) await page.screenshot({ path: shot })
    await page.close()
  })
})

test('killed in a booking, and in its workflow', { timeout: 600_000 }, async () => {
  const only = '--test-name-pattern=at (kernel.after_commit|jobs.after_step_effect)'
  const { code, passed, failed, output } = await runTests('killed.test.ts', only)
  expect([code, failed, passed], output).toEqual([0, 0, 2])
})
