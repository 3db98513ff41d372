/**
 * The payment page in Chromium, with the sandbox's script of the provider: cards, challenges, the
 * back button, a second tab, a page that is left. Each way ends with at most one charge, and the
 * browser reports no violation of the page's policy.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import axe from 'axe-core'
import { chromium, type BrowserContext, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { freePort } from '../../../../../test/free-port.ts'
import { eventually } from '../../../../../test/world.ts'
import { openPaymentWorld } from '../../test/payment-world.ts'
import { payerOf } from './payer.ts'
import { chromium_args } from '../../../../../test/chromium.ts'

const port = await freePort()
const world = await openPaymentWorld({
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
})
const payer = payerOf(world)
/** A shop of its own origin: where payers come back to, and which tries to frame the page. */
const shop = createServer((request, response) => {
  const framed = new URL(request.url ?? '/', 'http://shop').searchParams.get('frame')
  response.setHeader('content-type', 'text/html')
  response.end(framed ? `<iframe src="${framed}"></iframe>` : '<h1>Thank you at the shop</h1>')
})
await new Promise<void>(resolve => shop.listen(0, '127.0.0.1', resolve))
const shop_url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/back`
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: chromium_args,
})
afterAll(async () => {
  await browser.close()
  shop.close()
  await world.close()
})

const cards = {
  good: '4242 4242 4242 4242',
  declined: '4000 0000 0000 0002',
  framed: '4000 0025 0000 3155',
  redirect: '4000 0000 0000 3220',
}

let context: BrowserContext
let errors: string[]
beforeEach(async () => {
  context = await browser.newContext({ locale: 'en-GB' })
  errors = []
  context.on('console', message => {
    // The bank of the sandbox has no icon.
    const is_icon = message.location().url.endsWith('/favicon.ico')
    if (message.type() === 'error' && !is_icon) errors.push(message.text())
  })
  context.on('weberror', error => errors.push(error.error().message))
})
afterEach(async () => {
  await context.close()
  expectNoViolation()
})

/** The browser reports each reply that refuses; anything else is a violation or a fault of ours. */
function expectNoViolation(): void {
  expect(errors.filter(one => !/status of (402|404|409|422)/.test(one))).toEqual([])
}

async function fill(page: Page, number: string): Promise<void> {
  const element = page.frameLocator('#element iframe')
  await element.getByLabel('Card number').fill(number)
  await element.getByLabel('Expiration date').fill('12/40')
  await element.getByLabel('Security code').fill('123')
}

async function open(url: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
  await page
    .getByRole('button', { name: 'Pay', exact: true })
    .and(page.locator(':enabled'))
    .waitFor()
  return page
}

const press = (page: Page) => page.getByRole('button', { name: 'Pay', exact: true }).click()
const bank = (page: Page) => page.frameLocator('iframe[title="Authentication of your bank"]')
const expectPaid = async (asked: Awaited<ReturnType<typeof payer.asks>>) => {
  await eventually('it is paid', async () => (await asked.read()).state === 'paid')
  expect((await payer.effects(asked.shop)).filter(one => one === 'capture')).toEqual(['capture'])
}

test('a card is paid, and the payer comes back to the shop; the back button shows no form', async () => {
  const asked = await payer.asks({ return_url: shop_url })
  const page = await open(asked.url)
  await audit(page)
  await page.getByLabel('Mail address').fill('ann@example.test')
  await fill(page, cards.good)
  await press(page)
  await page.getByRole('heading', { name: 'Thank you at the shop' }).waitFor()
  await expectPaid(asked)
  expect((await asked.read()).payer_email).toBe('ann@example.test')
  await page.goto(asked.url)
  await page.getByText('Paid. Thank you.').waitFor()
  await audit(page)
})

test('a declined card says so, and another one pays; incomplete data is not sent', async () => {
  const asked = await payer.asks()
  const page = await open(asked.url)
  await press(page)
  await page.getByRole('alert').getByText('card number is incomplete').waitFor()
  await fill(page, cards.declined)
  await press(page)
  await page.getByText('The payment was declined').waitFor()
  await fill(page, cards.good)
  await press(page)
  await page.getByText('Paid. Thank you.').waitFor()
  await expectPaid(asked)
})

test('a challenge in a frame: failed, then passed', async () => {
  const asked = await payer.asks()
  const page = await open(asked.url)
  await fill(page, cards.framed)
  await press(page)
  await bank(page).getByRole('button', { name: 'fail' }).click()
  await page.getByText('The payment was not completed').waitFor()
  await press(page)
  await bank(page).getByRole('button', { name: 'succeed' }).click()
  await page.getByText('Paid. Thank you.').waitFor()
  await expectPaid(asked)
})

test('a challenge at the page of the bank leads back; the back button offers to go on', async () => {
  const asked = await payer.asks()
  const page = await open(asked.url)
  await fill(page, cards.redirect)
  await press(page)
  await page.getByRole('button', { name: 'succeed' }).waitFor()
  await page.goBack()
  await page.getByText('This payment has not been confirmed').waitFor()
  await page.getByRole('button', { name: 'Continue with it' }).click()
  await page.getByRole('button', { name: 'succeed' }).click()
  await page.getByText('Paid. Thank you.').waitFor()
  await expectPaid(asked)
})

test('a page that is closed in the middle: another one pays in another way, once', async () => {
  const asked = await payer.asks()
  const left = await open(asked.url)
  await fill(left, cards.redirect)
  await press(left)
  await left.getByRole('button', { name: 'succeed' }).waitFor()
  const page = await context.newPage()
  await page.goto(asked.url)
  await page.getByRole('button', { name: 'Pay in another way' }).click()
  await fill(page, cards.good)
  await press(page)
  await page.getByText('Paid. Thank you.').waitFor()
  await left.getByRole('button', { name: 'succeed' }).click()
  await left.getByText('No challenge is open').waitFor()
  await left.close()
  await expectPaid(asked)
})

test('two tabs: the second one learns that it is paid', async () => {
  const asked = await payer.asks()
  const [one, two] = [await open(asked.url), await open(asked.url)]
  await fill(one, cards.good)
  await fill(two, cards.good)
  await Promise.all([press(one), press(two)])
  await one.getByText('Paid. Thank you.').waitFor()
  await two.getByText('Paid. Thank you.').waitFor()
  await expectPaid(asked)
})

test('a reply that is lost: the same attempt again, and one charge', async () => {
  const asked = await payer.asks()
  const page = await open(asked.url)
  let lost = 0
  await page.route('**/attempts?*', async route => {
    if (lost++ > 0) return await route.continue()
    await route.fetch()
    await route.abort('connectionreset')
  })
  await fill(page, cards.good)
  await press(page)
  await page.getByText('Paid. Thank you.').waitFor()
  expect(lost).toBeGreaterThan(1)
  await expectPaid(asked)
  errors = errors.filter(one => !one.includes('ERR_CONNECTION_RESET'))
})

test('a payment link: each buyer has a page of their own, the amount is theirs', async () => {
  const asked = await payer.asks({ uses: 2, amount_minor: undefined })
  const pages = [await open(asked.url), await open(asked.url)]
  for (const page of pages) {
    await page.getByLabel('Amount in EUR').fill('12,50')
    await fill(page, cards.good)
  }
  await Promise.all(pages.map(press))
  for (const page of pages) {
    await page.getByText('Paid. Thank you.').waitFor()
    expect(page.url()).not.toContain(asked.request.id)
  }
  await eventually('the link is used up', async () => (await asked.read()).state === 'paid')
  const intents = (await asked.shop.ask('GET', '/v1/payment-intents?state=captured')).body.data
  expect(intents.map((one: { amount_minor: number }) => one.amount_minor)).toEqual([1250, 1250])
})

test('no other page may frame it', async () => {
  const asked = await payer.asks()
  const page = await context.newPage()
  await page.goto(`${shop_url}?frame=${encodeURIComponent(asked.url)}`)
  await eventually('the browser has refused it', () =>
    Promise.resolve(errors.some(one => one.includes('frame-ancestors'))),
  )
  expect(await page.frames()[1]?.content()).not.toContain('Invoice 17')
  errors = errors.filter(one => !one.includes('frame-ancestors'))
})

async function audit(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const found = await page.evaluate(
      `axe.run(document, { iframes: false }).then(all => all.violations.map(one => one.id + ': ' + one.nodes[0]?.html))`,
    )
    expect(found).toEqual([])
  }
}
