/**
 * The surface of an application in the console and in the reference, without a line for it there: its
 * list with filters, order and search, one row, and all its acts.
 */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Page } from 'playwright-core'
import { newKey, openApp, type Member } from '../../src/testing/entry.ts'
import { freePort } from '../free-port.ts'
import leads from '../testing/dodeca.config.ts'
import {
  act,
  audit,
  has_chromium,
  openBrowser,
  shoot,
  visit,
  type Visitor,
} from './console-world.ts'

process.env['TEST_DATABASE_URL'] = inject('admin_url')

describe.skipIf(!has_chromium)('an own surface in the console', async () => {
  if (!has_chromium) return
  const url = `http://127.0.0.1:${await freePort()}`
  const world = await openApp(
    leads,
    {
      PORT: new URL(url).port,
      PUBLIC_URL: url,
      IDENTITY_EMAIL_SCOPE: 'global',
      KERNEL_SANDBOX: 'false',
    },
    import.meta.dirname.replace('console', 'testing'),
  )
  const browser = await openBrowser()
  let member: Member
  let person: Visitor
  let page: Page
  beforeAll(async () => {
    member = await world.member()
    person = await visit(browser, url, { ...member, at: '/console' })
    page = person.page
  })
  afterAll(async () => {
    await browser.close()
    await world.close()
  })
  const open = (at: string) => page.goto(`${url}/console/${at}`)
  const cells = () => page.locator('main .row.leads').allInnerTexts()

  test('is in the menu, and its empty list shows how to make the first one', async () => {
    await open('')
    await page.getByRole('navigation').getByRole('link', { name: 'Leads' }).click()
    await page.getByRole('heading', { name: 'Leads' }).waitFor()
    expect(await page.locator('main .empty').innerText()).toContain('/v1/leads')
    await audit(page, 'an empty list')
    await shoot(page, 'own-empty')
  })

  test('a lead is created by its form, and is in the list', async () => {
    const answer = await act(page, 'Create lead', { Title: 'A new roof', Amount: '199900' })
    expect(answer.request().headers()['idempotency-key']).toMatch(/.{16}/)
    await page.getByText('A new roof').first().waitFor()
    await act(page, 'Create lead', { Title: 'A wall', Amount: '500' })
    await page.getByText('A wall').first().waitFor()
    await audit(page, 'a list')
    await shoot(page, 'own-list')
  })

  test('the list has the filters of its operation', async () => {
    await page.getByLabel('State').selectOption('won')
    await page.getByText('A wall').first().waitFor({ state: 'detached' })
    await page.getByLabel('State').selectOption('open')
    await page.getByText('A wall').first().waitFor()
    await page.getByLabel('Find').fill('A new roof')
    await page.keyboard.press('Enter')
    await page.getByText('A wall').first().waitFor({ state: 'detached' })
    await expect.poll(cells).toHaveLength(1)
  })

  test('a lead has its fields and its acts', async () => {
    await open('leads/leads')
    await page.getByText('A new roof').first().click()
    await page.getByRole('heading', { name: 'A new roof' }).waitFor()
    await act(page, 'Win lead')
    await page.getByRole('heading', { name: 'A new roof won' }).waitFor()
    await act(page, 'Change lead', { Note: 'Paid at once' })
    await page.getByText('Paid at once').first().waitFor()
    await audit(page, 'a lead')
    await shoot(page, 'own-item')
    // A second time is refused, and the dialog says by which code.
    await page.getByRole('button', { name: 'Win lead' }).click()
    await page.getByRole('dialog').locator('footer button').last().click()
    await page.getByRole('dialog').getByText('invalid_transition').waitFor()
    await page.keyboard.press('Escape')
    await act(page, 'Delete lead')
    await page.getByRole('heading', { name: 'Leads' }).waitFor()
    await page.getByText('A new roof').first().waitFor({ state: 'detached' })
    await expect.poll(async () => (await cells()).length).toBe(1)
  })

  test('the search finds a lead by its id and by its title', async () => {
    const { body } = await world.call('POST', '/v1/leads', {
      token: member.token,
      key: newKey(),
      body: { title: 'Gutters', amount_minor: 1 },
    })
    for (const asked of [body.id as string, 'Gutters']) {
      await open(`search/${asked}`)
      const found = page.locator('main .found').getByText('Gutters')
      await found.waitFor()
      expect(await found.count()).toBe(1)
    }
  })

  test('the reference has its operations', async () => {
    await page.goto(`${url}/docs/api`)
    await page.getByText('Leads').first().click()
    await page.getByText('Win a lead').first().waitFor()
    await shoot(page, 'own-reference')
    expect(person.faults()).toEqual([])
  })
})
