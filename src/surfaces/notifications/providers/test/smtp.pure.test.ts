/** A relay that stops answering in the middle of a message holds neither a place nor the process. */
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Outgoing } from '../outcome.ts'
import { openSmtp } from '../smtp.ts'

const sockets = new Set<Socket>()
/** What the relay does not answer any more; `hello`: it closes instead of greeting. */
let silent_at = ''
/** What the relay refuses, and with which reply. */
let refused: Record<string, string> = {}
let reached = Promise.withResolvers<boolean>()

const relay = createServer(socket => {
  sockets.add(socket)
  socket.on('error', () => {})
  if (silent_at === 'hello') return socket.end()
  socket.write('220 relay.test\r\n')
  let text = false
  socket.on('data', data => {
    const command = text ? 'text' : data.toString().slice(0, 4)
    if (command === silent_at) return reached.resolve(true)
    text = command === 'DATA'
    socket.write(`${refused[command] ?? (text ? '354 go on' : '250 ok')}\r\n`)
  })
})
beforeAll(() => new Promise<void>(resolve => relay.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  relay.close()
})

const mail: Outgoing = {
  ref: 'one.email',
  to: 'to@example.test',
  message: { channel: 'email', locale: 'en', subject: 'x', html: null, text: 'x', url: null },
  category: 'news',
  unsubscribe_url: null,
  created_at: '2026-11-22T00:00:00.000Z',
  ttl_seconds: 60,
}

function openRelay() {
  const url = `smtp://127.0.0.1:${(relay.address() as AddressInfo).port}`
  const from = 'from@example.test'
  return openSmtp({ name: 'r', url, from, host: 'example.test', connections: 1, dkim: null })
}

test.each([
  ['EHLO', { kind: 'failed' }],
  ['MAIL', { kind: 'failed' }],
  ['DATA', { kind: 'failed' }],
  ['text', { kind: 'unknown' }],
])('silent at %s: a send that is given up has an outcome', async (at, outcome) => {
  silent_at = at
  reached = Promise.withResolvers()
  const smtp = openRelay()
  const stopping = new AbortController()
  const sent = smtp.send(mail, stopping.signal)
  await reached.promise
  stopping.abort()
  expect(await sent).toMatchObject(outcome)
  await smtp.close?.()
})

test.each([
  [{ RCPT: '550 no such user' }, 'hard_bounce'],
  [{ RCPT: '550 5.1.1 no such user' }, 'hard_bounce'],
  [{ text: '550 5.1.1 no such user' }, 'hard_bounce'],
  [{ text: '550 this looks like spam' }, undefined],
  [{ MAIL: '550 this sender is not allowed' }, undefined],
  [{ RCPT: '550 5.7.1 this network is blocked' }, undefined],
])('a refusal like %j suppresses an address only if it is at fault', async (given, reason) => {
  silent_at = ''
  refused = given
  const smtp = openRelay()
  const outcome = await smtp.send(mail, new AbortController().signal)
  refused = {}
  expect(outcome.kind).toBe('refused')
  expect('suppress' in outcome ? outcome.suppress : undefined).toBe(reason)
  await smtp.close()
})

test('a relay that closes instead of greeting is a failure', async () => {
  silent_at = 'hello'
  const smtp = openRelay()
  expect(await smtp.send(mail, new AbortController().signal)).toMatchObject({ kind: 'failed' })
  await smtp.close?.()
})

test('nothing is sent for a process that stops', async () => {
  silent_at = ''
  const smtp = openRelay()
  const before = sockets.size
  expect(await smtp.send(mail, AbortSignal.abort())).toMatchObject({ kind: 'failed' })
  expect(sockets.size).toBe(before)
  await smtp.close?.()
})
