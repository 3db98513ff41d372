/** The page of a cart in Chromium, with a card beside PayPal: one order, paid once, whatever is tried. */
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { freePort } from '../../../../../test/free-port.ts'
import { fillCard, goToPayPal, openChromium, press } from '../../../payments/pages/test/chromium.ts'
import { newAddress } from '../../test/guests.ts'
import { openPayPalShop } from '../../test/paypal-shop.ts'

const port = await freePort()
const at = await openPayPalShop({ PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` })
const browser = await openChromium()
afterAll(async () => {
  await browser.close()
  await at.world.close()
})
beforeEach(() => browser.begin())
afterEach(() => browser.end())

async function asks() {
  const guest = await at.shop.guest()
  const sku = await at.shop.product({ stock: 2 })
  const cart = await guest.cart({ [sku]: 1 })
  const path = `/v1/carts/${cart}/payment-request`
  const { body } = await guest.ask('POST', path, { email: newAddress() })
  const orders = async (): Promise<{ id: string; state: string }[]> =>
    (await guest.ask('GET', '/v1/orders')).body.data
  return { url: body.url as string, orders, sku }
}

/** Of all orders of the buyer. */
async function money({ orders }: Awaited<ReturnType<typeof asks>>): Promise<string[]> {
  return await at.moneyOf((await orders()).map(one => one.id))
}

test('both are there; approved at PayPal, the buyer comes to the page of the order', async () => {
  const asked = await asks()
  const page = await browser.open(asked.url)
  const card = page.getByRole('button', { name: 'Pay', exact: true })
  const paypal = page.getByRole('button', { name: 'Pay with PayPal' })
  await Promise.all([card.waitFor(), paypal.waitFor()])
  await goToPayPal(page)
  await press(page, 'Pay now')
  await page.waitForURL(/\/orders\//)
  await page.getByText('1 × A thing').waitFor()
  expect(await money(asked)).toEqual(['authorization'])
  await at.shop.sound()
})

test('a card in a second tab, while the first is at PayPal, which then takes nothing', async () => {
  const asked = await asks()
  const first = await browser.open(asked.url)
  await goToPayPal(first)
  const second = await browser.open(asked.url)
  await second.getByText('has not been confirmed').waitFor()
  await press(second, 'Pay in another way')
  await fillCard(second)
  await press(second, 'Pay')
  await second.waitForURL(/\/orders\//)
  await press(first, 'Pay now')
  await first.getByText('Paid. Thank you.').waitFor()
  expect(await money(asked)).toEqual(['authorize'])
  expect((await asked.orders()).map(one => one.state).toSorted()).toEqual(['confirmed', 'expired'])
  expect(await at.shop.stock(asked.sku)).toMatchObject({ reserved: 1 })
  await at.shop.sound()
})
