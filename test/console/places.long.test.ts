/**
 * Every place of the console over demo data, in Chromium: an administrator opens each list, and one
 * item of it, without a refusal or a fault, in both colour schemes; a member sees less, and gets
 * the platform's own answer when it asks for more.
 */
import { afterAll, describe, expect, test } from 'vitest'
import type { Page, Response } from 'playwright-core'
import {
  attacks,
  audit,
  has_chromium,
  openConsoleWorld,
  read,
  shoot,
  type ConsoleWorld,
} from './console-world.ts'

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
      await go(page, place)
      const kinds = await linksOf(page, '#menu ul ul a')
      for (const kind of kinds.length > 0 ? kinds : [place]) {
        seen.push(await look(page, kind, kind === kinds[0]))
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
  })

  test('speaks German where it is asked to', async () => {
    const { page, faults } = await console_world.visit('tenant-admin@acme.example')
    await page.getByLabel('Language').selectOption('de')
    await page.getByRole('heading', { name: 'Übersicht' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    await page.getByRole('link', { name: 'Jobs', exact: true }).first().click()
    await settled(page)
    await page.getByRole('columnheader', { name: 'Zustand' }).waitFor()
    await audit(page, 'German')
    await shoot(page, 'german')
    expect(faults()).toEqual([])
  })

  test('shows hostile text in every list and item without effect', async () => {
    const { page, faults } = await console_world.visit('tenant-admin@acme.example')
    const places = (await linksOf(page, '#menu > ul > li > a')).slice(1, -1)
    // Every text of every reply, so that also those are attacks that the API would have refused.
    await page.route(/\/v1\/(?!me$|sessions\/current$)/, async route => {
      const asked = route.request()
      const reads = asked.method() === 'GET' && !asked.headers()['accept']?.includes('event-stream')
      if (!reads) return await route.continue()
      const answer = await route.fetch()
      const is_json = answer.headers()['content-type']?.startsWith('application/json') === true
      const response = is_json ? { json: hostile(await answer.json()) } : {}
      await route.fulfill({ response: answer, ...response })
    })
    await page.evaluate('globalThis.hit = 0')
    let opened = 0
    for (const place of places) {
      await go(page, place)
      const kinds = await linksOf(page, '#menu ul ul a')
      for (const kind of kinds.length > 0 ? kinds : [place]) {
        await go(page, kind)
        // An item whose key is a text is not found by it any more.
        const first = page.locator('.rows .row.leads a').first()
        if ((await first.count()) > 0) await first.click()
        await settled(page)
        opened += Math.min(1, await page.locator('.fields').count())
        const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        expect(wide, kind).toBeLessThanOrEqual(0)
      }
      expect(faults(), place).toEqual([])
    }
    expect(opened).toBeGreaterThan(20)
    expect(await page.evaluate('globalThis.hit')).toBe(0)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('offers a member only what it may do, and shows the refusal of the rest', async () => {
    const [all, { page, faults }] = await Promise.all([
      everyKind(console_world),
      console_world.visit('member@acme.example'),
    ])
    const places = await linksOf(page, '#menu > ul > li > a')
    const items = await someItems(console_world)
    // Of payments a member has the cards that the member has saved.
    expect(places.filter(one => one.startsWith('/console/payments'))).toEqual([
      '/console/payments/methods',
    ])
    await page.locator('.light.refused').waitFor()
    const { permissions } = (await read(page, '/v1/me')) as { permissions: string[] }
    const needed = await permissionsBySummary(page)
    const refused: string[] = []
    for (const kind of [...all, ...items]) {
      // Each address, as if it had been typed: what the API said last is what the page shows.
      const answers: Promise<string>[] = []
      const listen = (one: Response) => void answers.push(codeOf(one))
      page.on('response', listen)
      await go(page, kind)
      page.off('response', listen)
      const codes = new Set((await Promise.all(answers)).filter(code => code !== ''))
      const shown = (await page.getByRole('alert').allInnerTexts()).join('\n')
      for (const code of codes) expect(shown, kind).toContain(code)
      expect(shown === '', kind).toBe(codes.size === 0)
      if (codes.size > 0) refused.push(kind)
      const buttons = await page.locator('main button[title]').all()
      for (const button of buttons) {
        const permission = needed.get((await button.getAttribute('title')) ?? '') ?? 'unknown'
        expect(mayUse(permissions, permission), `${kind}: ${permission}`).toBe(true)
      }
    }
    expect(refused).toContain('/console/platform/audit')
    expect(refused.length).toBeGreaterThan(15)
    // An item of others is refused like its list, and one's own item is shown.
    expect(items.filter(one => refused.includes(one)).length).toBeGreaterThan(5)
    expect(items.filter(one => !refused.includes(one)).length).toBeGreaterThan(1)
    await go(page, '/console/platform/audit')
    expect(await page.getByRole('alert').innerText()).toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-7/)
    await audit(page, 'a refusal')
    expect(faults()).toEqual([])
  })
})

/** The address of every list that the menu of an administrator has. */
async function everyKind(console_world: ConsoleWorld): Promise<string[]> {
  const { page, context } = await console_world.visit('tenant-admin@acme.example')
  const places = (await linksOf(page, '#menu > ul > li > a')).slice(1, -1)
  const kinds: string[] = []
  for (const place of places) {
    await go(page, place)
    const inside = await linksOf(page, '#menu ul ul a')
    kinds.push(...(inside.length > 0 ? inside : [place]))
  }
  await context.close()
  return kinds
}

/** Ids, numbers, times and places in a list stay, so that the page can go on to the next reply. */
function hostile(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map(one => hostile(one, name))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, hostile(inner, key)]),
    )
  }
  const kept = /^[0-9a-f]{8}-|^\d{4}-\d\d-\d\d|^[\d.]+$/
  if (typeof value !== 'string' || /^(next_cursor|token)$/.test(name) || kept.test(value))
    return value
  return `${attacks[value.length % attacks.length] ?? ''} ${value}`
}

