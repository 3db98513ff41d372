/** Payment links, the signed address of a page, and what a payer may try. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, newKey } from '../../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { openPaymentWorld, type PaymentWorld } from '../../test/payment-world.ts'
import { payerOf, requests_permissions } from './payer.ts'

let world: PaymentWorld
let payer: ReturnType<typeof payerOf>
beforeAll(async () => {
  world = await openPaymentWorld({ PAYMENTS_PROVIDER_TIMEOUT_MS: '2000' })
  payer = payerOf(world)
})
afterAll(() => world.close())

type Asked = Awaited<ReturnType<typeof payer.asks>>
const reaches = ({ read }: Pick<Asked, 'read'>, state: string) =>
  eventually(`the request is ${state}`, async () => {
    const found = await read()
    return found.state === state && found
  })

describe('a payment link', () => {
  test('is paid as often as it may be, by many at once', async () => {
    const asked = await payer.asks({ uses: 3 })
    const answers = await Promise.all(Array.from({ length: 8 }, () => payer.pay(asked.url)))
    expect(answers.filter(one => one.status < 300)).toHaveLength(3)
    const refused = answers.filter(one => one.status >= 300).map(one => one.body.code)
    expect(new Set(refused)).toEqual(new Set(['request_not_open']))
    await reaches(asked, 'paid')
    const list = `/v1/payment-requests?link_id=${asked.request.id}`
    const { data } = (await asked.shop.ask('GET', list)).body
    expect(data.map((one: { state: string }) => one.state)).toEqual(['paid', 'paid', 'paid'])
    expect((await payer.effects(asked.shop)).filter(one => one === 'capture')).toHaveLength(3)
  })

  test('repeats an attempt as one use; a use that is not paid is free again', async () => {
    const asked = await payer.asks({ uses: 2 })
    const body = {
      provider: 'stripe',
      payment_method: await payer.token('pm_card_threeDSecure2Required'),
      attempt_id: crypto.randomUUID(),
    }
    const answers = await Promise.all(Array.from({ length: 5 }, () => payer.send(asked.url, body)))
    const urls = new Set(answers.filter(one => one.status < 300).map(one => one.body.url as string))
    expect([urls.size, (await asked.read()).used]).toEqual([1, 1])
    const [own = ''] = urls
    const id = new URL(own).pathname.split('/')[2] ?? ''
    await expire(id)
    await eventually('the use is free', async () => (await asked.read()).used === 0)
    await payer.pay(asked.url)
    await payer.pay(asked.url)
    expect((await payer.pay(asked.url)).body.code).toBe('request_not_open')
  })
})

async function expire(id: string): Promise<void> {
  await world.platform.kernel.db.run(sql`
    -- any tenant: one request of a test
    update payments.payment_requests set expires_at = kernel.now(), due_at = kernel.now()
    where id = ${id}`)
  world.platform.kernel.wake(['payments.requests'])
}

describe('the address', () => {
  test('is the right: changed, of another request or expired, it opens nothing', async () => {
    const [one, two] = [await payer.asks(), await payer.asks()]
    const { search } = new URL(one.url)
    const foreign = `${world.url}/pay/${two.request.id}${search}`
    const bare = `${world.url}/pay/${one.request.id}`
    for (const url of [foreign, bare, `${payer.at(one.url)}x`]) {
      const page = await fetch(url)
      expect([page.status, ((await page.json()) as { code: string }).code]).toEqual([
        403,
        'signed_url_invalid',
      ])
    }
    expect((await payer.pay(foreign)).status).toBe(403)
    expect((await fetch(payer.at(foreign, '/state'))).status).toBe(403)
  })

  test('shows a page under a policy that allows no frame, no foreign script and no markup', async () => {
    const description = '<script>alert(1)</script>"\'><img src=x onerror=alert(1)>'
    const asked = await payer.asks({ description, return_url: 'https://shop.test/"><script>' })
    const page = await fetch(payer.at(asked.url))
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('set-cookie')).toBeNull()
    const html = await page.text()
    expect(html).not.toContain('<script>alert')
    expect(html).not.toContain('<img')
    expect((await fetch(payer.at(asked.url), { method: 'HEAD' })).status).toBe(200)
    expect((await asked.read()).version).toBe(1)
  })

  test.each(['javascript:alert(1)', 'data:text/html,x', '//evil.test', ' https://x.test'])(
    'leads back to no %s',
    async return_url => {
      const shop = await world.merchant()
      await world.allow(shop, ...requests_permissions)
      const body = { amount_minor: 1, currency: 'EUR', description: 'x', return_url }
      expect((await shop.ask('POST', '/v1/payment-requests', body, newKey())).status).toBe(422)
    },
  )

  test('takes no number of a card', async () => {
    const asked = await payer.asks()
    const { status, body } = await payer.send(asked.url, {
      provider: 'stripe',
      payment_method: '4242424242424242',
      attempt_id: crypto.randomUUID(),
    })
    expect([status, body.code]).toEqual([422, 'card_data_refused'])
  })
})

test('the secret of a payment is for who may authorize it, and not for readers', async () => {
  const shop = await world.merchant()
  const { id } = await shop.intent()
  const payment_method = await payer.token('pm_card_authenticationRequired')
  const path = `/v1/payment-intents/${id}`
  const asked = await shop.ask('POST', `${path}/authorize`, { payment_method })
  expect([asked.body.state, asked.body.next_action]).toEqual(['requires_action', null])
  expect((await shop.read(id)).next_action).toEqual({ type: 'use_stripe_sdk', url: null })
  const step = await shop.ask('GET', `${path}/next-action`)
  expect(step.body.client_secret).toMatch(/_secret_/)
  const reader = await world.member(shop.tenant)
  await world.allow(reader, 'payments.intents.read')
  const seen = await world.call('GET', `${path}/next-action`, { token: reader.token })
  expect([seen.status, seen.body.code]).toEqual([403, 'permission_denied'])
  expect((await shop.ask('POST', `${path}/cancel`)).status).toBe(200)
  expect((await shop.ask('GET', `${path}/next-action`)).body.type).toBe('none')
})

test('a token works for one payment, and one that is unknown for none', async () => {
  const shop = await world.merchant()
  const payment_method = await payer.token()
  const authorize = async () => {
    const { id } = await shop.intent()
    return await shop.ask('POST', `/v1/payment-intents/${id}/authorize`, { payment_method })
  }
  expect((await authorize()).status).toBe(200)
  const second = await authorize()
  expect([second.status, second.body.code]).toEqual([422, 'payment_method_invalid'])
})

test('who has declined too often from one network must wait', async () => {
  const strict = await openPaymentWorld({
    PAYMENTS_PAGE_DECLINES_PER_HOUR: '3',
    KERNEL_RATE_FACTOR: '1',
    KERNEL_THROTTLE_LOOPBACK: 'true',
  })
  const thief = payerOf(strict)
  const { url, shop } = await thief.asks({ uses: null })
  const codes: string[] = []
  for (let tries = 0; tries < 5; tries++) {
    codes.push((await thief.pay(url, 'pm_card_visa_chargeDeclined')).body.code)
  }
  const declined = 'payment_declined'
  expect(codes).toEqual([declined, declined, declined, 'rate_limited', 'rate_limited'])
  expect(shop.id).toBeTruthy()
  await strict.close()
})

test('what a browser needs to pay is public, and fits the currency', async () => {
  const { api, publishable_key } = world.vendors['stripe'] ?? {}
  const { body } = await world.call('GET', '/v1/payment-options?amount_minor=4990&currency=EUR')
  expect(body.options).toEqual([
    {
      provider: 'stripe',
      account: 'platform',
      payment_account_id: null,
      method: 'card',
      timing: 'held',
      script_url: `${api}/js/v3`,
      publishable_key,
    },
  ])
  const none = await world.call('GET', '/v1/payment-options?currency=XXY')
  expect(none.body.options).toEqual([])
})
