/**
 * The account pages in a browser, without a script: from the registration over the mail to the
 * logged-in person, and from a reset mail to a log-in with a second factor. Every page on the way is
 * checked in both colour schemes, on a phone and wide.
 */
import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { Secret, TOTP } from 'otpauth'
import { chromium, type BrowserContext, type Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { freePort } from '../../../../../test/free-port.ts'
import { openProductWorld } from '../../../../../test/product-world.ts'
import { eventually } from '../../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { nextCode, wrongCode, type App } from '../../test/second-factor.ts'
import { chromium_args } from '../../../../../test/chromium.ts'

const executablePath = '/usr/bin/chromium'
const password = 'correct horse battery staple'
const port = await freePort()
const world = await openProductWorld({
  KERNEL_SANDBOX: 'true',
  IDENTITY_EMAIL_SCOPE: 'global',
  IDENTITY_REQUIRE_VERIFIED_EMAIL: 'true',
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
})
const browser = await chromium.launch({ executablePath, args: chromium_args }).catch(() => null)
afterAll(async () => {
  await browser?.close()
  await world.close()
})

test.skipIf(!existsSync(executablePath))(
  'lead from the registration to the account, and from a reset to a log-in with a second factor',
  async () => {
    if (!browser) throw new Error('Chromium did not start')
    const context = await browser.newContext({ locale: 'en-GB' })
    const violations: string[] = []
    context.on('console', message => {
      if (message.type() === 'error') violations.push(message.text())
    })
    const sent: Promise<Record<string, string>>[] = []
    // Those of a page that was closed meanwhile are not known any more.
    context.on('request', request => void sent.push(request.allHeaders().catch(() => ({}))))
    const email = `ann-${port}@example.test`

    const page = await context.newPage()
    await page.goto(`${world.url}/account/register`)
    await audit(page, 'register')
    await register(page, email)
    await audit(page, 'registered')
    const mailed = await followMail(context, email, 'Confirm the address')
    await audit(mailed, 'verify')
    await mailed.getByRole('button', { name: 'Confirm' }).press('Enter')
    await mailed.getByText('Your address is confirmed').waitFor()
    await logIn(mailed, email, password)
    await mailed.getByRole('heading', { name: 'Your account' }).waitFor()
    await audit(mailed, 'overview')
    await fillProfile(mailed)
    await makeOrganization(mailed)

    const app = await addApp(mailed)

    await mailed.goto(`${world.url}/account/`)
    await mailed.getByRole('button', { name: 'Log out' }).press('Enter')
    await mailed.getByText('You are logged out').waitFor()
    await mailed.getByRole('link', { name: 'Forgot the password?' }).click()
    await audit(mailed, 'forgot')
    await mailed.getByLabel('Mail address').fill(email)
    await mailed.keyboard.press('Enter')
    await mailed.getByText('If there is an account').waitFor()
    const reset = await followMail(context, email, 'Set a new password')
    await reset.getByLabel('New password').fill('password1234')
    await reset.keyboard.press('Enter')
    await reset.getByText('easy to guess').waitFor()
    await audit(reset, 'reset')
    await reset.getByLabel('New password').fill(`${password} again`)
    await reset.keyboard.press('Enter')
    await reset.getByText('Your password is set').waitFor()
    await logIn(reset, email, `${password} again`)
    await reset.getByRole('heading', { name: 'Second factor' }).waitFor()
    await audit(reset, 'second factor')
    await reset.getByRole('textbox', { name: 'Code' }).fill(await nextCode(world, app))
    await reset.keyboard.press('Enter')
    await reset.getByRole('heading', { name: 'Your account' }).waitFor()
    await audit(reset, 'overview with a factor')
    await reset.getByRole('link', { name: 'Deutsch' }).click()
    await reset.getByRole('heading', { name: 'Ihr Konto' }).waitFor()
    const headers = await Promise.all(sent)
    expect(headers.filter(({ referer = '' }) => referer.includes('token'))).toEqual([])
    const origins = headers.flatMap(({ origin = [] }) => origin)
    expect([origins.length > 5, new Set(origins)]).toEqual([true, new Set([world.url])])
    // A page that failed is one of the errors that the browser reports; a refused style is another.
    expect(violations.filter(one => !one.includes('status of 4'))).toEqual([])
  },
)

async function fillProfile(page: Page): Promise<void> {
  const properties = {
    city: { type: 'string', title: 'City' },
    age: { type: 'integer', title: 'Age', minimum: 18 },
    news: { type: 'boolean', title: 'Send me news' },
    size: { enum: ['small', 'large'], title: 'Size' },
  }
  const schema = { type: 'object', required: ['city'], properties }
  await world.platform.kernel.db.run(sql`
    update identity.tenants set profile_schema = ${sql.json(schema)}::jsonb,
      theme = '{"accent": "#ffdd00", "background": "#102030"}' where slug = 'default'`)
  await page.reload()
  await page.getByRole('link', { name: 'Your profile' }).press('Enter')
  await page.getByLabel('City').fill('Bern')
  await page.getByLabel('Age').fill('7')
  await page.getByLabel('Size').selectOption('large')
  await audit(page, 'profile')
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  await page.getByText('This did not work').waitFor()
  await audit(page, 'profile refused')
  await page.getByLabel('Age').fill('70')
  await page.getByLabel('Send me news').check()
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  await page.getByText('Your profile is saved').waitFor()
  expect(await page.getByLabel('Size').inputValue()).toBe('large')
  await page.getByRole('link', { name: 'To your account' }).press('Enter')
}

/** By the keyboard; its short name is refused once. */
async function makeOrganization(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Your organizations' }).press('Enter')
  await audit(page, 'organizations')
  await page.getByLabel('Name', { exact: true }).fill('Acme')
  await page.getByLabel('Short name').fill('Not a slug')
  await page.keyboard.press('Enter')
  await page.getByText('lower-case letters').first().waitFor()
  await audit(page, 'organizations, refused')
  await page.getByLabel('Short name').fill(`acme-${port}`)
  await page.keyboard.press('Enter')
  await page.getByText('The organization is created').waitFor()
  await page.getByRole('button', { name: 'Work here' }).press('Enter')
  await page.getByText('You work in this organization now').waitFor()
  await audit(page, 'at work')
  await page.getByRole('button', { name: 'Work here' }).press('Enter')
  await page.getByRole('link', { name: 'Your account' }).press('Enter')
}

/** Adds an authenticator; its first code is mistyped. */
async function addApp(page: Page): Promise<App> {
  await page.getByRole('link', { name: 'Add an authenticator app' }).click()
  await audit(page, 'totp')
  await page.getByRole('button', { name: 'Continue' }).press('Enter')
  await audit(page, 'enrol')
  const key = await page.locator('main code').innerText()
  const app: App = { totp: new TOTP({ secret: Secret.fromBase32(key) }), last: 0 }
  await page.getByRole('textbox', { name: 'Code' }).fill(wrongCode(world, app))
  await page.keyboard.press('Enter')
  await page.getByText('The code is wrong').waitFor()
  await audit(page, 'wrong code')
  await page.getByRole('textbox', { name: 'Code' }).fill(await nextCode(world, app))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
  await audit(page, 'codes')
  expect(await page.locator('.codes li').count()).toBe(10)
  return app
}

/** By the keyboard alone: the first field is reached with the first Tab. */
async function register(page: Page, email: string): Promise<void> {
  await page.keyboard.press('Tab')
  await page.keyboard.type(email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Look into your mailbox' }).waitFor()
}

async function logIn(page: Page, email: string, with_password: string): Promise<void> {
  await page.getByLabel('Mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(with_password)
  await page.keyboard.press('Enter')
}

/** Opens the newest mail in the inbox, and follows its link as a reader does. */
async function followMail(context: BrowserContext, email: string, link: string): Promise<Page> {
  const inbox = await context.newPage()
  await eventually(`a mail with "${link}"`, async () => {
    await inbox.goto(`${world.url}/dev/inbox?to=${email}`)
    if ((await inbox.locator('details.card').count()) === 0) return false
    const frame = inbox.locator('iframe').first().contentFrame()
    return (await frame.getByRole('link', { name: link }).count()) === 1
  })
  const anchor = inbox.locator('iframe').first().contentFrame().getByRole('link', { name: link })
  const address = await anchor.getAttribute('href')
  // Scanners of mails open links first; that must not use them up.
  for (const method of ['GET', 'HEAD', 'GET']) {
    expect((await fetch(address ?? '', { method })).status).toBe(200)
  }
  const [opened] = await Promise.all([context.waitForEvent('page'), anchor.click()])
  await opened.waitForLoadState()
  await inbox.close()
  return opened
}

async function audit(page: Page, name: string): Promise<void> {
  await page.evaluate(axe.source)
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 390, 2560]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      const found = await page.evaluate(
        `axe.run(document).then(all => all.violations.map(one => one.id + ': ' + one.nodes[0]?.html))`,
      )
      expect(found, `${name} ${colorScheme} ${width}`).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      const shots = process.env['SHOTS']
      if (shots)
        await page.screenshot({
          path: `${shots}/${name}-${colorScheme}-${width}.png`,
          fullPage: true,
        })
    }
  }
}
