/**
 * What surfaces show beyond lists and fields, as a person sees it in Chromium in the dark: people, links,
 * uploads, notifications, retrieval, chat and payments. Inference is in inference.long.test.ts,
 * the acts of the other surfaces are in acts.long.test.ts, and jobs, search and refusals in
 * journeys.long.test.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { eventually } from '../world.ts'
import {
  act,
  audit,
  has_chromium,
  openConsoleWorld,
  read,
  send,
  shoot,
  type Visitor,
} from './console-world.ts'

const admin = 'tenant-admin@acme.example'
/** What a person’s browser sends: other visits are counted as those of bots. */
const browser = {
  'user-agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'accept-language': 'en-GB,en;q=0.9',
}
const member = 'member@acme.example'

describe.skipIf(!has_chromium)('a surface in the console', async () => {
  if (!has_chromium) return
  const console_world = await openConsoleWorld({
    // Documents are found seconds after the start: their vectors need no model.
    RETRIEVAL_ENGINE: 'exact',
    RETRIEVAL_DEFAULT_PROFILE: 'hash-ngram-384@1',
  })
  const { url } = console_world
  let person: Visitor
  let page: Page
  beforeAll(async () => {
    person = await console_world.visit(admin, '/console', 'dark')
    page = person.page
  })
  afterAll(() => console_world.close())
  const open = (at: string) => page.goto(`${url}/console/${at}`)

  test('the page of a person shows what the person has in all surfaces', async () => {
    const support = await console_world.visit('support-viewer@acme.example')
    const of = async (list: string) => {
      const { data } = (await read(support.page, list)) as { data: Record<string, string>[] }
      return data[0] ?? {}
    }
    const { buyer_id = '' } = await of('/v1/orders?limit=1')
    const { id: own_order } = await of(`/v1/orders?limit=1&account_id=${buyer_id}`)
    await support.page.goto(`${url}/console/identity/accounts/${buyer_id}`)
    const orders = support.page.locator('section', {
      has: support.page.getByRole('heading', { name: 'Orders', exact: true }),
    })
    await orders.getByRole('link').first().waitFor()
    expect(await orders.locator('tbody tr').count()).toBeLessThanOrEqual(5)
    expect(await orders.locator('a').first().getAttribute('href')).toContain(own_order)
    await audit(support.page, 'a person')
    await shoot(support.page, 'person')
    expect(support.faults()).toEqual([])
    await support.context.close()
  })

  test('links: a click is counted in the chart, beside the QR code', async () => {
    await open('links/links')
    const link = await send(page, '/v1/links', { destination_url: 'https://example.com/counted' })
    await fetch(String(link['short_url']), { redirect: 'manual', headers: browser })
    await open(`links/links/${String(link['code'])}`)
    await page.getByRole('img', { name: 'QR code' }).waitFor()
    // The clicks of a moment are written together.
    await eventually('a click is counted', async () => {
      await page.reload()
      await page.getByRole('heading', { name: 'Clicks' }).waitFor()
      await page.locator('.panel .figure').waitFor()
      return (await page.getByRole('img', { name: /^Clicks: 1,/ }).count()) > 0
    })
    await audit(page, 'clicks')
    await shoot(page, 'surface-link')
    expect(person.faults()).toEqual([])
  })

  test('uploads: a picture is shown, through its own address', async () => {
    await open('uploads/files')
    await page.locator('.row.leads a').first().click()
    await page.locator('.preview img').waitFor()
    const shown = "document.querySelector('.preview img').decode().then(() => 'shown')"
    expect(await page.evaluate(shown)).toBe('shown')
    await audit(page, 'a picture')
    await shoot(page, 'surface-file')
    expect(person.faults()).toEqual([])
  })

  test('notifications: a template follows what is typed, and its markup does nothing', async () => {
    await open('notifications/templates')
    const name = 'hostile-preview'
    const body = '<p style="color: red">Hello {{ who }}</p>'
    const channels = { email: { subject: 'To {{ who }}', body, text: 'Hello {{ who }}' } }
    await send(page, '/v1/notification-templates', { name, default_locale: 'en', channels })
    await page.reload()
    await page.getByRole('link', { name }).click()
    const inside = page.frameLocator('iframe')
    await inside.getByText('Hello who').waitFor()
    await page.getByLabel('Data').fill('{"who": "<script>parent.hit = 1</script> Zoe"}')
    await inside.getByText('Zoe').waitFor()
    await page.getByRole('heading', { name: /^To .*Zoe/ }).waitFor()
    // Markup that the platform would refuse in a template has no effect in the frame either.
    await page.evaluate(`(() => {
      const { body } = document.querySelector('iframe').contentDocument
      body.innerHTML = '<img src="data:," onerror="parent.hit = 1"><iframe srcdoc="&lt;script>top.hit = 1&lt;/script>"></iframe>'
    })()`)
    await inside.locator('iframe').waitFor()
    expect(await page.evaluate('globalThis.hit')).toBeUndefined()
    await page.getByLabel('Data').fill('{"who": ')
    await page.getByRole('alert').getByText('This is not JSON').waitFor()
    await audit(page, 'a template')
    await shoot(page, 'surface-template')
    // The frame refuses the script and the picture, and the browser says so.
    expect(person.faults().filter(one => !/Content Security Policy|sandboxed/.test(one))).toEqual(
      [],
    )
  })

  test('retrieval: a question is answered, and its quote is marked in the document', async () => {
    await open('retrieval/answers')
    const { id } = await send(page, '/v1/collections', { name: 'Handbook' })
    const text = `# Refunds\n\n${'Other words stand here. '.repeat(200)}\n\n# Parcels\n\nRefunds are paid within fourteen days after the parcel has come back.`
    const document = { title: 'Refunds', text, content_type: 'text/markdown' }
    const { job_id } = await send(page, `/v1/collections/${String(id)}/documents`, document)
    await open(`retrieval/ingestion/${String(job_id)}`)
    await page.locator('h1 .state.good').waitFor({ timeout: 60_000 })
    await open('retrieval/answers')
    await page.getByLabel('Collection').selectOption(String(id))
    await page.getByLabel('Your question').fill('When are refunds paid?')
    await page.getByRole('button', { name: 'Ask' }).click()
    const quote = await page.locator('.citations blockquote').first().innerText()
    await audit(page, 'an answer')
    await shoot(page, 'surface-answer')
    await page.locator('.citations a').first().click()
    const mark = page.locator('.document mark')
    await mark.first().waitFor()
    expect((await mark.allTextContents()).join('')).toBe(quote)
    expect(await mark.first().evaluate(isInSight)).toBe(true)
    await audit(page, 'a marked document')
    await shoot(page, 'surface-document')
    expect(person.faults()).toEqual([])
  })

  test('chat: two people talk in a room', async () => {
    const other = await console_world.visit(member)
    const me = await read(other.page, '/v1/me')
    const room = await send(page, '/v1/conversations', {
      type: 'group',
      title: 'Support',
      member_ids: [me['id']],
    })
    const at = `chat/conversations/${String(room['id'])}`
    await Promise.all([open(at), other.page.goto(`${url}/console/${at}`)])
    await other.page.locator('.room .light.live').waitFor()
    await page.getByLabel('Message').fill('<b>Hello</b> from the console')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await other.page.getByRole('log').getByText('<b>Hello</b> from the console').waitFor()
    await other.page.getByLabel('Message').fill('I hear you')
    await other.page.keyboard.press('Enter')
    await page.getByRole('log').getByText('I hear you').waitFor()
    await audit(page, 'a room')
    await shoot(page, 'surface-room')
    expect([...person.faults(), ...other.faults()]).toEqual([])
    await other.context.close()
  })

  test('payments and commerce: an order leads to the time line of its payment', async () => {
    await open('payments/intents')
    await page.locator('.row.leads a').first().click()
    await page.getByRole('heading', { name: 'Time line' }).waitFor()
    await page.locator('.timeline li').first().waitFor()
    await audit(page, 'a payment')
    await shoot(page, 'surface-payment')
    const buyer = await console_world.visit(member, '/console/commerce/orders')
    await buyer.page.locator('.row.leads a').first().click()
    await buyer.page.getByRole('columnheader', { name: 'Accepted unit price' }).waitFor()
    expect([...person.faults(), ...buyer.faults()]).toEqual([])
    await buyer.context.close()
  })

  test('payments: what only the provider knows is found, and resolved', async () => {
    const { sandbox } = (await read(page, '/dev')) as { sandbox: { stripe: { control: string } } }
    await fetch(new URL('foreign_payments', sandbox.stripe.control), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ amount: 777, currency: 'chf' }),
    })
    const finance = await console_world.visit(
      'platform-operator@acme.example',
      '/console/payments/reconciliation',
    )
    const run = await act(finance.page, 'Create reconciliation run', {
      From: new Date(Date.now() - 86_400_000).toISOString().slice(0, 10),
      To: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10),
    })
    expect(run.status()).toBe(202)
    await eventually('the item is found', async () => {
      const found = await read(finance.page, '/v1/reconciliation-items?discrepancy=missing_local')
      return (found['data'] as object[]).length > 0
    })
    await finance.page.reload()
    await finance.page.getByRole('link', { name: 'missing_local' }).first().click()
    const note = { Resolution: 'resolved', Note: 'A sale at the counter.' }
    await act(finance.page, 'Resolve reconciliation item', note)
    await finance.page.locator('h1 .state').getByText('resolved', { exact: true }).waitFor()
    await audit(finance.page, 'a reconciliation item')
    await shoot(finance.page, 'act-reconciliation')
    expect(finance.faults()).toEqual([])
    await finance.context.close()
  })

  test('payments: a refund whose reply is lost is made once, also from a new dialog', async () => {
    const merchant = await console_world.visit(
      'merchant-service@acme.example',
      '/console/payments/intents',
    )
    const held = await send(merchant.page, '/v1/payment-intents', {
      amount_minor: 5000,
      currency: 'EUR',
    })
    const at = `payments/intents/${String(held['id'])}`
    const refund = await console_world.visit('refund-operator@acme.example', `/console/${at}`)
    await merchant.page.goto(`${url}/console/${at}`)
    await act(merchant.page, 'Authorize payment intent', { 'Payment method': 'pm_card_visa' })
    await act(merchant.page, 'Capture payment intent')
    await refund.page.goto(`${url}/console/${at}`)
    const refunds = '**/v1/refunds'
    await refund.page.route(refunds, async route => {
      await route.fetch()
      await route.abort('connectionreset')
    })
    const dialog = refund.page.locator('dialog')
    const begin = async () => {
      await refund.page.getByRole('button', { name: 'Create refund' }).click()
      await dialog.getByLabel('Amount', { exact: false }).first().fill('2.00')
      await dialog.locator('footer button').last().click()
    }
    await begin()
    await dialog.getByText('It may have been done').waitFor()
    await refund.page.keyboard.press('Escape')
    await refund.page.unroute(refunds)
    await begin()
    await dialog.getByRole('status').waitFor()
    const { amount_refunded_minor } = await read(
      merchant.page,
      `/v1/payment-intents/${String(held['id'])}`,
    )
    expect(amount_refunded_minor).toBe(200)
    await Promise.all([merchant.context.close(), refund.context.close()])
  })
})

function isInSight(element: { getBoundingClientRect(): { top: number; bottom: number } }): boolean {
  const { top, bottom } = element.getBoundingClientRect()
  return top >= 0 && bottom <= (globalThis as unknown as { innerHeight: number }).innerHeight
}
