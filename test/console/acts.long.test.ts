/**
 * What people do at a surface and then watch, as they do it in Chromium: look, act, and see the
 * change without a reload. The acting person has only the role for it; an administrator watches.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Type } from 'typebox'
import type { JobType, Opened } from '#dodeca/kernel'
import type { Inside as Notifications } from '../../src/surfaces/notifications/face.ts'
import { fine, openReceiver, status } from '../../src/surfaces/webhooks/test/receiver.ts'
import { withJobTypes } from '../with-job-types.ts'
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
const member = 'member@acme.example'

/** A job that writes to a person in its last commit. */
const errand = (messages: Notifications): JobType => ({
  type: 'demo.errand',
  schema_version: 1,
  parameters: Type.Object({ user_id: Type.String() }),
  offered: true,
  run: async job => {
    const { user_id } = job.parameters as { user_id: string }
    await job.commit(tx =>
      messages.notify(tx, {
        tenant_id: job.tenant_id,
        key: `job:${job.id}`,
        user_id,
        category: 'order.updates',
        template: 'notice',
        data: {
          subject: 'It is done',
          paragraphs: ['The errand is done.'],
          url: 'https://x.test/',
        },
        channels: ['email'],
      }),
    )
  },
})
const withErrands = withJobTypes(({ notifications }) => [
  errand((notifications as Opened<Notifications>).face),
])

