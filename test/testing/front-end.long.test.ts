/** The pages of the guides for front ends in Chromium, as their readers copy them. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { app } from '../../src/index.ts'
import { newKey, openApp, type Member } from '../../src/testing/entry.ts'
import { has_chromium, openBrowser } from '../console/console-world.ts'
import { freePort } from '../free-port.ts'

process.env['TEST_DATABASE_URL'] = inject('admin_url')

const guides = resolve(import.meta.dirname, '../../docs/guides')
const names = ['log-in', 'upload-a-file', 'chat-in-a-page', 'inbox']

/** The least that a page of the platform needs. */
const element = `<!doctype html><html lang="en"><title>Help</title>
<script type="module" src="/client/v1/elements.js"></script>
<dodeca-chat conversation="00000000-0000-7000-8000-000000000000"></dodeca-chat></html>`

/** A PNG of one pixel. */
const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** The files of all guides in one folder: `app.js` of each has the name of its guide there. */
async function writePages(folder: string): Promise<void> {
  await mkdir(join(folder, 'public'))
  await writeFile(join(folder, 'public', 'element.html'), element)
  for (const name of names) {
    const text = await readFile(join(guides, `${name}.md`), 'utf8')
    const files = [
      ...text.matchAll(/`public\/([a-z.]+)`[^`]*:\n\n```(?:js|html)\n([\s\S]*?)^```$/gm),
    ]
    expect(files.length).toBeGreaterThan(1)
    for (const [, file = '', content = ''] of files) {
      const own = file.replace(/^(app|index)\./, `${name}.`)
      await writeFile(join(folder, 'public', own), content.replace('/app.js', `/${name}.js`))
    }
  }
}

describe.skipIf(!has_chromium)('a page of a guide', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-front-end-'))
  await writePages(folder)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const world = await openApp(
    app({ public: './public/' }),
    {
      PORT: String(port),
      PUBLIC_URL: url,
      IDENTITY_EMAIL_SCOPE: 'global',
      // A used refresh token is reuse at once, as it is after ten seconds.
      IDENTITY_REFRESH_GRACE_SECONDS: '0',
    },
    folder,
  )
  const browser = await openBrowser()
  afterAll(async () => {
    await browser.close()
    await world.close()
    await rm(folder, { recursive: true })
  })

  async function open(path: string): Promise<{ page: Page; faults: string[] }> {
    const context = await browser.newContext()
    context.setDefaultTimeout(60_000)
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', error => faults.push(String(error)))
    await page.goto(`${url}/${path}`)
    return { page, faults }
  }

  async function logIn(page: Page, { email, password }: Pick<Member, 'email' | 'password'>) {
    await page.getByLabel('Mail address').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Log in' }).click()
  }

  test('registers and logs a person in, goes on after a reload, and logs out', async () => {
    const { page, faults } = await open('log-in.html')
    await page.getByLabel('Mail address').fill('lou@example.com')
    await page.getByLabel('Password').fill('correct horse battery staple')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('status').filter({ hasText: /\w/ }).waitFor()
    await page.getByRole('button', { name: 'Register' }).click()
    await page.getByText('You are lou@example.com.').waitFor()
    await page.reload()
    await page.getByText('You are lou@example.com.').waitFor()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('button', { name: 'Log in' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Log in' }).waitFor()
    expect(faults).toEqual([])
  })

  test('uploads a file, and leads to it', async () => {
    const { page, faults } = await open('upload-a-file.html')
    await logIn(page, await world.member())
    const buffer = Buffer.from('name,amount\nlamp,2\n')
    const file = { name: 'report.csv', mimeType: 'text/csv', buffer }
    await page.getByLabel('File').setInputFiles(file)
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByText('Ready').waitFor()
    const link = await page.getByRole('link', { name: 'Download' }).getAttribute('href')
    expect(await (await fetch(link ?? '')).text()).toBe(buffer.toString())
    const broken = { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no picture') }
    await page.getByLabel('File').setInputFiles(broken)
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByText('Files of this kind are not taken.').waitFor()
    const picture = { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(dot, 'base64') }
    await page.getByLabel('File').setInputFiles(picture)
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByText('Ready').waitFor()
    await page.getByAltText('The picture that you sent').waitFor()
    expect(await page.evaluate(`document.images[0].decode().then(() => 'shown')`)).toBe('shown')
    expect(faults).toEqual([])
  })

  /** As on another device of the person. */
  async function endElsewhere(page: Page, member: Member) {
    const kept = await page.evaluate<string>(`localStorage.getItem('session')`)
    const { session_id } = JSON.parse(kept) as { session_id: string }
    const { token } = await world.again(member)
    const ended = await world.call('DELETE', `/v1/sessions/${session_id}`, { token })
    expect(ended.status, ended.text).toBe(204)
  }

  const ask = (page: Page) =>
    page.evaluate(`api.GET('/v1/me').then(({ data }) => data.email_normalized)`)

  test('keeps two tabs logged in, and both see the end of their session', async () => {
    const { page, faults } = await open('log-in.html')
    const member = await world.member()
    await logIn(page, member)
    await page.getByText(`You are ${member.email}.`).waitFor()
    const opened = page.waitForEvent('popup')
    await page.evaluate(`void window.open(location.href)`)
    const tabs = [page, await opened]
    for (const tab of tabs) {
      await tab.getByText(`You are ${member.email}.`).waitFor()
      await tab.evaluate(`import('/session.js').then(own => void (window.api = own.current()))`)
    }
    // Each needs a new token each time, and the one that it began with was used long ago.
    for (const tab of [...tabs, ...tabs]) {
      await world.clock.forward(400)
      expect(await ask(tab)).toBe(member.email)
    }
    await world.clock.forward(400)
    expect(await Promise.all(tabs.map(ask))).toEqual([member.email, member.email])
    await endElsewhere(page, member)
    await page.evaluate(`void api.GET('/v1/me').catch(() => {})`)
    for (const tab of tabs) await tab.getByRole('button', { name: 'Log in' }).waitFor()
    expect(faults).toEqual([])
  })

  test('shows its form again after an end elsewhere, and logs out without a network', async () => {
    const tenant = await world.tenant()
    const [ada, bob] = [await world.member(tenant), await world.member(tenant)]
    const files = await open('upload-a-file.html')
    await logIn(files.page, ada)
    const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') }
    await files.page.getByRole('button', { name: 'Upload' }).waitFor()
    await files.page.getByLabel('File').setInputFiles(file)
    await endElsewhere(files.page, ada)
    await files.page.getByRole('button', { name: 'Upload' }).click()
    await files.page.getByRole('button', { name: 'Log in' }).waitFor()

    const chat = await open(`own.html?with=${bob.id}`)
    await logIn(chat.page, ada)
    await chat.page.getByText('Online').waitFor()
    await endElsewhere(chat.page, ada)
    await chat.page.getByRole('button', { name: 'Log in' }).waitFor()

    const { page, faults } = await open('log-in.html')
    await logIn(page, ada)
    await page.getByText(`You are ${ada.email}.`).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('button', { name: 'Log in' }).waitFor()
    await logIn(page, ada)
    await page.getByText('There is no connection.').waitFor()
    expect([...files.faults, ...chat.faults, ...faults]).toEqual([])
  })

  test('shows the element of a chat, and begins it again with the session of the tab', async () => {
    const tenant = await world.tenant()
    const [ada, bob] = [await world.member(tenant), await world.member(tenant)]
    const here = await open(`chat-in-a-page.html?with=${bob.id}`)
    const there = await open(`chat-in-a-page.html?with=${ada.id}`)
    await logIn(here.page, ada)
    await logIn(there.page, bob)
    await here.page.getByLabel('Message').fill('Hello, Bob')
    await here.page.keyboard.press('Enter')
    const message = there.page.getByRole('listitem').filter({ hasText: 'Hello, Bob' })
    await message.waitFor()
    await there.page.reload()
    await message.waitFor()
    for (const { faults } of [here, there]) expect(faults).toEqual([])
  })

  test('shows the element to who has logged in on the pages of the platform', async () => {
    const { page, faults } = await open('element.html')
    await page.getByText('Log in to use this chat.').waitFor()
    const tenant = await world.tenant()
    const [ada, bob] = [await world.member(tenant), await world.member(tenant)]
    const body = { type: 'direct', member_ids: [bob.id] }
    const made = await world.call('POST', '/v1/conversations', { token: ada.token, body })
    await page.goto(`${url}/account/login`)
    await logIn(page, ada)
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    await page.goto(`${url}/element.html`)
    await page.evaluate(
      `document.querySelector('dodeca-chat').setAttribute('conversation', '${made.body.id}')`,
    )
    await page.getByLabel('Message').fill('From the session of a cookie')
    await page.keyboard.press('Enter')
    await page.getByText('not sent yet').waitFor({ state: 'detached' })
    await page.getByRole('listitem').getByText('From the session of a cookie').waitFor()
    expect(faults).toEqual([])
  })

  test('lets two people talk, also when one had no network', async () => {
    const tenant = await world.tenant()
    const [ada, bob] = [await world.member(tenant), await world.member(tenant)]
    const here = await open(`own.html?with=${bob.id}`)
    const there = await open(`own.html?with=${ada.id}`)
    await logIn(here.page, ada)
    await logIn(there.page, bob)
    for (const { page } of [here, there]) await page.getByText('Online').waitFor()
    const say = async (page: Page, text: string) => {
      await page.getByLabel('Message').fill(text)
      await page.getByRole('button', { name: 'Send' }).click()
    }
    await say(here.page, 'Hello, Bob')
    await there.page.getByRole('listitem').filter({ hasText: 'Hello, Bob' }).waitFor()
    await there.page.context().setOffline(true)
    await say(there.page, 'Written in a tunnel')
    await there.page.context().setOffline(false)
    await here.page.getByText('Written in a tunnel').waitFor()
    for (const { page, faults } of [here, there]) {
      await page.getByText(/: Written in a tunnel$/).waitFor()
      const [first, second] = page === here.page ? ['You', 'They'] : ['They', 'You']
      expect(await page.getByRole('listitem').allTextContents()).toEqual([
        `${first}: Hello, Bob`,
        `${second}: Written in a tunnel`,
      ])
      expect(faults).toEqual([])
    }
    await there.page.getByRole('button', { name: 'Log out' }).click()
    await there.page.getByRole('button', { name: 'Log in' }).waitFor()
  })

  test('shows an inbox that changes while somebody looks at it', async () => {
    const tenant = await world.tenant()
    const [ada, sender] = [await world.member(tenant), await world.member(tenant)]
    await world.give(sender, 'tenant_admin')
    await world.allow(sender, 'notifications.templates.write', 'notifications.intents.create')
    const ask = async (path: string, body: object) => {
      const answer = await world.call('POST', path, { token: sender.token, key: newKey(), body })
      expect([path, answer.status, answer.text]).toEqual([path, expect.any(Number), answer.text])
      expect(answer.status, answer.text).toBeLessThan(300)
      return answer.body
    }
    const in_app = { title: 'Parcel {{ parcel }}', body: 'It arrives today.' }
    const template = { name: 'parcel', default_locale: 'en', channels: { in_app } }
    const { version } = await ask('/v1/notification-templates', template)
    await ask(`/v1/notification-templates/parcel/versions/${version}/publish`, {})
    const send = (parcel: string) =>
      ask('/v1/notifications', {
        recipient: { user_id: ada.id },
        category: 'order.updates',
        channels: ['in_app'],
        template: { name: 'parcel' },
        data: { parcel },
      })
    await send('A-1')
    const { page, faults } = await open('inbox.html')
    await logIn(page, ada)
    await page.getByText('Parcel A-1').waitFor()
    await send('<img src=x onerror=alert(1)>')
    await page.getByRole('heading', { name: 'Inbox (2)' }).waitFor()
    await page.getByText('Parcel <img src=x onerror=alert(1)>').waitFor()
    await page.getByRole('link', { name: 'Parcel A-1' }).click()
    await page.getByRole('heading', { name: 'Inbox (1)' }).waitFor()
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await page.getByRole('heading', { name: 'Inbox (0)' }).waitFor()
    expect(faults).toEqual([])
  })
})
