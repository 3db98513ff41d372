/**
 * PayPal on the payment page in Chromium: away to the page of PayPal and back, with an approval,
 * without one, and with a second tab. Each way ends with at most one charge.
 */
import { chromium, type BrowserContext, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { freePort } from '../../../../../test/free-port.ts'
import { eventually } from '../../../../../test/world.ts'
import { openPayPalWorld } from '../../test/paypal-world.ts'
import { payerOf } from './payer.ts'
import { chromium_args } from '../../../../../test/chromium.ts'

const port = await freePort()
const world = await openPayPalWorld({
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
})
const payer = payerOf(world)
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: chromium_args,
})
afterAll(async () => {
  await browser.close()
  await world.close()
})

let context: BrowserContext
let errors: string[]
beforeEach(async () => {
  context = await browser.newContext({ locale: 'en-GB' })
  errors = []
  context.on('console', message => {
    const is_icon = message.location().url.endsWith('/favicon.ico')
    if (message.type() === 'error' && !is_icon) errors.push(message.text())
  })
  context.on('weberror', error => errors.push(error.error().message))
})
afterEach(async () => {
  await context.close()
  expectNoViolation()
})

/** No error but the replies that refuse, which the browser reports too. */
function expectNoViolation(): void {
  expect(errors.filter(one => !/status of (402|404|409|422)/.test(one))).toEqual([])
}

type Asked = Awaited<ReturnType<typeof payer.asks>>
const open = async (url: string): Promise<Page> => {
  const page = await context.newPage()
  await page.goto(url)
  return page
}
const goToPayPal = async (page: Page) => {
  await page.getByRole('button', { name: 'Pay with PayPal' }).click()
  await page.getByRole('heading', { name: /^Pay \d/ }).waitFor()
  expect(page.url()).toContain('/checkoutnow?token=')
}
const press = (page: Page, name: string) => page.getByRole('button', { name }).click()
const isPaid = (asked: Asked) =>
  eventually('it is paid', async () => (await asked.read()).state === 'paid')
const atPayPal = async (): Promise<string[]> => {
  const { data } = await world.at.control('effects', {}, 'GET')
  return (data as { kind: string }[]).map(one => one.kind)
}

test('approved at PayPal, the payer comes back to a page that says paid, and has paid once', async () => {
  const before = (await atPayPal()).length
  const asked = await payer.asks()
  const page = await open(asked.url)
  await goToPayPal(page)
  await press(page, 'Pay now')
  await page.getByText('Paid. Thank you.').waitFor()
  await isPaid(asked)
  await page.reload()
  await page.getByText('Paid. Thank you.').waitFor()
  expect((await atPayPal()).slice(before)).toEqual(['authorization', 'capture'])
})

test('cancelled at PayPal, the payer may go on with it', async () => {
  const before = (await atPayPal()).length
  const asked = await payer.asks()
  const page = await open(asked.url)
  await goToPayPal(page)
  await press(page, 'Cancel and return')
  await page.getByText('has not been confirmed').waitFor()
  expect(await atPayPal()).toHaveLength(before)
  await press(page, 'Continue with it')
  await press(page, 'Pay now')
  await page.getByText('Paid. Thank you.').waitFor()
  await isPaid(asked)
  expect((await atPayPal()).slice(before)).toEqual(['authorization', 'capture'])
})

test('cancelled at PayPal, the payer may pay by card, and the open tab of PayPal takes nothing', async () => {
  const before = (await atPayPal()).length
  const asked = await payer.asks()
  const page = await open(asked.url)
  await goToPayPal(page)
  const second = await open(asked.url)
  await second.getByText('has not been confirmed').waitFor()
  await press(second, 'Pay in another way')
  const element = second.frameLocator('#element iframe')
  await element.getByLabel('Card number').fill('4242 4242 4242 4242')
  await element.getByLabel('Expiration date').fill('12/40')
  await element.getByLabel('Security code').fill('123')
  await second.getByRole('button', { name: 'Pay', exact: true }).click()
  await second.getByText('Paid. Thank you.').waitFor()
  await press(page, 'Pay now')
  await page.getByText('Paid. Thank you.').waitFor()
  await isPaid(asked)
  expect(await atPayPal()).toHaveLength(before)
  expect(await payer.effects(asked.shop)).toEqual(['authorize', 'capture'])
})

test('a payer who types the amount pays it at PayPal', async () => {
  const before = (await atPayPal()).length
  const asked = await payer.asks({ amount_minor: undefined })
  const page = await open(asked.url)
  await page.getByLabel('Amount in EUR').fill('12.50')
  await goToPayPal(page)
  await page.getByRole('heading', { name: 'Pay 12.50 EUR' }).waitFor()
  await press(page, 'Pay now')
  await page.getByText('Paid. Thank you.').waitFor()
  await isPaid(asked)
  expect((await atPayPal()).slice(before)).toEqual(['authorization', 'capture'])
})
