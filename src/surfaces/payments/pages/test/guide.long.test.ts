/** The page and the server of the guide "Take a payment in your front end", as a reader runs them. */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endsWithFile } from '../../../../../test/children.ts'
import { freePort } from '../../../../../test/free-port.ts'
import { eventually } from '../../../../../test/world.ts'
import { openPaymentWorld, type Merchant } from '../../test/payment-world.ts'
import { chromium_args } from '../../../../../test/chromium.ts'

const guide = resolve(import.meta.dirname, '../../../../../docs/guides/take-a-payment.md')
const world = await openPaymentWorld()
const folder = await mkdtemp(join(tmpdir(), 'dodeca-guide-'))
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: chromium_args,
})
let shop: Merchant
let url: string
beforeAll(async () => {
  const text = await readFile(guide, 'utf8')
  const block = (kind: string) =>
    new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(text)?.[1]
  await writeFile(join(folder, 'index.html'), block('html') ?? '')
  await writeFile(join(folder, 'server.mjs'), block('js') ?? '')
})
afterAll(async () => {
  await browser.close()
  await rm(folder, { recursive: true, force: true })
  await world.close()
})

async function start(): Promise<() => Promise<void>> {
  shop = await world.merchant()
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  const child = endsWithFile(
    spawn(process.execPath, ['server.mjs'], {
      cwd: folder,
      env: { API: world.url, TOKEN: shop.token, PORT: String(port) },
      stdio: 'inherit',
    }),
  )
  await eventually('the server listens', async () =>
    fetch(url).then(
      answer => answer.ok,
      () => false,
    ),
  )
  return async () => {
    const gone = new Promise<void>(done => child.once('exit', () => done()))
    child.kill('SIGTERM')
    await gone
  }
}

test.each([
  ['a good card', '4242424242424242', false],
  ['a card whose bank asks', '4000002500003155', true],
])('the page of the guide takes %s', async (_name, number, asks) => {
  const stop = await start()
  const page = await browser.newPage()
  await page.goto(url)
  const form = page.frameLocator('#card iframe')
  await form.getByLabel('Card number').fill('4000000000000002')
  await form.getByLabel('Expiration date').fill('12/40')
  await form.getByLabel('Security code').fill('123')
  const pay = page.getByRole('button', { name: 'Pay' })
  await pay.click()
  await page.getByText('The payment method was declined').waitFor()
  await form.getByLabel('Card number').fill(number)
  await pay.click()
  if (asks) {
    const bank = page.frameLocator('iframe[title="Authentication of your bank"]')
    await bank.getByRole('button', { name: 'succeed' }).click()
  }
  await page.getByText('Paid. Thank you.').waitFor()
  const { data } = (await shop.ask('GET', '/v1/payment-intents')).body
  expect(data).toMatchObject([{ state: 'captured', amount_captured_minor: 4990 }])
  await page.close()
  await stop()
})
