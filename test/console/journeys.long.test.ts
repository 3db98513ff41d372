/** What people do in the console: make, watch, steer, find, trace; and what attackers try. */
import { afterAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import {
  act,
  attacks,
  audit,
  has_chromium,
  openConsoleWorld,
  read,
  send,
  shoot,
} from './console-world.ts'
import { makeHostile } from './hostile-links.ts'

const admin = 'tenant-admin@acme.example'

describe.skipIf(!has_chromium)('in the console', async () => {
  if (!has_chromium) return
  const console_world = await openConsoleWorld()
  afterAll(() => console_world.close())
  const { url } = console_world

  test('a job is submitted, watched until it ends, and its request is traced', async () => {
    const { page, faults } = await console_world.visit(admin, '/console/jobs/jobs')
    await page.locator('.light.live').waitFor()
    await page.getByRole('button', { name: 'Submit job' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Type/).fill('demo.count')
    await dialog.getByLabel(/^Parameters/).fill('{"to": 40, "step_ms": 50}')
    await audit(page, 'the dialog')
    await shoot(page, 'dialog')
    const sent = page.waitForResponse(one => one.request().method() === 'POST')
    await dialog.getByRole('button', { name: 'Submit' }).click()
    const request_id = (await sent).headers()['x-request-id'] ?? ''
    const { id } = (await (await sent).json()) as { id: string }
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.goto(`${url}/console/jobs/jobs/${id}`)
    // Without a reload: the stream of the job tells its progress, the feed its end.
    await page.getByText('job.progress').first().waitFor()
    await page.locator('h1 .state.good').getByText('succeeded').waitFor()
    await page.goto(`${url}/console/trace/${request_id}`)
    await page.getByRole('link', { name: 'job.succeeded' }).waitFor()
    await audit(page, 'the trace')
    await shoot(page, 'trace')
    expect(faults()).toEqual([])
  })

  test('a list shows what another makes, without a reload', async () => {
    const { page } = await console_world.visit(admin, '/console/links/links')
    await page.locator('.light.live').waitFor()
    const other = await console_world.visit(admin, '/console/links/links')
    await makeLink(other.page, 'https://example.com/seen-by-all')
    await page.getByText('https://example.com/seen-by-all').waitFor()
    await page.getByText('https://example.com/seen-by-all').click()
    await page.locator('.panel img.picture').waitFor()
    const shown = "document.querySelector('.panel img').decode().then(() => 'shown')"
    expect(await page.evaluate(shown)).toBe('shown')
  })

  test('a list shows what was made while it was read', async () => {
    const at = '/console/links/links'
    const { page, faults } = await console_world.visit(admin, at)
    const watching = await console_world.visit(admin, at)
    const other = await console_world.visit(admin, at)
    await page.locator('.light.live').waitFor()
    await watching.page.locator('.light.live').waitFor()
    const isLinks = ({ pathname }: URL) => pathname === '/v1/links'
    const answered = Promise.withResolvers<undefined>()
    const released = Promise.withResolvers<undefined>()
    await page.route(isLinks, async route => {
      const response = await route.fetch()
      answered.resolve(undefined)
      await released.promise
      await route.fulfill({ response })
    })
    await makeLink(other.page, 'https://example.com/begins-the-read')
    await other.page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await answered.promise
    await makeLink(other.page, 'https://example.com/made-meanwhile')
    // The same event has reached both pages when the one that reads freely shows its row.
    await watching.page.getByText('https://example.com/made-meanwhile').waitFor()
    released.resolve(undefined)
    await page.getByText('https://example.com/made-meanwhile').waitFor()
    expect(faults()).toEqual([])
  })

  test('a dialog that is sent again after a lost reply has one effect', async () => {
    const { page } = await console_world.visit(admin, '/console/links/links')
    const destination = 'https://example.com/sent-twice'
    await page.getByRole('button', { name: 'Create link' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Destination url/).fill(destination)
    const isLinks = ({ pathname }: URL) => pathname === '/v1/links'
    await page.route(isLinks, async route => {
      if (route.request().method() !== 'POST') return await route.continue()
      await route.fetch()
      await route.abort()
    })
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await dialog.getByRole('alert').waitFor()
    await page.unroute(isLinks)
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await dialog.getByText('The reply').waitFor()
    const { data } = (await read(page, '/v1/links?limit=100')) as {
      data: { destination_url: string }[]
    }
    expect(data.filter(one => one.destination_url === destination)).toHaveLength(1)
  })

  test('a refusal names its field, code and request, and the dialog can be sent again', async () => {
    const { page, faults } = await console_world.visit(admin, '/console/links/links')
    await page.getByRole('button', { name: 'Create link' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Destination url/).fill('not an address')
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await dialog.getByRole('alert').waitFor()
    expect(await dialog.getByRole('alert').innerText()).toMatch(/\(422\)/)
    await audit(page, 'a refused dialog')
    await dialog.getByLabel(/^Destination url/).fill('https://example.com/corrected')
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await dialog.getByText('The reply').waitFor()
    await page.keyboard.press('Escape')
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(faults()).toEqual([])
  })

  test('the keyboard alone is enough: search by an id, move in a list, open', async () => {
    const { page } = await console_world.visit(admin, '/console/jobs/jobs')
    await page.locator('.row.leads a').first().waitFor()
    await page.getByRole('table').focus()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('.fields').waitFor()
    const id = decodeURIComponent(page.url().split('/').at(-1) ?? '')
    await page.keyboard.press('/')
    await page.keyboard.type(id)
    await page.keyboard.press('Enter')
    const found = page.locator('.found a', { hasText: 'Jobs · Jobs' })
    await found.waitFor()
    expect(await found.getAttribute('href')).toBe(`/console/jobs/jobs/${id}`)
    await audit(page, 'the search')
  })

  test('the search finds a person by the beginning of the address, in any case', async () => {
    const { page } = await console_world.visit(admin)
    await page.keyboard.press('/')
    await page.keyboard.type(admin.slice(0, 8).toUpperCase())
    await page.keyboard.press('Enter')
    const found = page.locator('.found a', { hasText: 'Identity · Accounts' })
    await found.first().waitFor()
    expect(await found.allInnerTexts()).toContainEqual(expect.stringContaining(admin))
  })

  test('the session goes on when its access token has expired', async () => {
    const { page, context } = await console_world.visit(admin)
    await context.clearCookies({ name: 'at' })
    await page.getByRole('link', { name: 'Jobs', exact: true }).first().click()
    await page.locator('.row.leads').first().waitFor()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByText('You are logged out').waitFor()
    await page.goto(`${url}/console`)
    await page.getByLabel('Mail address').waitFor()
    expect((await context.cookies()).map(({ name }) => name)).not.toContain('at')
  })

  test('a visitor without a session is led to the log-in, and no request fails', async () => {
    const { page, context } = await console_world.visit(admin)
    await context.clearCookies()
    const statuses: number[] = []
    page.on('response', one => statuses.push(one.status()))
    await page.goto(`${url}/console/jobs/jobs`)
    await page.getByLabel('Mail address').waitFor()
    expect(new URL(page.url()).searchParams.get('next')).toBe('/console/jobs/jobs')
    expect(statuses.filter(one => one >= 400)).toEqual([])
  })

  test('a refund begins with what is left of the payment, and can be a part of it', async () => {
    const { page } = await console_world.visit('refund-operator@acme.example')
    const { data } = (await read(page, '/v1/payment-intents?state=captured&limit=100')) as {
      data: { id: string; amount_refunded_minor: number }[]
    }
    const intent_id = data.find(one => one.amount_refunded_minor === 0)?.id ?? ''
    await send(page, '/v1/refunds', { intent_id, amount_minor: 1 })
    await page.goto(`${url}/console/payments/intents/${intent_id}`)
    await page.locator('h1 .state', { hasText: /^refunded in part$/ }).waitFor()
    await page.getByRole('button', { name: 'Create refund', exact: true }).click()
    const amount = page.getByRole('dialog').getByLabel(/^Amount/)
    const { amount_captured_minor } = await read(page, `/v1/payment-intents/${intent_id}`)
    expect(await amount.inputValue()).toBe(((Number(amount_captured_minor) - 1) / 100).toFixed(2))
    // Enter sends nothing that cannot be undone.
    await page.keyboard.press('Enter')
    await amount.fill('')
    await page.getByRole('dialog').locator('footer button').last().click()
    const missing = (one: { readonly validity: { readonly valueMissing: boolean } }) =>
      one.validity.valueMissing
    expect(await amount.evaluate(missing)).toBe(true)
    await amount.fill('10,505')
    await page.getByRole('dialog').locator('footer button').last().click()
    await page.locator('.fault', { hasText: 'Write the amount like this: 12.90' }).waitFor()
    await page.getByRole('button', { name: 'Go back', exact: true }).click()
    await act(page, 'Create refund')
    await page.locator('h1 .state', { hasText: /^refunded$/ }).waitFor()
    const whole = await read(page, `/v1/payment-intents/${intent_id}`)
    expect(whole['amount_refunded_minor']).toBe(whole['amount_captured_minor'])
  })

  test('an empty list says whose things it would show', async () => {
    const { page } = await console_world.visit('payments-finance@acme.example', '/console')
    await page.goto(`${url}/console/commerce/carts`)
    expect(await page.locator('.empty').innerText()).toContain('List your carts, newest first.')
  })

  test('10,000 rows of hostile text scroll, and none has an effect', async () => {
    const { page, faults } = await console_world.visit(admin, '/console/links/links')
    const made = await page.evaluate(makeHostile, [10_000, attacks] as const)
    expect(made).toBe(10_000)
    await page.evaluate('globalThis.hit = 0')
    await page.reload()
    await page.evaluate('globalThis.hit = 0')
    await page.locator('.row.leads').first().waitFor()
    await scrollThrough(page)
    const shown = await page.locator('.rows .all .row').count()
    expect(shown).toBeLessThan(120)
    expect(await page.evaluate('globalThis.hit')).toBe(0)
    expect(await page.locator('main img, main script, main iframe, main b').count()).toBe(0)
    await audit(page, 'hostile rows')
    await shoot(page, 'hostile')
    await page.locator('.row.leads a').first().click()
    await page.locator('.fields').waitFor()
    expect(await page.evaluate('globalThis.hit')).toBe(0)
    expect(faults()).toEqual([])
  }, 600_000)

  test('the policy refuses an inline script and text as markup', async () => {
    const { page } = await console_world.visit(admin)
    const refused = await page.evaluate(`new Promise(resolve => {
      addEventListener('securitypolicyviolation', event => resolve(event.effectiveDirective))
      const script = document.createElement('script')
      script.append('globalThis.ran = true')
      document.body.append(script)
    })`)
    expect(refused).toMatch(/script|trusted-types/)
    expect(await page.evaluate('globalThis.ran')).toBeUndefined()
    const written = await page.evaluate(`(() => {
      try { document.body.innerHTML = '<b>no</b>'; return 'written' }
      catch (error) { return error.name }
    })()`)
    expect(written).toBe('TypeError')
  })

  test('the first load is below 150 KB', async () => {
    const answer = await fetch(`${url}/console`)
    const html = await answer.text()
    expect(answer.headers.get('content-security-policy')).not.toMatch(/unsafe/)
    const files = [...html.matchAll(/\/console\/assets\/[^"]+/g)].map(([path]) => path)
    expect(files).toHaveLength(2)
    let bytes = html.length
    for (const path of files) {
      const file = await console_world.world.call('GET', path, {
        headers: { 'accept-encoding': 'identity' },
      })
      expect(file.status).toBe(200)
      const small = await sizeOf(`${url}${path}`)
      expect(small).toBeLessThan(file.text.length)
      bytes += small
    }
    expect(bytes, 'bytes of the first load').toBeLessThan(150_000)
    const old = await fetch(`${url}/console/assets/console-0000000000000000.js`)
    expect(old.status).toBe(404)
  })
})

async function sizeOf(address: string): Promise<number> {
  const answer = await fetch(address, { headers: { 'accept-encoding': 'br' } })
  return Number(answer.headers.get('content-length'))
}

async function makeLink(page: Page, destination: string): Promise<void> {
  await page.getByRole('button', { name: 'Create link' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^Destination url/).fill(destination)
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await dialog.getByText('The reply').waitFor()
}

/** To the end, until no page of the list is left. */
async function scrollThrough(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    const box = document.querySelector('.rows')
    const frame = () => new Promise(next => requestAnimationFrame(() => setTimeout(next, 10)))
    while (box.getAttribute('aria-rowcount') === '-1') {
      box.scrollTop = box.scrollHeight
      await frame()
    }
  })()`)
  const rows = await page.locator('.foot [role=status]').innerText()
  expect(Number(rows.replaceAll(/\D/g, ''))).toBeGreaterThanOrEqual(10_000)
}
