/**
 * The inbox over HTTP: the platform forwards to the real sandbox, and its page shows what came.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { eventually, openWorld, type World } from '../../../../test/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ KERNEL_SANDBOX: 'true' })
})
afterAll(() => world.close())

const call = (method: string, path: string, body?: unknown) =>
  fetch(`${world.url}${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
type Listed = { data: { id: string; subject: string; to: string }[]; next_cursor: string | null }
const list = async (query = '') =>
  (await (await call('GET', `/dev/inbox/messages${query}`)).json()) as Listed

async function mail(message: SendMailOptions): Promise<void> {
  const file = join(world.data_dir, 'sandbox', 'addresses.json')
  const addresses = JSON.parse(readFileSync(file, 'utf8')) as { mail: { smtp: string } }
  const transport = createTransport(addresses.mail.smtp)
  await transport.sendMail({ from: 'shop@example.com', ...message })
  transport.close()
}

beforeEach(async () => {
  await call('DELETE', '/dev/inbox/messages')
  await call('DELETE', '/dev/inbox/faults')
})

test('messages are listed, filtered, shown singly and deleted', async () => {
  for (const to of ['a@example.com', 'b@example.com', 'a@example.com']) {
    await mail({ to, subject: `for ${to}`, text: 'Hello', messageId: `<ref-${to}>` })
  }
  const all = await list()
  expect(all.data.map(one => one.to)).toEqual(['a@example.com', 'b@example.com', 'a@example.com'])
  expect((await list('?to=b@example.com&channel=email&provider=dev_mail')).data).toHaveLength(1)
  const first = await list('?limit=2')
  expect((await list(`?limit=2&cursor=${first.next_cursor}`)).data).toHaveLength(1)
  const id = all.data[1]?.id
  const single = (await (await call('GET', `/dev/inbox/messages/${id}`)).json()) as { raw: string }
  expect(single).toMatchObject({ id, channel: 'email', ref: 'ref-b', text: 'Hello\n' })
  expect(single.raw).toContain('Message-ID: <ref-b@example.com>')

  const gone = await call('DELETE', '/dev/inbox/messages?to=a@example.com')
  expect([gone.status, await gone.text()]).toEqual([204, ''])
  expect((await list()).data.map(one => one.to)).toEqual(['b@example.com'])
})

test('ids that are not there are 404, values that are not understood 422', async () => {
  for (const id of ['nonsense', '01890000-0000-7000-8000-000000000000']) {
    const answer = await call('GET', `/dev/inbox/messages/${id}`)
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'not_found' }])
  }
  expect((await call('GET', '/dev/inbox/messages?channel=pigeon')).status).toBe(422)
  const wrong = { channel: 'email', mode: 'explode' }
  expect((await call('POST', '/dev/inbox/faults', wrong)).status).toBe(422)
})

test('faults reach the mail server', async () => {
  const fault = { channel: 'email', to: 'a@example.com', mode: 'reject_perm', times: 1 }
  const set = await call('POST', '/dev/inbox/faults', fault)
  expect(set.status).toBe(201)
  const listed = await (await call('GET', '/dev/inbox/faults')).json()
  expect(listed).toMatchObject({ data: [{ ...fault, left: 1, provider: null }], has_more: false })
  await expect(mail({ to: 'a@example.com', text: 'x' })).rejects.toMatchObject({
    responseCode: 550,
  })
  await mail({ to: 'a@example.com', text: 'x' })
  expect((await call('DELETE', '/dev/inbox/faults')).status).toBe(204)
})

test('the page shows text and HTML, and none of it is markup of ours', async () => {
  await mail({
    to: 'a@example.com',
    subject: '<script>alert(1)</script>',
    text: 'Confirm: https://shop.example/confirm?token=1&x="y" </pre><img src=x onerror=alert(2)>',
    html: `<h1 style="color:red">Welcome</h1><a href='https://shop.example/"x'>Go</a><script>alert(3)</script>`,
  })
  const answer = await call('GET', '/dev/inbox')
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
  const policy = answer.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).toMatch(/script-src 'sha256-[^']+';/)
  const page = await answer.text()
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(page).toContain('href="https://shop.example/confirm?token=1&amp;x="')
  expect(page).toContain('&lt;/pre&gt;&lt;img src=x onerror=alert(2)&gt;')
  expect(page).toMatch(
    /<iframe\s[^>]*sandbox="allow-popups allow-popups-to-escape-sandbox"\s+srcdoc="&lt;base target=&quot;_blank&quot;&gt;&lt;h1 style=&quot;color:red&quot;&gt;Welcome/,
  )
  const scripts = [...page.matchAll(/<script>([^]*?)<\/script>/g)].map(([, text]) => text ?? '')
  const hashes = scripts.map(text => createHash('sha256').update(text).digest('base64'))
  expect([...policy.matchAll(/'sha256-([^']+)'/g)].map(([, hash]) => hash)).toEqual(hashes)
  expect(page.match(/<script/g)).toHaveLength(1)
  expect(page).not.toMatch(/<(link|img|script)[^>]*(src|href)=/)
})

test('an empty inbox says so, also for one recipient', async () => {
  expect(await (await call('GET', '/dev/inbox')).text()).toContain('Nothing yet.')
  const one = await (await call('GET', '/dev/inbox?to=%3Cb%3E@example.com')).text()
  expect(one).toContain('No message fits.')
})

test('the start page links to everything, as JSON and as HTML', async () => {
  const json = (await (await call('GET', '/dev')).json()) as Record<string, unknown>
  expect(json).toMatchObject({
    inbox: expect.stringMatching(/\/dev\/inbox$/),
    console: expect.stringMatching(/\/console$/),
    clock: { offset_seconds: 0 },
    sandbox: {
      mail: {
        smtp: expect.stringMatching(/^smtp:\/\/dev_mail:/),
        control: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/_sandbox\/$/),
      },
    },
  })
  const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  const page = await fetch(`${world.url}/dev`, { headers })
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  const control = (json['sandbox'] as { mail: { control: string } }).mail.control
  expect(await page.text()).toContain(`<a href="${control}">`)
})

test('a sandbox that ended by itself is started again and found where it is now', async () => {
  await mail({ to: 'a@example.com', text: 'x' })
  expect((await list()).data).toHaveLength(1)
  const journal = join(world.data_dir, 'companions', 'sandbox.journal')
  const starts = () => [...readFileSync(journal, 'utf8').matchAll(/^started (\d+)$/gm)]
  process.kill(Number(starts().at(-1)?.[1]), 'SIGTERM')
  await eventually('it runs again', async () => {
    if (starts().length < 2) return false
    return (await call('GET', '/dev/inbox/messages')).status === 200
  })
  await mail({ to: 'b@example.com', text: 'x' })
  expect((await list('?to=b@example.com')).data).toHaveLength(1)
})

test('while no sandbox runs the inbox is unavailable and the start page says so', async () => {
  const bare = await openWorld()
  try {
    expect((await bare.call('GET', '/dev/inbox/messages')).status).toBe(503)
    expect((await bare.call('GET', '/dev')).body).toMatchObject({ sandbox: null })
  } finally {
    await bare.close()
  }
})
