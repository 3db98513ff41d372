/** The payment page looks like its organization, if an operator trusts it, and never like another one. */
import { hash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rename, trust } from '../../../identity/test/of-tenants.ts'
import { openPaymentWorld, type PaymentWorld } from '../../test/payment-world.ts'
import { payerOf } from './payer.ts'

const logo =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
let world: PaymentWorld
let payer: ReturnType<typeof payerOf>
beforeAll(async () => {
  world = await openPaymentWorld()
  payer = payerOf(world)
})
afterAll(() => world.close())

async function asks(body: object) {
  const asked = await payer.asks()
  await world.allow(asked.shop, 'identity.organization.write')
  const changed = await world.call('PATCH', '/v1/organization', { token: asked.shop.token, body })
  expect(changed.status, changed.text).toBe(200)
  return asked
}

async function shown(url: string) {
  const answer = await fetch(payer.at(url))
  const html = await answer.text()
  const style = /<style>([^]*?)<\/style>/.exec(html)?.[1] ?? ''
  const policy = answer.headers.get('content-security-policy') ?? ''
  // A browser applies the style sheet only if the policy has its hash.
  expect(policy).toContain(`'sha256-${hash('sha256', style, 'base64')}'`)
  return { html, style, policy }
}

const theme = { logo, accent: '#ffdd00', background: '#102030' }

test('its logo, its colours and its name', async () => {
  const { url } = await asks({ name: 'Blue Mugs', theme })
  const { html, style, policy } = await shown(url)
  expect(html).toContain(`<img src="${logo}" alt="Blue Mugs">`)
  expect(html).toContain('to Blue Mugs')
  expect(style).toContain('--brand: #ffdd00; --on-brand: #000;')
  expect(style).toContain('--page: #102030')
  expect(policy).toMatch(/img-src data:/)
  const other = await shown((await payer.asks()).url)
  expect(other.html).not.toContain('<img')
  expect(other.policy).not.toContain('data:')
})

test('a paid page has the logo, too', async () => {
  const { url } = await asks({ theme })
  expect((await payer.pay(url)).status).toBeLessThan(300)
  const { html, policy } = await shown(url)
  expect(html).toContain(`<img src="${logo}"`)
  expect(policy).toContain('img-src data:;')
})

test('an organization that no operator trusts shows neither a look nor a name', async () => {
  const { shop, url } = await asks({ name: 'Your Bank', theme })
  await trust(world.platform.kernel.db, shop.tenant.id, false)
  const { html, style } = await shown(url)
  expect(html).not.toContain('Your Bank')
  expect(html).not.toContain('<img')
  expect(style).not.toContain('--brand:')
  await trust(world.platform.kernel.db, shop.tenant.id, true)
  expect((await shown(url)).html).toContain('to Your Bank')
})

test('a name that reads backwards or cannot be seen is not shown', async () => {
  const { shop, url } = await asks({ name: 'Mugs' })
  await rename(world.platform.kernel.db, shop.tenant.id, 'Mugs \u202eknaB ruoY')
  expect((await shown(url)).html).not.toContain('knaB')
})
