/** The bundled client in Chromium: a person logs in with a passkey of this browser. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { chromium } from 'playwright-core'
import { rolldown } from 'rolldown'
import { afterAll, expect, test } from 'vitest'
import { credentials } from '../../src/surfaces/identity/pages/test/visitor.ts'
import { freePort } from '../free-port.ts'
import { openProductWorld } from '../product-world.ts'
import { chromium_args } from '../chromium.ts'

const executablePath = '/usr/bin/chromium'
const port = await freePort()
const site = `http://localhost:${port}`
const world = await openProductWorld({ PORT: String(port), PUBLIC_URL: site })
const browser = await chromium.launch({ executablePath, args: chromium_args }).catch(() => null)
afterAll(async () => {
  await browser?.close()
  await world.close()
})

async function bundled(): Promise<string> {
  const input = resolve(import.meta.dirname, '../../client/src/index.ts')
  const bundle = await rolldown({ input, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'iife', name: 'dodeca' })
  await bundle.close()
  return output[0].code
}

test.skipIf(!existsSync(executablePath))('login({ passkey: true }) begins a session', async () => {
  if (!browser) throw new Error('Chromium did not start')
  const member = await world.member()
  // The page stands for one of an application: those of the platform call nothing.
  const context = await browser.newContext({ locale: 'en-GB', bypassCSP: true })
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  const { email, password, tenant } = credentials(member)
  await page.goto(`${site}/account/login?tenant=${tenant}`)
  await page.getByLabel('Mail address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Add a passkey' }).press('Enter')
  await page.getByLabel('Name by which you recognize it').fill('My laptop')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Make the passkey' }).press('Enter')
  await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
  await context.clearCookies()

  const me = await page.evaluate(`${await bundled()};
    dodeca.login({ base_url: location.origin, passkey: true })
      .then(api => api.GET('/v1/me')).then(one => one.data)`)
  expect(me).toMatchObject({ id: member.id, session: { aal: 'aal2' } })
})
