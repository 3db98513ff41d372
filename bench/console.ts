/**
 * The console in a browser with an empty cache, signed in: from the start of the navigation to the
 * heading of the home page and an enabled button, and how much its first load transfers.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type BrowserContext } from 'playwright-core'
import { comparison } from './ground/comparison.ts'
import { startProgram } from './ground/program.ts'
import { figure } from './ground/report.ts'
import { median } from './ground/rounds.ts'

const person = { email: 'admin@example.com', password: 'correct horse battery staple' }
const visits = 5

await comparison('console', async ({ options }) => {
  const data_dir = await mkdtemp(join(tmpdir(), 'dodeca-bench-console-'))
  await chmod(data_dir, 0o755)
  const { email: ADMIN_EMAIL, password: ADMIN_PASSWORD } = person
  const program = await startProgram({
    DATA_DIR: data_dir,
    LOG_LEVEL: 'error',
    IDENTITY_ADMIN_REQUIRES_MFA: 'false',
    ADMIN_EMAIL,
    ADMIN_PASSWORD,
  })
  const url = `http://localhost:${program.port}`
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  })
  try {
    const storage = await logIn(browser, url)
    // The platform makes the bundle at the first visit.
    const first = await visit(browser, url, storage)
    const later: Visit[] = []
    for (let at = 0; at < options.rounds * visits; at++) {
      later.push(await visit(browser, url, storage))
    }
    const usable = median(later.map(one => one.usable_ms)) / 1000
    const [{ bytes }] = later as [Visit]
    return [
      {
        title: 'Console',
        columns: ['', 'usable after s', 'first load in KB'],
        rows: [
          ['the first visit after the start', figure(first.usable_ms / 1000), figure(bytes / 1000)],
          ['a visit with an empty cache', figure(usable), figure(bytes / 1000)],
        ],
        verdicts: [
          { says: 'usable', reached: usable, target: 1, unit: 's', wanted: 'at most' },
          { says: 'first load', reached: bytes / 1000, target: 110, unit: 'KB', wanted: 'at most' },
        ],
        notes: [
          `Median of ${later.length} visits in Chromium, signed in, to the heading and an enabled button.`,
        ],
      },
    ]
  } finally {
    await browser.close()
    await program.stop()
    await rm(data_dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
})

type Storage = Awaited<ReturnType<BrowserContext['storageState']>>

async function logIn(browser: Browser, url: string): Promise<Storage> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${url}/account/login`)
  await page.getByLabel('Mail address').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.keyboard.press('Enter')
  await page.waitForURL(one => !one.pathname.endsWith('/login'))
  const storage = await context.storageState()
  await context.close()
  return storage
}

type Visit = { readonly usable_ms: number; readonly bytes: number }

/** In a context of its own, whose cache is empty. */
async function visit(browser: Browser, url: string, storageState: Storage): Promise<Visit> {
  const context = await browser.newContext({ storageState })
  const page = await context.newPage()
  // The button is the one to log out: the first of the page is that of the menu, which only a phone
  // shows. Written by the page itself, so that no message to the browser is part of the time.
  await page.addInitScript(`
    const look = () => {
      const usable = document.querySelector('main h1') && document.querySelector('.person button:enabled')
      if (usable) globalThis.usable_ms = performance.now()
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)`)
  await page.goto(`${url}/console`)
  await page.locator('main h1').waitFor()
  await page.locator('.person button:enabled').waitFor()
  const usable_ms = Number(await page.evaluate('globalThis.usable_ms'))
  // The page and its two files, as they were compressed.
  const bytes = Number(
    await page.evaluate(`performance.getEntriesByType('navigation')
      .concat(performance.getEntriesByType('resource').filter(one => one.name.includes('/assets/')))
      .reduce((sum, one) => sum + one.encodedBodySize, 0)`),
  )
  await context.close()
  return { usable_ms, bytes }
}
