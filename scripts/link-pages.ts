/**
 * Takes the pictures of docs/images: the pages that a visitor of a short link may see, in a real
 * browser, light and dark, wide and on a phone. CHROMIUM names the browser's program.
 */
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { absentPage } from '../src/surfaces/links/pages/absent.ts'
import type { Page } from '../src/surfaces/links/pages/frame.ts'
import { previewPage } from '../src/surfaces/links/pages/preview.ts'
import { warningPage } from '../src/surfaces/links/pages/warning.ts'

const short_url = 'https://go.acme.com/spring-sale'
const destination_url = 'https://www.example.org/offers?utm_source=newsletter&utm_campaign=spring'

const pages = new Map<string, Page>([
  ['warning', warningPage({ short_url, destination_url })],
  [
    'preview',
    previewPage({
      short_url,
      destination_url,
      created_at: '2026-03-21T10:00:00.000Z',
      safety_state: 'clean',
    }),
  ],
  ['absent', absentPage('link_not_found')],
])

const folder = fileURLToPath(new URL('../docs/images/', import.meta.url))
await mkdir(folder, { recursive: true })
const server = createServer(({ url = '' }, response) => {
  const page = pages.get(url.slice(1))
  if (!page) return void response.writeHead(404).end()
  response.writeHead(200, page.headers).end(page.html)
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
const port = typeof address === 'object' && address ? address.port : 0
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
})
const looks = [
  { name: 'wide', viewport: { width: 900, height: 560 }, colorScheme: 'light' },
  { name: 'phone', viewport: { width: 375, height: 667 }, colorScheme: 'dark' },
] as const
for (const { name: look, ...options } of looks) {
  const tab = await browser.newPage(options)
  for (const name of pages.keys()) {
    await tab.goto(`http://127.0.0.1:${port}/${name}`)
    const path = `${folder}links-${name}-${look}.png`
    await tab.screenshot({ path })
    console.log(path)
  }
  await tab.close()
}
await browser.close()
server.close()