describe.skipIf(!has_chromium)('a person in the console', async () => {
  if (!has_chromium) return
  const receiver = await openReceiver()
  const console_world = await openConsoleWorld(
    { WEBHOOKS_ALLOWED_PORTS: '1-65535', WEBHOOKS_ALLOWED_PRIVATE_CIDRS: '127.0.0.0/8' },
    withErrands,
  )
  const { url } = console_world
  let person: Visitor
  let page: Visitor['page']
  beforeAll(async () => {
    person = await console_world.visit(admin)
    page = person.page
    await send(page, '/v1/webhook-subscriptions', {
      endpoint: `http://127.0.0.1:${receiver.port}/`,
      event_filter: { types: ['link.created', 'job.succeeded', 'notification.sent'] },
      api_version: '2026-01',
    })
    await eventually('the endpoint is verified', async () => {
      const { data } = await read(page, '/v1/webhook-subscriptions?state=active')
      return (data as object[]).length > 0
    })
  })
  afterAll(() => Promise.all([console_world.close(), receiver.close()]))
  const open = (at: string) => page.goto(`${url}/console/${at}`)
  const watch = async (at: string) => {
    await open(at)
    await page.locator('.light.live').waitFor()
    await page.locator('.fields, .row.leads').first().waitFor()
  }
  const state = (name: string) => page.locator('h1 .state').getByText(name, { exact: true })
  const helper = async (email: string, at: string) => await console_world.visit(email, at)

  test('replays a delivery that failed, and sees its new attempt', async () => {
    receiver.answer(status(500))
    await send(page, '/v1/links', { destination_url: 'https://example.com/replayed' })
    const id = await eventually('the first attempt has failed', async () => {
      const { data } = await read(page, '/v1/webhook-deliveries?state=pending')
      const rows = data as { id: string; last_http_status: number | null }[]
      return rows.find(one => one.last_http_status === 500)?.id
    })
    await open('webhooks/deliveries')
    await page.locator('.row.leads', { hasText: '500' }).first().waitFor()
    await open(`webhooks/deliveries/${id}`)
    const attempts = page.locator('.panel table tr')
    await attempts.nth(1).getByText('status 500').waitFor()
    await page.locator('pre', { hasText: 'occurred_at' }).first().waitFor()
    receiver.answer(fine)
    const before = await attempts.count()
    await act(page, 'Replay webhook delivery', { Reason: 'The endpoint works again' })
    await state('delivered').waitFor()
    await attempts.nth(before).getByText('204').waitFor()
    await audit(page, 'a delivery')
    await shoot(page, 'act-delivery')
    expect(person.faults()).toEqual([])
  })

  test('traces a request to its job, its mail and its deliveries', async () => {
    receiver.answer(fine)
    const other = await helper(member, '/console')
    const { id: user_id } = await read(other.page, '/v1/me')
    await other.context.close()
    await open('jobs/jobs')
    const sent = await act(page, 'Submit job', {
      Type: 'demo.errand',
      Parameters: JSON.stringify({ user_id }),
    })
    const request_id = sent.headers()['x-request-id'] ?? ''
    const { id } = (await sent.json()) as { id: string }
    await open(`trace/${request_id}`)
    const line = page.locator('.timeline li')
    // The page follows a young request by itself.
    const steps = [
      ['Job', 'job.succeeded'],
      ['Notification', 'notification.sent'],
      ['Webhook', 'job.succeeded'],
      ['Webhook', 'notification.sent'],
    ] as const
    for (const [kind, type] of steps) {
      await line.filter({ hasText: kind }).filter({ hasText: type }).first().waitFor()
    }
    await line
      .filter({ hasText: /Request.*POST \/v1\/jobs/ })
      .first()
      .waitFor()
    await line
      .filter({ hasText: /Transaction.*POST \/v1\/jobs/ })
      .first()
      .waitFor()
    await line
      .filter({ hasText: /Transaction.*run demo\.errand/ })
      .first()
      .waitFor()
    await line.filter({ hasText: 'delivered' }).nth(1).waitFor({ timeout: 30_000 })
    expect(
      await line.getByRole('link', { name: 'job.succeeded' }).first().getAttribute('href'),
    ).toBe(`/console/jobs/jobs/${id}`)
    await audit(page, 'a trace')
    await shoot(page, 'act-trace')
    expect(person.faults()).toEqual([])
  })

  test('reads why a job waits, cancels it, and retries it', async () => {
    await watch('jobs/jobs')
    const submitted = await act(page, 'Submit job', {
      Type: 'demo.count',
      Parameters: '{"to": 2}',
      Scheduled: new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10),
    })
    const { id } = (await submitted.json()) as { id: string }
    await page.locator('.row.leads', { hasText: 'schedule' }).first().waitFor()
    await open(`jobs/jobs/${id}`)
    await page.locator('.fields').getByText('schedule', { exact: true }).waitFor()
    await act(page, 'Cancel job')
    await state('cancelled').waitFor()
    const retried = await act(page, 'Retry job')
    const { id: next } = (await retried.json()) as { id: string }
    await open(`jobs/jobs/${next}`)
    await page.locator('.fields').getByText(id, { exact: true }).first().waitFor()
    expect(person.faults()).toEqual([])
  })

  test('ships an order, and sees the stock go', async () => {
    const manager = await helper('shop-manager@acme.example', '/console/commerce/orders')
    const order = await notShipped(manager.page)
    const { sku, quantity } = order.lines[0] ?? { sku: '', quantity: 0 }
    const { on_hand } = await read(manager.page, `/v1/inventory/${sku}`)
    await watch(`commerce/stock/${sku}`)
    await manager.page.goto(`${url}/console/commerce/orders/${order.id}`)
    await act(manager.page, 'Ship order', { Carrier: 'DHL' })
    await manager.page.locator('h1 .state').getByText('fulfilled').waitFor()
    const left = String(Number(on_hand) - quantity)
    await page.locator('.fields').getByText(left, { exact: true }).first().waitFor()
    await audit(page, 'the stock')
    await shoot(page, 'act-stock')
    expect([...person.faults(), ...manager.faults()]).toEqual([])
    await manager.context.close()
  })

  test('captures a payment, and sees it on the time line and in the books', async () => {
    const merchant = await helper('merchant-service@acme.example', '/console/payments/intents')
    const held = await send(merchant.page, '/v1/payment-intents', {
      amount_minor: 5000,
      currency: 'EUR',
    })
    const at = `payments/intents/${String(held['id'])}`
    await watch(at)
    await page.getByRole('heading', { name: 'Time line' }).waitFor()
    await merchant.page.goto(`${url}/console/${at}`)
    await act(merchant.page, 'Authorize payment intent', { 'Payment method': 'pm_card_visa' })
    await state('authorized').waitFor()
    await act(merchant.page, 'Capture payment intent')
    await state('captured').waitFor()
    await page.locator('.timeline li', { hasText: 'Ledger: capture' }).waitFor()
    await page.locator('.timeline a', { hasText: 'Ledger: capture' }).first().click()
    await page.getByText('entries', { exact: false }).first().waitFor()
    await open('payments/disputes')
    await page.locator('.row.leads a').first().click()
    await page.locator('.fields').getByRole('link').first().waitFor()
    await audit(page, 'a dispute')
    expect([...person.faults(), ...merchant.faults()]).toEqual([])
    await merchant.context.close()
  })

  test('decides a reported case, and its post is gone', async () => {
    const other = await helper(member, '/console/social/posts')
    const reporter = await helper('moderator@acme.example', '/console')
    await open('social/cases')
    await page.locator('.row.leads', { hasText: 'spam' }).waitFor()
    await page.locator('.light.live').waitFor()
    const post = await send(other.page, '/v1/posts', {
      body: 'Cheap watches',
      visibility: 'public',
    })
    const report = { subject_type: 'post', subject_id: post['id'], category: 'abuse' }
    await send(reporter.page, '/v1/moderation/reports', report)
    await page.locator('.row.leads', { hasText: 'abuse' }).first().getByRole('link').first().click()
    await page.getByLabel('Subject').getByText('Cheap watches').waitFor()
    await audit(page, 'a case')
    await act(page, 'Act on moderation case', {
      Action: 'remove',
      'Reason code': 'spam',
      Statement: 'Advertising is not allowed here.',
    })
    await state('actioned').waitFor()
    await other.page.goto(`${url}/console/social/decisions`)
    await other.page.locator('.row.leads', { hasText: 'Advertising' }).first().waitFor()
    await reporter.page.goto(`${url}/console/social/posts/${String(post['id'])}`)
    await reporter.page.getByRole('alert').getByText('post_not_found').waitFor()
    expect([...person.faults(), ...other.faults(), ...reporter.faults()]).toEqual([])
    await Promise.all([other.context.close(), reporter.context.close()])
  })

  test('takes a role and the sessions of a person away, and finds both in the audit', async () => {
    const other = await helper(member, '/console')
    const { id } = await read(other.page, '/v1/me')
    await open(`identity/accounts/${String(id)}`)
    await act(page, 'Assign role', { 'Role id': 'moderator' })
    await act(page, 'Remove role', { 'Role id': 'moderator' })
    await act(page, 'End account sessions')
    await eventually('the person is logged out', async () => {
      await other.page.goto(`${url}/console`)
      await other.page.locator('.bar .brand').or(other.page.getByLabel('Mail address')).waitFor()
      return (await other.page.getByLabel('Mail address').count()) > 0
    })
    await open('platform/audit')
    const rows = page.locator('.row.leads')
    for (const [action, target] of [
      ['identity.roles.assign', `${String(id)}/moderator`],
      ['identity.roles.revoke', `${String(id)}/moderator`],
      ['identity.sessions.revoke_any', String(id)],
    ] as const) {
      const row = rows.filter({ hasText: action }).filter({ hasText: String(id).slice(-4) })
      await row.first().waitFor()
      expect(await row.count(), action).toBe(1)
      await row.getByRole('link').first().click()
      await page.locator('.fields').getByText(target).first().waitFor()
      await page.goBack()
    }
    expect([...person.faults(), ...other.faults()]).toEqual([])
    await other.context.close()
  })
})

type Order = {
  readonly id: string
  readonly lines: readonly { sku: string; quantity: number; shipped_quantity: number }[]
}

async function notShipped(page: Visitor['page']): Promise<Order> {
  const { data } = await read(page, '/v1/orders?state=confirmed')
  for (const { id } of data as { id: string }[]) {
    const order = (await read(page, `/v1/orders/${id}`)) as unknown as Order
    if (order.lines.every(one => one.shipped_quantity === 0)) return order
  }
  throw new Error('the demo has an order that is not shipped')
}
