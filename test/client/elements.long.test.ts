/**
 * `<dodeca-chat>` in Chromium, on a page of another origin whose policy allows nothing but its own
 * script and the platform: by keyboard, in both colour schemes, 320 px wide, with a network that fails.
 */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attacks, has_chromium, openBrowser } from '../console/console-world.ts'
import { openBadNetwork, type BadNetwork } from '../../src/surfaces/chat/test/bad-network.ts'
import {
  openChatWorld,
  upTo,
  type ChatWorld,
  type Json,
  type Talker,
} from '../../src/surfaces/chat/test/chat-world.ts'
import { eventually, newKey } from '../world.ts'

describe.skipIf(!has_chromium)('a chat on a page of another origin', () => {
  let world: ChatWorld
  let browser: Awaited<ReturnType<typeof openBrowser>>
  let network: BadNetwork
  let origin: string
  /** What the page contains; each test has its own. */
  let script = ''
  let body = ''
  const pages = createServer((request, response) => {
    if (request.url === '/page.js') {
      response.setHeader('content-type', 'text/javascript')
      return response.end(script)
    }
    const api = [network.url, world.base_url]
    const sockets = api.map(url => url.replace('http', 'ws'))
    response.setHeader(
      'content-security-policy',
      [
        `default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; script-src 'self' ${api[0]}`,
        `connect-src ${[...api, ...sockets].join(' ')}; require-trusted-types-for 'script'`,
      ].join('; '),
    )
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(
      `<!doctype html><html lang="en"><meta name="color-scheme" content="light dark">
<meta name="viewport" content="width=device-width"><title>Another shop</title>
<link rel="icon" href="data:,"><main><h1>Help</h1>${body}</main>
<script type="module" src="/page.js"></script></html>`,
    )
  })

  beforeAll(async () => {
    await new Promise<void>(done => pages.listen(0, '127.0.0.1', done))
    origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
    world = await openChatWorld({ KERNEL_CORS_ORIGINS: origin })
    network = await openBadNetwork(world.base_url)
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    network?.close()
    pages.close()
    await world?.close()
  })

  const chat = (id: string, more = '') => `<dodeca-chat conversation="${id}" ${more}></dodeca-chat>`
  const connects = ({ token }: Talker, at = '') => `
    import { createClient } from '${network.url}/client/v1/client.js'
    import { connect } from '${network.url}/client/v1/elements.js'
    addEventListener('dodeca-error', ({ detail }) => console.log('told', detail.code))
    connect({ session: createClient({ base_url: '${network.url}', token: '${token}' }) }${at})`

  async function visit(): Promise<{ page: Page; faults: string[] }> {
    const context = await browser.newContext({ viewport: { width: 320, height: 640 } })
    context.setDefaultTimeout(60_000)
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', error => faults.push(String(error)))
    page.on('console', one => {
      const text = one.text()
      if (one.type() === 'error' && !/net::ERR_|status of 40[14]|WebSocket/.test(text))
        faults.push(text)
    })
    await page.goto(origin)
    return { page, faults }
  }

  const lines = (page: Page) => page.locator('.dd-message .dd-body').allTextContents()
  const texts = async (who: Talker, id: string) =>
    (await who.history(id, '?limit=100')).data.map((one: Json) => one.body).toReversed()

  async function sendFile(who: Talker, conversation_id: string, filename: string): Promise<void> {
    const bytes = Buffer.from('the plan')
    const asked = { conversation_id, filename, expected_size: bytes.length }
    const begun = await who.ask('POST', '/v1/attachments/uploads', asked)
    const { attachment_id, upload } = begun.body
    await world.send(upload, bytes)
    const checksum = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
    await world.complete(who, upload.upload_id, { parts: [{ part_number: 1 }], checksum })
    const body = { attachment_ids: [attachment_id] }
    await eventually('the file is sent', async () => {
      const at = `/v1/conversations/${conversation_id}/messages`
      return (await who.ask('POST', at, body, { key: newKey() })).status === 201
    })
  }

  async function audit(page: Page): Promise<void> {
    await page.evaluate(axe.source)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const found = await page.evaluate(
        `axe.run(document).then(all => all.violations.map(one => one.id + ': ' + one.nodes[0]?.html))`,
      )
      expect([colorScheme, found]).toEqual([colorScheme, []])
    }
    const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    expect(wide).toBe(0)
  }

  test('is read and written by keyboard, and shows what others do', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const id = await ada.direct(bob)
    for (const n of upTo(70)) await bob.send(id, `before ${n}`)
    const socket = await bob.socket()
    script = connects(ada)
    body = chat(id)
    const { page, faults } = await visit()
    await page.getByText('before 70').waitFor()
    await page.keyboard.press('Tab')
    expect(
      await page.getByRole('log', { name: 'Chat' }).evaluate('document.activeElement.role'),
    ).toBe('log')
    await eventually('the oldest message is shown', async () => {
      await page.keyboard.press('Home')
      return (await page.getByText('before 1', { exact: true }).count()) > 0
    })
    expect(await lines(page)).toEqual(await texts(bob, id))
    await page.keyboard.press('End')
    await page.getByLabel('Message').focus()
    await page.keyboard.type('Two')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('lines')
    await socket.next('typing', one => one.active)
    await page.keyboard.press('Enter')
    const sent = await socket.next('message.created', one => one.message.body === 'Two\nlines')
    await socket.next('receipt.updated', one => one.user_id === ada.id)
    expect(await page.getByText('Read', { exact: true }).count()).toBe(0)
    socket.put({ type: 'receipt.read', conversation_id: id, through_sequence: sent.sequence })
    await page.getByText('Read', { exact: true }).waitFor()
    socket.put({ type: 'typing', conversation_id: id, active: true })
    await page.getByText('Typing:').waitFor()
    await sendFile(bob, id, '<b>plan.txt')
    // The address of the file begins with PUBLIC_URL, where nobody listens. A 204 leaves the page.
    await page.route('http://dodeca.test/**', route => route.fulfill({ status: 204 }))
    const asked = page.waitForRequest(one => one.url().startsWith('http://dodeca.test/'))
    await page.getByRole('button', { name: '<b>plan.txt' }).click()
    expect((await asked).isNavigationRequest()).toBe(true)
    for (const text of attacks) await bob.send(id, text)
    const first = (await bob.history(id, '?limit=100')).data.at(-1)
    const at = `/v1/conversations/${id}/messages`
    await bob.ask('PATCH', `${at}/${first.id}`, { body: 'before all' })
    await page.getByText('before all').waitFor()
    await page.getByText('(edited)').waitFor()
    await bob.ask('DELETE', `${at}/${first.id}`)
    await page.getByText('This message was deleted.').waitFor()
    await page.getByText(attacks.at(-1) ?? '').waitFor()
    expect(await lines(page)).toEqual((await texts(bob, id)).filter(Boolean))
    expect(await page.evaluate('globalThis.hit')).toBeUndefined()
    await audit(page)
    expect(faults).toEqual([])
  })

  test('sends a message once, whatever the network and the reader do meanwhile', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const id = await ada.direct(bob)
    script = connects(ada)
    body = chat(id)
    const { page, faults } = await visit()
    await page.getByText('There are no messages yet.').waitFor()
    const write = async (text: string) => {
      await page.getByLabel('Message').fill(text)
      await page.keyboard.press('Enter')
    }
    // The platform stores it, and the page never learns of it.
    network.stall()
    await write('into the silence')
    await page.getByText('not sent yet').waitFor()
    network.down()
    await page.getByText('No connection.').waitFor()
    await write('in the tunnel')
    expect(await lines(page)).toEqual(['into the silence', 'in the tunnel'])
    network.up()
    network.flow()
    await eventually('both are stored', async () => (await texts(bob, id)).length === 2)
    await page.locator('.dd-unsent').waitFor({ state: 'detached' })
    // The reply is lost, and then the page is loaded again.
    await page.routeWebSocket('**/v1/realtime', socket => {
      const server = socket.connectToServer()
      server.onMessage(frame => {
        if (!String(frame).includes('message.')) socket.send(frame)
      })
    })
    await page.reload()
    await page.getByText('in the tunnel').waitFor()
    await write('before the reload')
    await eventually('it is stored', async () => (await texts(bob, id)).length === 3)
    expect(await page.getByText('not sent yet').count()).toBe(1)
    await page.unrouteAll()
    const again = await page.context().newPage()
    await page.reload()
    await again.close()
    await page.locator('.dd-unsent').waitFor({ state: 'detached' })
    const stored = ['into the silence', 'in the tunnel', 'before the reload']
    expect(await texts(bob, id)).toEqual(stored)
    await eventually('the page shows it once', async () => {
      expect(await lines(page)).toEqual(stored)
      return true
    })
    expect(faults).toEqual([])
  })

  test('two of them with two people, in two languages, and one that reads what is not its own', async () => {
    const [ada, bob, eve] = (await world.people(3)) as [Talker, Talker, Talker]
    const id = await ada.direct(bob)
    script = `${connects(ada, `, document.querySelector('#ada')`)}
      connect({ session: createClient({ base_url: '${network.url}', token: '${bob.token}' }) }, document.querySelector('#bob'))
      connect({ session: createClient({ base_url: '${network.url}', token: '${eve.token}' }) })
      document.querySelector('#bob dodeca-chat').nameOf = () => 'Ada'`
    body = `<div id="ada">${chat(id)}</div><div id="bob" lang="de">${chat(id)}</div>${chat(id)}`
    const { page, faults } = await visit()
    const [mine, theirs] = [page.locator('#ada'), page.locator('#bob')]
    await page.getByText('This conversation does not exist').waitFor()
    await theirs.getByText('Es gibt noch keine Nachrichten.').waitFor()
    await mine.getByText('There are no messages yet.').waitFor()
    await mine.getByLabel('Message').fill('مرحبا')
    await mine.getByRole('button', { name: 'Send' }).click()
    await theirs.getByText('مرحبا').waitFor()
    await theirs.getByText('Ada', { exact: true }).waitFor()
    await mine.getByText('You', { exact: true }).waitFor()
    await theirs.getByLabel('Nachricht').fill('Guten Tag')
    await theirs.getByLabel('Nachricht').press('Enter')
    await mine.getByText('Guten Tag').waitFor()
    await mine.getByText('Read').waitFor({ state: 'detached' })
    expect(await page.locator('main > dodeca-chat .dd-field').isDisabled()).toBe(true)
    await audit(page)
    expect(faults).toEqual([])
  })

  test('goes on with the next session of the same person, and with none of another one', async () => {
    const [ada, bob] = (await world.people(2)) as [Talker, Talker]
    const id = await ada.direct(bob)
    script = `import { createClient } from '${network.url}/client/v1/client.js'
      import { connect } from '${network.url}/client/v1/elements.js'
      globalThis.as = token => connect({ session: createClient({ base_url: '${network.url}', token }) })`
    body = chat(id)
    const { page, faults } = await visit()
    const as = (token: string) => page.evaluate(`void (globalThis.end = as('${token}'))`)
    await page.getByText('Log in to use this chat.').waitFor()
    await as(ada.token)
    await page.getByText('There are no messages yet.').waitFor()
    network.down()
    await page.getByText('No connection.').waitFor()
    await page.getByLabel('Message').fill('for the next session')
    await page.keyboard.press('Enter')
    await page.getByText('not sent yet').waitFor()
    await page.evaluate('end()')
    await page.getByText('Log in to use this chat.').waitFor()
    network.up()
    await as(bob.token)
    await page.getByText('There are no messages yet.').waitFor()
    await as(ada.token)
    await page.getByText('for the next session').waitFor()
    await page.locator('.dd-unsent').waitFor({ state: 'detached' })
    const { data } = await bob.history(id)
    expect(data.map((one: Json) => [one.sender_id, one.body])).toEqual([
      [ada.id, 'for the next session'],
    ])
    const ended = await ada.ask('DELETE', `/v1/sessions/${ada.session_id}`)
    expect(ended.status, ended.text).toBeLessThan(300)
    await page.getByText('The chat has stopped.').waitFor()
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
    expect(faults).toEqual([])
  })
})
