/** A browser whose pages have another origin than the platform: the page of the documents, and Uppy. */
import { createReadStream, existsSync } from 'node:fs'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { createHash, randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { openUploadWorld, type UploadWorld } from './upload-world.ts'
import { chromium_args } from '../../../../test/chromium.ts'

const executablePath = '/usr/bin/chromium'
const root = resolve(import.meta.dirname, '../../../..')
const MiB = 1024 * 1024
export const browserIsInstalled = existsSync(executablePath)

const uppyPage = `<!doctype html><meta charset="utf-8"><script type="module">
  import { Uppy, AwsS3 } from '/uppy.mjs'
  const { api: base, token, checksum } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
  const api = async (method, path, body) => {
    const headers = { authorization: 'Bearer ' + token, ...(body ? { 'content-type': 'application/json' } : {}) }
    const answer = await fetch(base + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
    if (!answer.ok) throw new Error(await answer.text())
    return answer.status === 204 ? null : answer.json()
  }
  let failures = 2
  window.done = (content, name) => new Promise((resolve, reject) => {
    const uppy = new Uppy({ autoProceed: true })
    uppy.use(AwsS3, {
SETTINGS
    })
    uppy.on('complete', ({ successful, failed }) =>
      failed.length > 0 ? reject(new Error(String(failed[0].error))) : resolve(successful.length))
    uppy.addFile({ name, type: 'application/octet-stream', data: new Blob([content]) })
  })
  window.ready = true
</script>`

export type BrowserWorld = {
  readonly world: UploadWorld
  openPage(path: string): Promise<Page>
  close(): Promise<void>
}

export async function openBrowserWorld(): Promise<BrowserWorld> {
  const pages: Server = createServer(
    (request, response) => void servePage(request.url ?? '/', response),
  )
  pages.listen(0, '127.0.0.1')
  await once(pages, 'listening')
  const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
  const world = await openUploadWorld({
    KERNEL_CORS_ORIGINS: origin,
    UPLOADS_PART_BYTES: String(8 * MiB),
  })
  const browser: Browser = await chromium.launch({ executablePath, args: chromium_args })
  return {
    world,
    // URLs that the platform signs lead to its public name, which is here for the browser alone.
    openPage: async path => {
      const page = await browser.newPage()
      await page.addInitScript(`
        const from = 'http://dodeca.test', to = ${JSON.stringify(world.base_url)}
        const open = XMLHttpRequest.prototype.open
        XMLHttpRequest.prototype.open = function (method, url, ...rest) {
          return open.call(this, method, String(url).replace(from, to), ...rest)
        }`)
      await page.goto(origin + path)
      return page
    },
    close: async () => {
      await browser.close()
      pages.close()
      await world.close()
    },
  }
}

/** A file of this size through the page of the documents: its digest, and what the page showed. */
export async function sendFromPage({ world, openPage }: BrowserWorld, bytes: number) {
  const who = await world.member()
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-browser-'))
  try {
    const path = join(folder, 'large.bin')
    const file = await open(path, 'w')
    await file.write(randomBytes(5 * MiB + 1), 0)
    await file.truncate(bytes)
    await file.close()
    const page = await openPage('/upload.html')
    await page.evaluate(`
      window.seen = []
      const bar = document.getElementById('progress')
      new MutationObserver(() => window.seen.push(bar.value)).observe(bar, { attributes: true })`)
    await page.fill('#api', world.base_url)
    await page.fill('#token', who.token)
    await page.setInputFiles('#file', path)
    await page.click('#send')
    await page.waitForFunction(
      '/^(Available|Failed)/.test(document.getElementById("state").textContent)',
      null,
      { timeout: 280_000 },
    )
    const state = await page.locator('#state').textContent()
    const seen = await page.evaluate<number[]>('window.seen')
    await page.close()
    const steps = seen.filter(value => value > 0 && value < 1).length
    return { state, steps, wanted: `Available: sha256:${await digestOf(path)}` }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function servePage(
  path: string,
  response: { setHeader(name: string, value: string): unknown; end(content: unknown): unknown },
) {
  if (path.startsWith('/upload.html')) {
    response.setHeader('content-type', 'text/html')
    response.end(await readFile(join(root, 'docs/examples/upload.html')))
  } else if (path === '/uppy.mjs') {
    response.setHeader('content-type', 'text/javascript')
    response.end(await readFile(join(root, 'node_modules/uppy/dist/uppy.min.mjs')))
  } else {
    // The settings are those that the documents show.
    const docs = await readFile(join(root, 'docs/uploads.md'), 'utf8')
    const shown = /^uppy\.use\(AwsS3, \{\n([\s\S]*?)^\}\)$/m.exec(docs)?.[1] ?? ''
    const settings = shown
      .replace('await sha256(file)', 'checksum')
      .replace(
        'return { url: part_urls[0].url }',
        "return { url: failures-- > 0 ? 'http://127.0.0.1:9/' : part_urls[0].url }",
      )
    response.setHeader('content-type', 'text/html')
    response.end(uppyPage.replace('SETTINGS', settings))
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
