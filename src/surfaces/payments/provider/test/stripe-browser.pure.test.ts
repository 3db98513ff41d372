/** What a page with the script of Stripe needs, as Stripe documents it. */
import { expect, test } from 'vitest'
import { openBrowser } from '../stripe-browser.ts'

test('the policy has the hosts of Stripe, and no others', async () => {
  const published = { key: 'pk_live_x', script_url: 'https://js.stripe.com/v3/' }
  const browser = await openBrowser({ published: () => Promise.resolve(published) })
  expect(browser?.policy).toEqual({
    script: ['https://js.stripe.com', 'https://*.js.stripe.com'],
    frame: ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com'],
    connect: ['https://api.stripe.com'],
    img: ['https://*.stripe.com'],
  })
  expect([browser?.amountOf(100, 'ISK'), browser?.amountOf(1000, 'MGA')]).toEqual([10_000, 10])
})
