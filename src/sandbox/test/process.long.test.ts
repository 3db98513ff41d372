/**
 * The process: what it leaves behind for others, how it ends, and what survives its sudden death.
 */
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { addressFile, controlOf, end, newDataDir, send, startSandbox, type Child } from './child.ts'

const running: Child[] = []
afterEach(async () => {
  for (const child of running.splice(0)) await end(child, 'SIGKILL')
})

async function start(data_dir: string): Promise<Child> {
  const child = await startSandbox(data_dir)
  running.push(child)
  return child
}

const subjects = (list: { data: { subject: string }[] }) => list.data.map(one => one.subject)

test('addresses are private, loopback, and usable as soon as they are there', async () => {
  const data_dir = newDataDir()
  const { addresses } = await start(data_dir)
  expect(statSync(addressFile(data_dir)).mode & 0o777).toBe(0o600)
  const { webhook_secret, ...reached } = addresses.mail as Record<string, string>
  expect(webhook_secret).toBeTruthy()
  for (const address of Object.values(reached)) {
    expect(new URL(address).hostname).toBe('127.0.0.1')
  }
  expect(new URL(addresses.mail.smtp).password.length).toBeGreaterThanOrEqual(32)
  expect((await controlOf(addresses)('GET', '.')).body).toMatchObject({ vendor: 'mail' })
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends it with 0 and withdraws the addresses',
  async signal => {
    const data_dir = newDataDir()
    const child = await start(data_dir)
    expect(await end(child, signal)).toBe(0)
    expect(existsSync(addressFile(data_dir))).toBe(false)
  },
)

test('a kill loses nothing: messages, addresses and the clock are there again', async () => {
  const data_dir = newDataDir()
  const first = await start(data_dir)
  const control = controlOf(first.addresses)
  await control('POST', 'clock', { offset_seconds: 3600 })
  for (const n of [1, 2, 3]) {
    const messageId = `<ref-${n}@example.com>`
    await send(first.addresses.mail.smtp, {
      to: 'a@example.com',
      subject: `${n}`,
      text: 'x',
      messageId,
    })
  }
  const before = await control('GET', 'messages')
  expect(await end(first, 'SIGKILL')).toBe('SIGKILL')

  const second = await start(data_dir)
  expect(second.addresses).toEqual(first.addresses)
  const again = controlOf(second.addresses)
  expect(await again('GET', 'messages')).toEqual(before)
  expect(subjects(before.body)).toEqual(['3', '2', '1'])
  const found = await again('GET', 'messages?ref=ref-2')
  expect(subjects(found.body)).toEqual(['2'])
  expect((await again('GET', 'clock')).body).toMatchObject({ offset_seconds: 3600 })
})

test('an incomplete line is dropped, and the journal continues after the last complete one', async () => {
  const data_dir = newDataDir()
  const journal = join(data_dir, 'sandbox', 'mail', 'journal.jsonl')
  const first = await start(data_dir)
  await send(first.addresses.mail.smtp, { to: 'a@example.com', subject: 'whole', text: 'x' })
  await end(first, 'SIGKILL')
  const whole = readFileSync(journal)
  appendFileSync(journal, whole.subarray(0, 100))

  const second = await start(data_dir)
  expect(readFileSync(journal)).toEqual(whole)
  await send(second.addresses.mail.smtp, { to: 'a@example.com', subject: 'later', text: 'x' })
  await end(second, 'SIGKILL')
  const third = await start(data_dir)
  const { body } = await controlOf(third.addresses)('GET', 'messages')
  expect(subjects(body)).toEqual(['later', 'whole'])
})

test('a second process on the same folder is refused and leaves the first one alone', async () => {
  const data_dir = newDataDir()
  const first = await start(data_dir)
  await expect(startSandbox(data_dir)).rejects.toThrow(/ended with 1: A sandbox is running on/)
  const kept = JSON.parse(readFileSync(addressFile(data_dir), 'utf8'))
  expect(kept).toEqual(first.addresses)
})

test('a port that another program took meanwhile is replaced by a free one', async () => {
  const data_dir = newDataDir()
  const first = await start(data_dir)
  await end(first, 'SIGTERM')
  const other = newDataDir()
  const rival = await start(other)
  const kept = join(data_dir, 'sandbox', 'mail', 'kept.json')
  const values = JSON.parse(readFileSync(kept, 'utf8')) as Record<string, unknown>
  const taken = Number(new URL(rival.addresses.mail.smtp).port)
  writeFileSync(kept, JSON.stringify({ ...values, 'port.dev_mail': taken }))

  const second = await start(data_dir)
  const { port, password } = new URL(second.addresses.mail.smtp)
  expect(Number(port)).not.toBe(taken)
  expect(password).toBe(new URL(first.addresses.mail.smtp).password)
  await send(second.addresses.mail.smtp, { to: 'a@example.com', subject: 'x', text: 'x' })
})

test('without a data folder it says what to do', async () => {
  await expect(startSandbox('')).rejects.toThrow(/ended with 1: Name the data folder/)
})
