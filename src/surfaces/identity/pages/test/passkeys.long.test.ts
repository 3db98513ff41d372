/**
 * A person in Chromium, with its own authenticator: logs in with the code and with the link of a
 * mail, adds a passkey, and logs in with it alone and after a password. By the keyboard; every page
 * on the way is checked with axe-core, in English and German.
 */
import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { freePort } from '../../../../../test/free-port.ts'
import { openProductWorld } from '../../../../../test/product-world.ts'
import { chromium_args } from '../../../../../test/chromium.ts'

const executablePath = '/usr/bin/chromium'
const port = await freePort()
const world = await openProductWorld({
  IDENTITY_EMAIL_SCOPE: 'global',
  IDENTITY_REQUIRE_VERIFIED_EMAIL: 'true',
  PORT: String(port),
  // Keys are made for a domain, and an address of numbers is none.
  PUBLIC_URL: `http://localhost:${port}`,
})
const site = `http://localhost:${port}`
const browser = await chromium.launch({ executablePath, args: chromium_args }).catch(() => null)
afterAll(async () => {
  await browser?.close()
  await world.close()
})

test.skipIf(!existsSync(executablePath))('a person logs in by mail and by passkey', async () => {
  if (!browser) throw new Error('Chromium did not start')
  const context = await browser.newContext({ locale: 'en-GB' })
  const violations: string[] = []
  context.on('console', message => {
    if (message.type() === 'error') violations.push(message.text())
  })
  const email = `eve-${port}@example.test`
  const page = await context.newPage()
  await addAuthenticator(context, page)

  await page.goto(`${site}/account/login`)
  await audit(page, 'login')
  await page.getByRole('link', { name: 'Mail me a code' }).press('Enter')
  await page.getByRole('heading', { name: 'Log in with a code' }).waitFor()
  await audit(page, 'code')
  await page.getByLabel('Mail address').fill(email)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Look into your mailbox' }).waitFor()
  await audit(page, 'code sent')
  await page.getByLabel('Code').fill('1234')
  await page.keyboard.press('Enter')
  await page.getByText('The code is wrong').waitFor()
  await audit(page, 'wrong code')
  await page.getByLabel('Code').fill((await mailed(email)).code ?? '')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Your account' }).waitFor()

  await page.getByRole('link', { name: 'Add a passkey' }).press('Enter')
  await page.getByLabel('Name by which you recognize it').waitFor()
  await audit(page, 'passkey')
  await page.getByLabel('Name by which you recognize it').fill('My laptop')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Make the passkey' }).waitFor()
  await audit(page, 'make a passkey')
  await page.getByRole('button', { name: 'Make the passkey' }).press('Enter')
  await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
  await page.goto(`${site}/account/`)
  await page.getByText('My laptop').first().waitFor()
  await audit(page, 'overview')
  await logOut(page)

  await page.getByRole('button', { name: 'Continue with a passkey' }).press('Enter')
  await page.getByRole('heading', { name: 'Your account' }).waitFor()
  await logOut(page)

  await followLink(browser, page, email)
  await page.getByRole('link', { name: 'Deutsch' }).press('Enter')
  await page.getByRole('heading', { name: 'Ihr Konto' }).waitFor()
  await page.getByRole('button', { name: 'Entfernen' }).first().press('Enter')
  await page.getByText('Der Passkey ist entfernt.').waitFor()
  await audit(page, 'removed')
  // A page that failed is one of the errors that the browser reports; a refused script is another.
  expect(violations.filter(one => !one.includes('status of 4'))).toEqual([])
})

test.skipIf(!existsSync(executablePath))('without a script the other ways are there', async () => {
  if (!browser) throw new Error('Chromium did not start')
  const context = await browser.newContext({ locale: 'en-GB', javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${site}/account/login`)
  expect(await page.getByRole('button', { name: 'Continue with a passkey' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Log in' }).count()).toBe(1)
  expect(await page.getByRole('link', { name: 'Mail me a code' }).count()).toBe(1)
})

/** The link of a mail, first in another browser, and then the passkey as a second factor. */
async function followLink(chrome: Browser, page: Page, email: string): Promise<void> {
  await page.goto(`${site}/account/code`)
  await page.getByLabel('Mail address').fill(email)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Look into your mailbox' }).waitFor()
  const { link } = await mailed(email)
  const stranger = await (await chrome.newContext()).newPage()
  await stranger.goto(link ?? '')
  await stranger.getByText('in the browser in which you asked').waitFor()
  await audit(stranger, 'link in another browser')
  await page.goto(link ?? '')
  await audit(page, 'link')
  await page.getByRole('button', { name: 'Log in' }).press('Enter')
  await page.getByRole('heading', { name: 'Second factor' }).waitFor()
  await audit(page, 'second factor')
  await page.getByRole('button', { name: 'Use My laptop' }).press('Enter')
  await page.getByRole('heading', { name: 'Your account' }).waitFor()
}

/** A platform authenticator that the person always confirms. */
async function addAuthenticator(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

async function logOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Log out' }).press('Enter')
  await page.getByText('You are logged out').waitFor()
}

async function mailed(email: string) {
  const mail = (await world.mails(email)).findLast(one => one.template === 'login_code')
  if (!mail) throw new Error('no code was mailed')
  return mail
}

async function audit(page: Page, name: string): Promise<void> {
  await page.evaluate(axe.source)
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      const found = await page.evaluate(
        `axe.run(document).then(all => all.violations.map(one => one.id + ': ' + one.nodes[0]?.html))`,
      )
      expect(found, `${name} ${colorScheme} ${width}`).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      const shots = process.env['SHOTS']
      if (shots) await page.screenshot({ path: `${shots}/${name}-${colorScheme}-${width}.png` })
    }
  }
}
