/**
 * Mail as a real client sends it: what arrives, who may send, and how messages are found again.
 */
import { get } from 'node:http'
import { Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Page } from '../../mailbox.ts'
import type { Message } from '../../message.ts'
import {
  controlOf,
  end,
  newDataDir,
  send,
  startSandbox,
  type Child,
  type Control,
} from '../../test/child.ts'

let child: Child
let control: Control
beforeAll(async () => {
  child = await startSandbox(newDataDir())
  control = controlOf(child.addresses)
})
beforeEach(() => control('POST', 'reset'))
afterAll(() => end(child, 'SIGKILL'))

const messages = async (query = ''): Promise<Page<Message>> =>
  (await control('GET', `messages${query}`)).body

test('a message is shown as it was written', async () => {
  const { messageId } = await send(child.addresses.mail.smtp, {
    from: 'Shop <shop@example.com>',
    to: 'Ünal <unal@example.com>',
    subject: 'Grüße — your order',
    text: 'Hello Ünal,\nit is on its way.',
    html: '<p>Hello <b>Ünal</b></p>',
    messageId: '<0199-intent.email@mail.example.com>',
    headers: { 'X-Kind': 'receipt', 'List-Unsubscribe': '<https://example.com/u>' },
    attachments: [{ filename: 'bill.txt', content: 'paid' }],
  })
  expect(messageId).toBe('<0199-intent.email@mail.example.com>')
  const { data } = await messages()
  expect(data).toHaveLength(1)
  expect(data[0]).toMatchObject({
    channel: 'email',
    provider: 'dev_mail',
    from: 'shop@example.com',
    to: 'unal@example.com',
    subject: 'Grüße — your order',
    html: expect.stringContaining('<p>Hello <b>Ünal</b></p>'),
    text: expect.stringMatching(/^Hello Ünal,\r?\nit is on its way\.\s*$/),
    ref: '0199-intent.email',
    headers: { 'x-kind': 'receipt', 'list-unsubscribe': '<https://example.com/u>' },
    attachments: [{ filename: 'bill.txt', content_type: 'text/plain', bytes: 4 }],
  })
  expect(data[0]).not.toHaveProperty('raw')
  const single = await control('GET', `messages/${data[0]?.id}`)
  expect(single.body.raw).toMatch(/^Message-ID: <0199-intent\.email@mail\.example\.com>\r$/m)
})

test('messages are found by recipient, provider and ref, newest first, page by page', async () => {
  for (const n of [1, 2, 3, 4, 5]) {
    await send(n % 2 ? child.addresses.mail.smtp : child.addresses.mail.smtp2, {
      to: [`reader-${n}@example.com`, 'All@Example.com'],
      subject: `${n}`,
      text: 'x',
      messageId: `<ref-${n}@example.com>`,
    })
  }
  const subjects = (page: Page<Message>) => page.data.map(one => one.subject)
  expect(subjects(await messages())).toEqual(['5', '4', '3', '2', '1'])
  expect(subjects(await messages('?to=READER-2@example.com'))).toEqual(['2'])
  expect(subjects(await messages('?to=all@example.com&provider=dev_mail2'))).toEqual(['4', '2'])
  expect(subjects(await messages('?ref=ref-3'))).toEqual(['3'])
  expect(subjects(await messages('?channel=sms'))).toEqual([])
  const first = await messages('?limit=2&provider=dev_mail')
  expect([subjects(first), first.has_more]).toEqual([['5', '3'], true])
  const second = await messages(`?limit=2&provider=dev_mail&cursor=${first.next_cursor}`)
  expect([subjects(second), second.has_more, second.next_cursor]).toEqual([['1'], false, null])

  expect((await control('DELETE', 'messages?provider=dev_mail2')).status).toBe(204)
  expect(subjects(await messages())).toEqual(['5', '3', '1'])
  const single = await control('GET', `messages/${first.data[0]?.id}`)
  expect(single.body).toMatchObject({ subject: '5' })
})