const item_lists = [
  '/v1/accounts /console/identity/accounts',
  '/v1/jobs /console/jobs/jobs',
  '/v1/webhook-subscriptions /console/webhooks/subscriptions',
  '/v1/payment-intents /console/payments/intents',
  '/v1/notifications /console/notifications/notifications',
  '/v1/orders /console/commerce/orders',
  '/v1/products /console/commerce/products',
  '/v1/files /console/uploads/files',
  '/v1/moderation/cases /console/social/cases',
  '/v1/collections /console/retrieval/collections',
  '/v1/webhook-events /console/events/log',
  '/v1/audit-events /console/platform/audit',
]

/** The address of one item of each of these lists, as an administrator sees them. */
async function someItems(console_world: ConsoleWorld): Promise<string[]> {
  const { page, context } = await console_world.visit('tenant-admin@acme.example')
  const items: string[] = []
  for (const line of item_lists) {
    const [api = '', place = ''] = line.split(' ')
    const { data } = await read(page, `${api}?limit=1`)
    const [first] = (data ?? []) as { id?: string; product_id?: string }[]
    if (first?.id !== undefined) items.push(`${place}/${first.id}`)
  }
  await context.close()
  expect(items.length).toBeGreaterThan(8)
  return items
}

/** A button has the summary of its operation as its title. */
async function permissionsBySummary(page: Page): Promise<Map<string, string>> {
  type Operation = { readonly summary: string; readonly 'x-permission'?: string }
  const { paths } = (await read(page, '/openapi.json')) as {
    paths: Record<string, Record<string, Operation>>
  }
  return new Map(
    Object.values(paths).flatMap(path =>
      Object.values(path).map(one => [one.summary, one['x-permission'] ?? 'public'] as const),
    ),
  )
}

function mayUse(held: readonly string[], permission: string): boolean {
  const [base = ''] = permission.split(':')
  if (base === 'public' || base === 'authenticated') return true
  return held.some(one => one === base || one.startsWith(`${base}:`))
}

/** The code of a problem, or nothing. */
async function codeOf(answer: Response): Promise<string> {
  if (answer.status() < 400 || !answer.url().includes('/v1/')) return ''
  return ((await answer.json()) as { code: string }).code
}

/** Goes there inside of the page, which need not load again. */
async function go(page: Page, address: string): Promise<void> {
  await page.evaluate(`new Promise(shown => {
    history.pushState(null, '', ${JSON.stringify(address)})
    dispatchEvent(new PopStateEvent('popstate'))
    requestAnimationFrame(() => setTimeout(shown))
  })`)
  await settled(page)
}

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
async function look(page: Page, kind: string, closely: boolean): Promise<Seen> {
  await go(page, kind)
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
