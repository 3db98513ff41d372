/** The vendor's list of messages, in which a message whose reply was lost is searched. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Outgoing } from '../outcome.ts'
import { openTwilio } from '../twilio.ts'

let listed: object = {}
const sent: URLSearchParams[] = []
const asked: URL[] = []
const vendor = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => (body += chunk.toString()))
  request.on('end', () => {
    if (request.method === 'POST') sent.push(new URLSearchParams(body))
    else asked.push(new URL(request.url ?? '', 'http://vendor.test'))
    response.statusCode = request.method === 'POST' ? 201 : 200
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(request.method === 'POST' ? { sid: 'SM\u0000' } : listed))
  })
})
beforeAll(async () => {
  await new Promise<void>(resolve => vendor.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  vendor.closeAllConnections()
  vendor.close()
})

const sms: Outgoing = {
  ref: 'one.sms',
  to: '+4930901820',
  message: { channel: 'sms', locale: 'en', subject: null, html: null, text: 'hello', url: null },
  category: 'news',
  unsubscribe_url: null,
  created_at: '2026-11-22T12:00:00.000Z',
  ttl_seconds: 60,
}
const from_ms = Date.parse('2026-11-22T12:00:00Z')
const ours = {
  sid: 'SM1',
  body: 'hello',
  from: '+15550100',
  direction: 'outbound-api',
  date_created: 'Sun, 22 Nov 2026 12:00:05 +0000',
}

function open(from: string) {
  const { port } = vendor.address() as AddressInfo
  return openTwilio({
    name: 'main',
    url: `http://AC1:secret@127.0.0.1:${port}?from=${from}`,
    public_url: 'http://dodeca.test',
    connections: 1,
  })
}

async function find(messages: object[], next_page_uri: string | null = null) {
  listed = { messages, next_page_uri }
  const twilio = open(encodeURIComponent('+1 555-0100'))
  const found = await twilio.find?.(sms, { from_ms, until_ms: from_ms + 90_000 })
  await twilio.close()
  return found
}

test('a message that may be ours is found', async () => {
  expect(await find([ours])).toEqual(['SM1'])
  // A vendor that says less excludes nothing.
  expect(await find([{ sid: 'SM2', body: 'hello' }])).toEqual(['SM2'])
  expect(await find([{ ...ours, from: null, direction: null, date_created: null }])).toEqual([
    'SM1',
  ])
})

test.each([
  ['another text', { body: 'good bye' }],
  ['another sender', { from: '+15550199' }],
  ['another origin', { direction: 'outbound-reply' }],
  ['an earlier time', { date_created: 'Sun, 22 Nov 2026 11:58:00 +0000' }],
  ['a later time', { date_created: 'Sun, 22 Nov 2026 12:10:00 +0000' }],
])('a message with %s is not ours', async (_what, other) => {
  expect(await find([{ ...ours, ...other }])).toEqual([])
})

test('a list that has more pages says that there is none only if it goes back far enough', async () => {
  const other = { ...ours, body: 'good bye' }
  expect(await find([other], '/2010-04-01/next')).toBeNull()
  expect(await find([ours], '/2010-04-01/next')).toEqual(['SM1'])
  const older = { ...ours, date_created: 'Sun, 22 Nov 2026 11:50:00 +0000' }
  expect(await find([other, older], '/2010-04-01/next')).toEqual([])
  // What the vendor has not sent yet has no time of sending.
  expect(asked.at(-1)?.search).toBe('?To=%2B4930901820&PageSize=100')
})

test.each(['+15550100', '%2B15550100'])(
  'a sender that is written as %s is a number',
  async from => {
    const twilio = open(from)
    const outcome = await twilio.send(sms, new AbortController().signal)
    await twilio.close()
    // An id that cannot be stored is left out, because the vendor has the message.
    expect(outcome).toEqual({ kind: 'accepted', provider_message_id: null })
    expect(sent.at(-1)?.get('From')).toBe('+15550100')
  },
)
