/** The seeded product with a browser that looks at its console. */
import { existsSync } from 'node:fs'
import axe from 'axe-core'
import {
  chromium,
  type Browser,
  type BrowserContext,
  type Page,
  type Response,
} from 'playwright-core'
import { expect } from 'vitest'
import { Type } from 'typebox'
import { freePort } from '../free-port.ts'
import { sql } from '#dodeca/kernel'
import { composition } from '../../src/platform.ts'
import type { Composition } from '../../src/runtime/platform-parts.ts'
import { openProductWorld, type ProductWorld } from '../product-world.ts'
import { chromium_args } from '../chromium.ts'

const executablePath = '/usr/bin/chromium'
const demo_password = 'every demo begins somewhere'

export const has_chromium = existsSync(executablePath)

export type ConsoleWorld = {
  readonly world: ProductWorld
  readonly url: string
  /** A browser in which this demo person has logged in, on the page of the console. */
  visit(email: string, at?: string, dark?: 'dark'): Promise<Visitor>
  close(): Promise<void>
}

export type Visitor = {
  readonly page: Page
  readonly context: BrowserContext
  /** What the browser reported as wrong since the last call, without refusals of requests. */
  faults(): string[]
}

export async function openConsoleWorld(
  settings: Record<string, string> = {},
  composed: Composition = composition,
): Promise<ConsoleWorld> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const world = await openProductWorld(
    {
      PORT: String(port),
      PUBLIC_URL: url,
      IDENTITY_EMAIL_SCOPE: 'global',
      KERNEL_SANDBOX: 'true',
      ...settings,
    },
    composed,
  )
  await world.platform.seed()
  await allowToSeeAll(world, 'tenant-admin@acme.example')
  const browser = await openBrowser()
  return {
    world,
    url,
    visit: (email, at, dark) => visit(browser, url, { email, at: at ?? '/console', dark }),
    close: async () => {
      await browser.close()
      await world.close()
    },
  }
}

/** Another world than the demo: any page, any person. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath, args: chromium_args })
}

/** No role may see everything; a tenant can define one that may. */
async function allowToSeeAll(world: ProductWorld, email: string): Promise<void> {
  const found = await world.platform.kernel.db.one(
    Type.Object({ id: Type.String(), tenant_id: Type.String() }),
    sql`select id, tenant_id from identity.accounts where email_normalized = ${email}`,
  )
  const member = { id: found.id, tenant: { id: found.tenant_id, slug: 'acme' } }
  const permissions = world.platform.routes
    .map(({ permission }) => permission)
    .filter(one => one.endsWith('.read') || one === 'kernel.events.operate')
  await world.allow(member, ...new Set(permissions), 'identity.sessions.revoke_any')
}

type Wanted = { email: string; password?: string; at: string; dark?: 'dark' | undefined }

export async function visit(
  browser: Browser,
  url: string,
  { email, password = demo_password, at, dark }: Wanted,
): Promise<Visitor> {
  const context = await browser.newContext({
    locale: 'en-GB',
    viewport: { width: 1280, height: 900 },
    colorScheme: dark ?? 'light',
  })
  // Below the limit of a test, so that a failure names the element that did not come.
  context.setDefaultTimeout(30_000)
  let faults: string[] = []
  // A refused request is shown on the page, and the browser reports it too.
  const isRefusal = (text: string) => /status of 4\d\d/.test(text)
  context.on('console', message => {
    if (message.type() === 'error' && !isRefusal(message.text())) faults.push(message.text())
  })
  context.on('weberror', one => faults.push(String(one.error())))
  const page = await context.newPage()
  await page.goto(url + at)
  await page.getByLabel('Mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.locator('.bar .brand').waitFor()
  await page.locator('main').waitFor()
  return {
    page,
    context,
    faults: () => {
      const found = faults
      faults = []
      return found
    },
  }
}

/** Texts that try to run, to leave their place, or to make the page too wide. */
export const attacks = [
  '<img src=x onerror="globalThis.hit++">',
  '<script>globalThis.hit++</script>',
  '"><svg onload=globalThis.hit++>',
  "javascript:globalThis.hit++//'",
  '{{constructor.constructor("globalThis.hit++")()}}',
  '\u202Eexe.gpj\u2066 right to left',
  `<b>${'x'.repeat(180)}`,
  `مرحبا بالعالم ${'\u200F'.repeat(40)}`,
  'Z\u0351\u036B\u0343'.repeat(40),
  '<iframe srcdoc="<script>parent.hit++</script>">',
]

/** In the page: with its session, like a button of it. */
export async function send(
  page: Page,
  path: string,
  body: object,
): Promise<Record<string, unknown>> {
  return await page.evaluate(
    async ([at, given]) => {
      const { csrf_token } = (await (await fetch('/v1/sessions/current')).json()) as {
        csrf_token: string
      }
      const headers = {
        'content-type': 'application/json',
        'x-csrf-token': csrf_token,
        'idempotency-key': crypto.randomUUID(),
      }
      const answer = await fetch(at, { method: 'POST', headers, body: given })
      if (!answer.ok) throw new Error(`${at}: ${await answer.text()}`)
      return (await answer.json()) as Record<string, unknown>
    },
    [path, JSON.stringify(body)] as const,
  )
}

export async function read(page: Page, path: string): Promise<Record<string, unknown>> {
  return await page.evaluate(
    async at => (await (await fetch(at)).json()) as Record<string, unknown>,
    path,
  )
}

/**
 * Opens the dialog of a button, fills its fields by their labels, sends it, and closes the reply.
 */
export async function act(
  page: Page,
  button: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  await page.getByRole('button', { name: button, exact: true }).click()
  const dialog = page.getByRole('dialog')
  for (const [label, text] of Object.entries(fields)) {
    // A moment has a second field, for its time.
    const field = dialog.getByLabel(new RegExp(`^${label}`)).first()
    const tag = await field.evaluate((one: { readonly tagName: string }) => one.tagName)
    if (tag === 'SELECT') await field.selectOption(text)
    else await field.fill(text)
  }
  const answered = page.waitForResponse(one => one.request().method() !== 'GET')
  await dialog.locator('footer button').last().click()
  const answer = await answered
  if (!answer.ok()) throw new Error(`${button}: ${await answer.text()}`)
  await dialog.getByRole('button', { name: 'Close' }).click()
  return answer
}

/** Without what axe finds wrong, and no wider than the window. */
export async function audit(page: Page, name: string): Promise<void> {
  await page.evaluate(axe.source)
  const found = await page.evaluate(
    `axe.run(document).then(all => all.violations.map(one => one.id + ': ' + one.nodes[0]?.html))`,
  )
  expect(found, name).toEqual([])
  const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
  expect(wide, `${name} is too wide`).toBeLessThanOrEqual(0)
}

/** For people who look at the pages: only with SHOTS=<folder>. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['SHOTS']
  if (!folder) return
  for (const width of [390, 1280, 2560]) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
    await page.screenshot({ path: `${folder}/${name}-${width}.png` })
  }
  await page.setViewportSize({ width: 1280, height: 900 })
}
