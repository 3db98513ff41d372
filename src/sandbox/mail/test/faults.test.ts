/** Each fault as a real client sees it, and what is in the mailbox afterwards. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
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

const mail = { to: 'a@example.com', subject: 'x', text: 'x' }
const attempt = () => send(child.addresses.mail.smtp, mail)
/** Waits long enough for a busy sandbox to have taken the mail. */
const attemptInVain = () => send(child.addresses.mail.smtp, mail, 3000)
const kept = async () => (await control('GET', 'messages')).body.data.length
const left = async () => (await control('GET', 'faults')).body.data

test.each([
  ['reject_temp', 451],
  ['reject_perm', 550],
  ['rate_limit', 450],
])('%s refuses the recipient with %i, once', async (mode, responseCode) => {
  expect((await control('POST', 'faults', { mode })).status).toBe(201)
  await expect(attempt()).rejects.toMatchObject({ command: 'RCPT TO', responseCode })
  expect(await kept()).toBe(0)
  await attempt()
  expect(await kept()).toBe(1)
})

test.each([
  ['timeout_before_accept', 0, 'discarded'],
  ['timeout_after_accept', 1, 'accepted'],
] as const)('%s: the client waits in vain, %i kept', async (mode, expected, outcome) => {
  await control('POST', 'faults', { mode })
  await expect(attemptInVain()).rejects.toMatchObject({ code: 'ETIMEDOUT' })
  expect(await kept()).toBe(expected)
  const { body } = await control('GET', 'requests')
  expect(body.data).toMatchObject([{ outcome, status: null, fault: mode }])
  await attempt()
  expect(await kept()).toBe(expected + 1)
})

test.each([
  ['timeout_before_accept', 0],
  ['timeout_after_accept', 1],
] as const)('%s with delay_ms: the line goes dead by itself', async (mode, expected) => {
  await control('POST', 'faults', { mode, delay_ms: 20 })
  const waiting = send(child.addresses.mail.smtp, mail, 20_000)
  await expect(waiting).rejects.toMatchObject({ code: expect.stringMatching(/ECONN|ESOCKET/) })
  expect(await kept()).toBe(expected)
})

test('drop_connection: the client cannot know, and nothing is kept', async () => {
  await control('POST', 'faults', { mode: 'drop_connection' })
  await expect(attempt()).rejects.toMatchObject({ code: expect.stringMatching(/ECONN|ESOCKET/) })
  expect(await kept()).toBe(0)
})

test('slow: late, but accepted', async () => {
  await control('POST', 'faults', { mode: 'slow', delay_ms: 50 })
  await expect(attempt()).resolves.toMatchObject({ accepted: ['a@example.com'] })
  await control('POST', 'faults', { mode: 'slow', delay_ms: 20_000 })
  await expect(attemptInVain()).rejects.toMatchObject({ code: 'ETIMEDOUT' })
  expect(await kept()).toBe(1)
})

test('a rule strikes only whom it names, as often as it says', async () => {
  await control('POST', 'faults', { mode: 'reject_temp', provider: 'dev_mail', times: 2 })
  await control('POST', 'faults', { mode: 'reject_perm', to: 'B@example.com', times: 3 })
  await send(child.addresses.mail.smtp2, mail)
  await expect(attempt()).rejects.toMatchObject({ responseCode: 451 })
  expect(await left()).toMatchObject([
    { mode: 'reject_temp', provider: 'dev_mail', to: null, times: 2, left: 1, channel: 'email' },
    { mode: 'reject_perm', to: 'B@example.com', times: 3, left: 3 },
  ])
  await expect(attempt()).rejects.toMatchObject({ responseCode: 451 })
  await attempt()
  const both = await send(child.addresses.mail.smtp2, {
    ...mail,
    to: ['a@x.example', 'b@example.com'],
  })
  expect([both.accepted, both.rejected]).toEqual([['a@x.example'], ['b@example.com']])
  expect((await control('DELETE', 'faults')).status).toBe(204)
  expect(await left()).toEqual([])
  await send(child.addresses.mail.smtp, { ...mail, to: 'b@example.com' })
})

test('rules strike in the order in which they were given, whatever their kind', async () => {
  await control('POST', 'faults', { mode: 'timeout_after_accept', delay_ms: 10 })
  await control('POST', 'faults', { mode: 'reject_temp' })
  await expect(
    send(child.addresses.mail.smtp, { ...mail, to: ['a@x.example', 'b@x.example'] }),
  ).rejects.toMatchObject({
    code: expect.stringMatching(/ECONN|ESOCKET/),
  })
  expect(await kept()).toBe(1)
  await expect(attempt()).rejects.toMatchObject({ responseCode: 451 })
})