test('only the generated credentials may send', async () => {
  const wrong = new URL(child.addresses.mail.smtp)
  wrong.password = 'guess'
  await expect(
    send(wrong.href, { to: 'a@example.com', subject: 'x', text: 'x' }),
  ).rejects.toMatchObject({ responseCode: 535 })
  const crossed = new URL(child.addresses.mail.smtp)
  crossed.port = new URL(child.addresses.mail.smtp2).port
  await expect(
    send(crossed.href, { to: 'a@example.com', subject: 'x', text: 'x' }),
  ).rejects.toMatchObject({ responseCode: 535 })
  expect((await messages()).data).toEqual([])
})

test('a message over the limit is refused and not kept', async () => {
  const content = Buffer.alloc(26 * 1024 * 1024)
  await expect(
    send(child.addresses.mail.smtp, { to: 'a@example.com', attachments: [{ content }] }),
  ).rejects.toMatchObject({ responseCode: 552 })
  expect((await messages()).data).toEqual([])
})

test("every attempt is recorded with the client's reply", async () => {
  await control('POST', 'faults', { mode: 'reject_perm', to: 'gone@example.com' })
  await send(child.addresses.mail.smtp, { to: 'a@example.com', subject: 'x', text: 'x' })
  await send(child.addresses.mail.smtp, { to: 'gone@example.com', text: 'x' }).catch(() => {})
  const { body } = await control('GET', 'requests')
  const [message] = (await messages()).data
  expect(body.data).toMatchObject([
    { to: 'gone@example.com', outcome: 'refused', status: 550, fault: 'reject_perm' },
    { to: 'a@example.com', outcome: 'accepted', status: 250, message_id: message?.id },
  ])
})

test('the clock of the vendor moves what it stamps', async () => {
  const { body } = await control('POST', 'clock', { advance_s: 86_400 * 365 })
  await send(child.addresses.mail.smtp, { to: 'a@example.com', subject: 'x', text: 'x' })
  const [message] = (await messages()).data
  expect(Date.parse(message?.received_at ?? '')).toBeGreaterThanOrEqual(Date.parse(body.now))
})

test('a client that leaves in the middle of a message does no harm', async () => {
  const { hostname, port, username, password } = new URL(child.addresses.mail.smtp)
  const socket = new Socket()
  const token = Buffer.from(`\0${username}\0${password}`).toString('base64')
  const lines = ['EHLO x', `AUTH PLAIN ${token}`, 'MAIL FROM:<a@b.c>', 'RCPT TO:<d@e.f>', 'DATA']
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('data', chunk => {
      if (/^354/m.test(String(chunk))) {
        socket.write('Subject: half\r\n')
        socket.destroy()
        resolve()
      } else if (/^\d{3} /m.test(String(chunk))) socket.write(`${lines.shift()}\r\n`)
    })
    socket.connect(Number(port), hostname)
  })
  await send(child.addresses.mail.smtp, { to: 'a@example.com', subject: 'whole', text: 'x' })
  expect((await messages()).data.map(one => one.subject)).toEqual(['whole'])
})

test('the control plane refuses what a foreign page could send', async () => {
  const url = new URL('faults', child.addresses.mail.control)
  const form = await fetch(url, { method: 'POST', body: 'mode=slow' })
  expect(form.status).toBe(415)
  const status = await new Promise((resolve, reject) => {
    const headers = { host: 'evil.example' }
    get(new URL('messages', url), { headers }, answer => {
      answer.resume()
      resolve(answer.statusCode)
    }).on('error', reject)
  })
  expect(status).toBe(403)
  expect((await control('POST', 'faults', { mode: 'explode' })).status).toBe(422)
  expect((await control('GET', 'nowhere')).status).toBe(404)
  expect((await control('DELETE', 'clock')).status).toBe(405)
})
