/** The room of the documents in Chromium, on a train: the network goes, the page is loaded again, it comes back. */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { chromium } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openBadNetwork } from './bad-network.ts'
import { openChatWorld, upTo, type Json, type Talker } from './chat-world.ts'
import { chromium_args } from '../../../../test/chromium.ts'

const executablePath = '/usr/bin/chromium'
const root = resolve(import.meta.dirname, '../../../..')

const page_file = 'docs/examples/room.html'
const packages = [
  ['/eventsource-parser/', 'node_modules/eventsource-parser/dist/'],
  ['/openapi-fetch.mjs', 'node_modules/openapi-fetch/dist/index.mjs'],
] as const

/** The page, and the client as a build would give it to the browser. */
const pages = createServer((request, response) => {
  const path = new URL(request.url ?? '/', 'http://any').pathname
  const client = /^\/client\/([a-z-]+)\.[jt]s$/.exec(path)?.[1]
  const [prefix = '', place = ''] = packages.find(([start]) => path.startsWith(start)) ?? []
  const packaged = place ? place + path.slice(prefix.length) : page_file
  const file = client ? `client/src/${client}.ts` : packaged
  readFile(resolve(root, file), 'utf8').then(
    text => {
      response.setHeader('content-type', file.endsWith('html') ? 'text/html' : 'text/javascript')
      response.end(client ? stripTypeScriptTypes(text) : text)
    },
    () => response.writeHead(404).end(),
  )
})

describe.skipIf(!existsSync(executablePath))('in a browser', () => {
  test('the room loses nothing in a tunnel', async () => {
    pages.listen(0, '127.0.0.1')
    await once(pages, 'listening')
    const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
    const settings = { KERNEL_CORS_ORIGINS: origin }
    const world = await openChatWorld(settings)
    const browser = await chromium.launch({ executablePath, args: chromium_args })
    const network = await openBadNetwork(world.base_url)
    try {
      const [ada, bob] = (await world.people(2)) as [Talker, Talker]
      const room = await ada.direct(bob)
      await bob.send(room, 'before')
      const page = await browser.newPage()
      const hash = new URLSearchParams({ api: network.url, token: ada.token, room })
      await page.goto(`${origin}/#${hash}`)
      const state = (text: string) => page.getByText(text).waitFor({ timeout: 30_000 })
      const lines = () => page.locator('#messages li').allTextContents()
      const write = async (text: string) => {
        await page.fill('#text', text)
        await page.press('#text', 'Enter')
      }
      await state('Online')
      await write('on the platform')
      await page.getByText('on the platform', { exact: true }).waitFor()
      network.down()
      await state('Offline')
      for (const n of upTo(3)) await write(`in the tunnel ${n}`)
      for (const n of upTo(3)) await bob.send(room, `meanwhile ${n}`)
      expect(await page.locator('.unsent').count()).toBe(3)
      await page.reload()
      await state('Offline')
      expect(await page.locator('.unsent').count()).toBe(3)
      network.up()
      await state('Online')
      await page.waitForFunction('document.querySelectorAll(".unsent").length === 0')
      await bob.send(room, 'welcome back')
      await page.getByText('welcome back').waitFor()
      const { data } = await bob.history(room)
      expect(await lines()).toEqual(data.map((one: Json) => one.body).toReversed())
      expect(data).toHaveLength(9)
    } finally {
      await browser.close()
      network.close()
      pages.close()
      await world.close()
    }
  })
})
