/**
 * Every place of the console over demo data, in Chromium: an administrator opens each list, and one
 * item of it, without a refusal or a fault, in both colour schemes; a member sees less, and gets
 * the platform's own answer when it asks for more.
 */
import { afterAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { audit, has_chromium, openConsoleWorld, shoot } from './console-world.ts'

describe.skipIf(!has_chromium)('the console', async () => {
  if (!has_chromium) return
  const console_world = await openConsoleWorld()
  afterAll(() => console_world.close())

  test('shows an administrator every place, its lists and their items', async () => {
    const { page, faults } = await console_world.visit('tenant-admin@acme.example')
    await page.getByText('The platform is ready').waitFor()
    await page.locator('.light.live').waitFor()
    await audit(page, 'home')
    await shoot(page, 'home')
    const places = await linksOf(page, '#menu > ul > li > a')
    expect(places).toHaveLength(16)
    const seen: Seen[] = []
    for (const place of places.slice(1, -1)) {
      await page.goto(console_world.url + place)
      await settled(page)
      const kinds = await linksOf(page, '#menu ul ul a')
      for (const kind of kinds.length > 0 ? kinds : [place]) {
        seen.push(await look(page, console_world.url, kind, kind === kinds[0]))
      }
      expect(faults(), place).toEqual([])
    }
    expect(seen.filter(one => one.alerts.length > 0)).toEqual([])
    // The seeds fill most lists; without rows there would be nothing to open.
    expect(seen.filter(one => one.opened).length).toBeGreaterThan(20)
  }, 300_000)

  test('is readable in the dark, on a phone and on a wide screen', async () => {
    const { page, faults } = await console_world.visit(
      'tenant-admin@acme.example',
      '/console/jobs/jobs',
      'dark',
    )
    for (const at of ['/console', '/console/jobs/jobs', '/console/webhooks/subscriptions']) {
      await page.goto(console_world.url + at)
      await settled(page)
      for (const width of [390, 1280, 2560]) {
        await page.setViewportSize({ width, height: 900 })
        await audit(page, `${at} dark ${width}`)
      }
      await shoot(page, `dark${at.replaceAll('/', '-')}`)
    }
    expect(faults()).toEqual([])
  }, 120_000)

  test('speaks German where it is asked to', async () => {
    const { page, faults } = await console_world.visit('tenant-admin@acme.example')
    await page.getByLabel('Language').selectOption('de')
    await page.getByRole('heading', { name: 'Übersicht' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    await page.getByRole('link', { name: 'Aufträge', exact: true }).first().click()
    await settled(page)
    await page.getByRole('columnheader', { name: 'Zustand' }).waitFor()
    await audit(page, 'German')
    await shoot(page, 'german')
    expect(faults()).toEqual([])
  }, 60_000)

  test('offers a member only what it may do, and shows the refusal of the rest', async () => {
    const { page, faults } = await console_world.visit('member@acme.example')
    const places = await linksOf(page, '#menu > ul > li > a')
    expect(places.some(one => one.startsWith('/console/payments'))).toBe(false)
    await page.locator('.light.refused').waitFor()
    await page.goto(`${console_world.url}/console/platform/audit`)
    const refusal = page.getByRole('alert')
    await refusal.getByText('permission_denied').waitFor()
    expect(await refusal.innerText()).toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-7/)
    await audit(page, 'a refusal')
    await page.goto(`${console_world.url}/console/jobs/types`)
    await page.locator('main h1').waitFor()
    expect(await page.getByRole('button', { name: 'Pause job type' }).count()).toBe(0)
    expect(faults()).toEqual([])
  }, 60_000)
})

async function linksOf(page: Page, where: string): Promise<string[]> {
  const links = await page.locator(where).all()
  return await Promise.all(links.map(async one => (await one.getAttribute('href')) ?? ''))
}

/** Nothing is being read any more. */
async function settled(page: Page): Promise<void> {
  await page.locator('main h1').waitFor()
  // A locator, since the policy of the page refuses the text that waitForFunction evaluates.
  await page
    .locator('main')
    .filter({ hasNotText: /Loading …|Lädt …/ })
    .waitFor()
}

type Seen = { readonly kind: string; readonly alerts: string[]; readonly opened: boolean }

/** A list and its first item: what they refused, and with `closely` what axe finds wrong. */
async function look(page: Page, url: string, kind: string, closely: boolean): Promise<Seen> {
  await page.goto(url + kind)
  await settled(page)
  const alerts = await page.getByRole('alert').allInnerTexts()
  if (closely) await audit(page, kind)
  const opened = await openFirst(page)
  if (!opened) return { kind, alerts, opened }
  if (closely) {
    await audit(page, `an item of ${kind}`)
    await shoot(page, `item${kind.replaceAll('/', '-')}`)
  }
  return { kind, alerts: [...alerts, ...(await page.getByRole('alert').allInnerTexts())], opened }
}

async function openFirst(page: Page): Promise<boolean> {
  const first = page.locator('.rows .row.leads a').first()
  if ((await first.count()) === 0) return false
  await first.click()
  await page.locator('.fields').first().waitFor()
  await settled(page)
  return true
}
