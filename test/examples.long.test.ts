/** The examples in Chromium, as a reader starts them: a chat of two people, a question. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { chromium, type BrowserContext, type Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { freePort } from './free-port.ts'
import { openProductWorld } from './product-world.ts'
import { chromium_args } from './chromium.ts'

const executablePath = '/usr/bin/chromium'
const root = resolve(import.meta.dirname, '..')
const [port, pages_port] = [await freePort(), await freePort()]
const origin = `http://127.0.0.1:${pages_port}`
const world = await openProductWorld({
  KERNEL_SANDBOX: 'true',
  IDENTITY_EMAIL_SCOPE: 'global',
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
})
const browser = await chromium.launch({ executablePath, args: chromium_args }).catch(() => null)
afterAll(async () => {
  await browser?.close()
  await world.close()
})

describe.skipIf(!existsSync(executablePath))('the example', () => {
  test('chat shows both people every message once and in order', async () => {
    await using here = await open('chat')
    const nora = await here.visitor('nora')
    const link = await nora.locator('#invitation').getAttribute('href')
    await nora.getByText('Online').waitFor()
    const otis = await here.visitor('otis', link ?? '')
    await otis.getByText('Online').waitFor()
    await otis.getByRole('button', { name: 'Talk to the person' }).click()
    await write(otis, 'Hello Nora')
    await nora.getByText('Hello Nora').waitFor()
    await write(nora, 'Hello Otis')
    await write(nora, 'How are you?')
    await otis.getByText('How are you?').waitFor()
    const lines = (page: Page) => page.locator('#messages li').allTextContents()
    expect(await lines(otis)).toEqual(['Hello Nora', 'Hello Otis', 'How are you?'])
    await nora.getByText('…').waitFor({ state: 'detached' })
    expect(await lines(nora)).toEqual(await lines(otis))
    expect(here.errors).toEqual([])
  })

  test('ask answers from a document that was uploaded', async () => {
    await using here = await open('ask')
    const page = await here.visitor('pia')
    const text = '# Warranty\n\nA lamp is repaired free of charge for three years.\n'
    const file = { name: 'warranty.md', mimeType: 'text/markdown', buffer: Buffer.from(text) }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByText('warranty.md can be asked now.').waitFor({ timeout: 60_000 })
    await page.getByLabel('Question').fill('How long is a lamp repaired free of charge?')
    await page.getByRole('button', { name: 'Ask' }).click()
    const quote = page.locator('blockquote')
    await quote.waitFor()
    expect(await quote.textContent()).toBe('A lamp is repaired free of charge for three years.')
    await page.getByLabel('Question').fill('Who won the lottery in Paris?')
    await page.getByRole('button', { name: 'Ask' }).click()
    await page.getByText('Your documents do not say.').waitFor()
    expect(here.errors).toEqual([])
  })
})

async function write(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text)
  await page.keyboard.press('Enter')
}

/** The example, served as its README says, and what the consoles of its visitors reported. */
async function open(example: string) {
  if (!browser) throw new Error('Chromium did not start')
  const served = await ready('examples/serve.ts', 'is at', example)
  const contexts: BrowserContext[] = []
  const errors: string[] = []
  return {
    errors,
    /** A new person, who is logged in. */
    visitor: async (name: string, address?: string) => {
      const context = await browser.newContext({ locale: 'en-GB' })
      contexts.push(context)
      const page = await context.newPage()
      page.on('console', one => one.type() === 'error' && errors.push(one.text()))
      page.on('pageerror', error => errors.push(String(error)))
      await page.goto(address ?? `${origin}/?api=${encodeURIComponent(world.url)}`)
      await page.getByLabel('Mail address').fill(`${name}-${port}@example.test`)
      await page.getByLabel(/^Password/).fill('correct horse battery staple')
      await page.getByRole('button', { name: 'Log in or register' }).click()
      await page.locator('#who').waitFor({ state: 'hidden' })
      return page
    },
    [Symbol.asyncDispose]: async () => {
      for (const context of contexts) await context.close()
      served.kill()
    },
  }
}

/** A program of the examples that has said this. */
async function ready(file: string, says: string, ...words: string[]) {
  const env = { ...world.environment, API: world.url, EXAMPLE_PORT: String(pages_port) }
  const child = spawn(process.execPath, [join(root, file), ...words], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  for await (const chunk of child.stdout) {
    printed += String(chunk)
    if (printed.includes(says)) return child
  }
  throw new Error(`${file} ended: ${printed}`)
}
