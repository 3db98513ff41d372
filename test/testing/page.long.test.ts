/** The page of an application in Chromium, from the same origin as the API. */
import { afterAll, describe, expect, inject, test } from 'vitest'
import { newKey, openApp } from '../../src/testing/entry.ts'
import { has_chromium, openBrowser } from '../console/console-world.ts'
import { freePort } from '../free-port.ts'
import leads from './dodeca.config.ts'

process.env['TEST_DATABASE_URL'] = inject('admin_url')

describe.skipIf(!has_chromium)('a page of an application', async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const settings = {
    PORT: String(port),
    PUBLIC_URL: url,
    IDENTITY_EMAIL_SCOPE: 'global',
    KERNEL_SANDBOX: 'false',
  }
  const world = await openApp(leads, settings, import.meta.dirname)
  const browser = await openBrowser()
  afterAll(async () => {
    await browser.close()
    await world.close()
  })

  test('logs in, lists and creates leads with the client, without a build', async () => {
    const { email, password, token } = await world.member()
    await world.call('POST', '/v1/leads', {
      token,
      key: newKey(),
      body: { title: 'Roof', amount_minor: 1 },
    })
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('console', one => one.type() === 'error' && errors.push(one.text()))
    page.on('pageerror', error => errors.push(String(error)))
    const keys: (string | undefined)[] = []
    page.on('request', one => {
      if (one.method() === 'POST' && one.url() === `${url}/v1/leads`)
        keys.push(one.headers()['idempotency-key'])
    })
    await page.goto(url)
    await page.getByLabel('Mail address').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('Roof').waitFor()
    await page.getByLabel('Title').fill('Wall')
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByText('Wall').waitFor()
    // The client knows the application's own operations.
    expect(keys).toEqual([expect.stringMatching(/.{16}/)])
    await page.getByLabel('Title').fill('Wall')
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByText('There is a lead with this title.').waitFor()
    expect(errors.filter(one => !one.includes('status of 409'))).toEqual([])
    await page.close()
  })
})
