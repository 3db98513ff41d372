/**
 * One field finds anything, by the keyboard alone and on a phone; and a refusal leads to the request
 * that was refused.
 */
import { readFile } from 'node:fs/promises'
import { afterAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { audit, has_chromium, openConsoleWorld, read, send, shoot } from './console-world.ts'

describe.skipIf(!has_chromium)('the desk', async () => {
  if (!has_chromium) return
  const console_world = await openConsoleWorld()
  afterAll(() => console_world.close())
  const admin = 'tenant-admin@acme.example'
  const options = (page: Page) => page.locator('#matches [role=option]')

  test('an address finds the account as one types, by the keyboard alone', async () => {
    const { page, faults } = await console_world.visit(admin)
    await page.keyboard.press('/')
    await page.keyboard.type('TENANT-ad')
    await options(page).first().waitFor()
    await audit(page, 'matches')
    await shoot(page, 'matches')
    await page.keyboard.press('Escape')
    await options(page).first().waitFor({ state: 'hidden' })
    await page.keyboard.type('m')
    await options(page).first().waitFor()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.locator('.fields').waitFor()
    expect(page.url()).toContain('/console/identity/accounts/')
    expect(await page.locator('main').innerText()).toContain(admin)
    expect(faults()).toEqual([])
  })

  test('an order is found by its number, also on a phone in the dark', async () => {
    const { page, faults } = await console_world.visit('owner@acme.example', '/console', 'dark')
    const { data } = (await read(page, '/v1/orders?limit=100')) as {
      data: readonly { id: string; number: number | null }[]
    }
    const order = data.find(one => one.number !== null)
    expect(order).toBeDefined()
    await page.setViewportSize({ width: 390, height: 900 })
    await page.getByRole('combobox', { name: 'Search' }).fill(`#${order?.number}`)
    const found = options(page).filter({ hasText: 'Orders' })
    await found.first().waitFor()
    await audit(page, 'matches 390 dark')
    await shoot(page, 'matches-phone-dark')
    await found.first().click()
    await page.waitForURL(`**/console/commerce/orders/${order?.id}`)
    await page.goto(`${console_world.url}/console/commerce/orders`)
    expect(await page.getByLabel('State').isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByLabel('State').selectOption('cancelled')
    await page.getByRole('button', { name: 'Filters (1)' }).click()
    expect(await page.getByLabel('State').isVisible()).toBe(false)
    await audit(page, 'filters 390 dark')
    expect(faults()).toEqual([])
  })

  test('where more fits than is found at once, the list with all of it is offered', async () => {
    const { page, faults } = await console_world.visit('shop-manager@acme.example')
    for (const n of [1, 2, 3, 4, 5, 6, 7]) {
      const variant = { sku: `AUTUMN-${n}`, title: 'One size' }
      await send(page, '/v1/products', {
        handle: `autumn-${n}`,
        title: `Autumn ${n}`,
        variants: [variant],
      })
    }
    await page.getByRole('combobox', { name: 'Search' }).fill('autumn')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Show all: Products' }).click()
    await page.waitForURL('**/console/commerce/products?q=q%3Dautumn')
    await page.getByRole('link', { name: 'Show the drafts' }).click()
    await page.locator('main .row.leads').nth(6).waitFor()
    await page.goto(`${console_world.url}/console/commerce/collections`)
    await page.getByRole('button', { name: /collection$/i }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Key/).fill('autumn')
    await dialog.getByLabel(/^Title/).fill('Autumn')
    const products = dialog.getByRole('searchbox')
    for (const title of ['Autumn 3', 'Autumn 5']) {
      await products.fill(title)
      await dialog.getByRole('button', { name: `Add: ${title}` }).waitFor()
      await products.press('Enter')
      await dialog.locator('.picked li', { hasText: title }).waitFor()
    }
    await audit(page, 'a collection')
    await dialog.locator('footer button').last().click()
    await dialog.getByText('autumn').first().waitFor()
    expect(await read(page, '/v1/product-collections/autumn')).toMatchObject({
      product_ids: [expect.any(String), expect.any(String)],
    })
    expect(faults()).toEqual([])
  })

  test('a list with its filters is a file for a spreadsheet', async () => {
    const { page, faults } = await console_world.visit(
      'owner@acme.example',
      '/console/commerce/orders',
    )
    await page.getByLabel('Since').fill('2020-02-01')
    await page.keyboard.press('Tab')
    await page.waitForURL(/orders\?q=since/)
    await page.locator('.rows .row.leads').first().waitFor()
    const coming = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download as CSV' }).click()
    const file = await coming
    expect(file.suggestedFilename()).toBe('orders.csv')
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n')
    expect(lines[0]).toMatch(/^\u{feff}id,number,state,/u)
    const { data } = (await read(page, '/v1/orders?limit=100')) as { data: readonly object[] }
    expect(lines.length - 1).toBe(data.length)
    for (const width of [390, 1280, 2560]) {
      await page.setViewportSize({ width, height: 900 })
      await audit(page, `orders ${width}`)
    }
    await shoot(page, 'orders')
    expect(faults()).toEqual([])
  })

  test('a refused act leads to the request, and its id finds it again', async () => {
    const { page } = await console_world.visit(admin, '/console/links/links')
    await page.getByRole('button', { name: 'Create link' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Destination url/).fill('not an address')
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    const why = dialog.getByRole('link', { name: /^Why\?/ })
    await why.waitFor()
    await audit(page, 'a refusal')
    await shoot(page, 'refusal')
    const request_id = (await why.locator('code').innerText()).trim()
    await why.click()
    await page.locator('.why').waitFor()
    await audit(page, 'why')
    await shoot(page, 'why')
    await page.getByRole('combobox', { name: 'Search' }).fill(request_id)
    await options(page).filter({ hasText: 'Platform · Requests' }).first().click()
    await page.waitForURL(`**/console/platform/requests/${request_id}`)
    await page.locator('.fields').first().waitFor()
    await shoot(page, 'request')
    expect(await page.locator('main').innerText()).toContain('body /destination_url')
    await page.goto(`${console_world.url}/console/platform/requests`)
    await page.locator('.row.leads').first().waitFor()
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      await audit(page, `requests ${width}`)
      await shoot(page, `requests-${width}`)
    }
  })

  test('a product with a price is made without JSON, and its page shows what it costs later', async () => {
    const { page, faults } = await console_world.visit(
      'shop-manager@acme.example',
      '/console/commerce/products',
    )
    await page.getByRole('button', { name: 'Create product' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Handle/).fill('Blue Mug')
    await dialog
      .getByLabel(/^Title/)
      .first()
      .fill('Blue mug')
    await dialog.getByLabel(/^Sku/).fill('DESK-MUG')
    await dialog.getByRole('button', { name: 'Add: Prices' }).click()
    await dialog.getByLabel(/^Currency/).fill('eur')
    await dialog.getByLabel(/^Amount/).fill('12,90')
    const send = dialog.locator('footer button').last()
    await send.click()
    await dialog.locator('.fault', { hasText: 'Lower-case letters and digits' }).waitFor()
    await audit(page, 'a product')
    await shoot(page, 'product-form')
    await dialog.getByLabel(/^Handle/).fill('desk-mug')
    await send.click()
    await dialog.getByRole('link', { name: 'Product Blue mug created as draft' }).click()
    await page.getByText('€12.90').first().waitFor()
    await page.goto(`${console_world.url}/console/commerce/products`)
    await page.getByRole('link', { name: 'Show the drafts' }).click()
    await page.locator('.row.leads', { hasText: 'Blue mug' }).waitFor()
    expect(faults()).toEqual([])
  })

  test('a refund begins at its order, and a filter keeps what is typed while the list is read', async () => {
    const { page, faults } = await console_world.visit('refund-operator@acme.example')
    const { data } = (await read(page, '/v1/orders?limit=100')) as {
      data: readonly { id: string; payment_state: string }[]
    }
    const order = data.find(one => /^(captured|partially_refunded)$/.test(one.payment_state))
    expect(order).toBeDefined()
    await page.goto(`${console_world.url}/console/commerce/orders/${order?.id}`)
    await page.getByRole('button', { name: 'Create refund' }).click()
    const dialog = page.getByRole('dialog')
    const amount = dialog.getByLabel(/^Amount/)
    const line = dialog.locator('.offers button').first()
    await line.click()
    expect(`€${await amount.inputValue()}`).toBe((await line.textContent())?.split(': ')[1])
    await amount.fill('1,00')
    await audit(page, 'a refund')
    await shoot(page, 'refund-form')
    await dialog.locator('footer button').last().click()
    await dialog.getByText('€1.00 refunded').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.locator('section', { hasText: 'Refunds' }).getByText('€1.00').first().waitFor()
    await page.goto(`${console_world.url}/console/payments/customers`)
    const [first, second] = [
      page.getByLabel('Account', { exact: false }).first(),
      page.getByLabel('Find'),
    ]
    await first.fill('00000000-0000-7000-8000-000000000000')
    const answered = page.waitForResponse('**/v1/customers?*account_id=*')
    await second.focus()
    await page.keyboard.type('ma')
    await answered
    await page.keyboard.type('ra')
    expect(await second.inputValue()).toBe('mara')
    expect(faults()).toEqual([])
  })
})
