/**
 * PayPal on the payment page in Chromium: away to the page of PayPal and back, with an approval,
 * without one, and with a second tab. Each way ends with at most one charge.
 */
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { freePort } from '../../../../../test/free-port.ts'
import { eventually } from '../../../../../test/world.ts'
import { openPayPalWorld } from '../../test/paypal-world.ts'
import { fillCard, goToPayPal, openChromium, press } from './chromium.ts'
import { payerOf } from './payer.ts'

const port = await freePort()
const world = await openPayPalWorld({
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
})
const payer = payerOf(world)
const browser = await openChromium()
afterAll(async () => {
  await browser.close()
  await world.close()
})
beforeEach(() => browser.begin())
afterEach(() => browser.end())
const { open } = browser

type Asked = Awaited<ReturnType<typeof payer.asks>>
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
  await fillCard(second)
  await press(second, 'Pay')
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
