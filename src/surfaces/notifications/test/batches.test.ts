/** Batches: many recipients in one request, counted, paused, cancelled, broken off. */
import { afterAll, describe, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { eventually, newKey } from '../../../../test/world.ts'
import { newId } from '#dodeca/kernel'
import { newAddress, openNotifyWorld, usual_data } from './notify-world.ts'

const world = await openNotifyWorld()
afterAll(() => world.close())

const ask = (who: Member, method: string, path: string, body?: unknown, headers = {}) =>
  world.call(method, path, {
    token: who.token,
    key: newKey(),
    headers,
    ...(body === undefined ? {} : { body }),
  })

async function header(who: Member, more: object = {}) {
  const name = await world.template(who)
  return {
    category: 'order.updates',
    template: { name },
    data: usual_data,
    channels: ['email'],
    ...more,
  }
}

function sendLines(who: Member, head: object, lines: readonly unknown[], key = newKey()) {
  const text = [head, ...lines]
    .map(one => (typeof one === 'string' ? one : JSON.stringify(one)))
    .join('\n')
  return world.call('POST', '/v1/notifications/batches', {
    token: who.token,
    key,
    body: text,
    headers: { 'content-type': 'application/x-ndjson' },
  })
}

const completed = (who: Member, id: string) =>
  eventually('the batch is completed', async () => {
    const { body } = await ask(who, 'GET', `/v1/notifications/batches/${id}`)
    return body.state === 'completed' && body
  })

describe.concurrent('a batch', () => {
  test('sends to each once; bad lines and duplicates are counted, the rest goes on', async () => {
    const who = await world.sender()
    const addresses = Array.from({ length: 30 }, newAddress)
    const lines = [
      ...addresses.map(email => ({ recipient: { email }, data: { name: email } })),
      { recipient: { email: addresses[0]?.toUpperCase() } },
      'this is no JSON',
      '',
      { recipient: {} },
      { recipient: { destination_id: newId() } },
    ]
    const key = newKey()
    const head = await header(who)
    const made = await sendLines(who, head, lines, key)
    expect(made.status, made.text).toBe(202)
    expect(made.body).toMatchObject({ total: 30, duplicates: 1, rejected_count: 3 })
    expect(made.body.rejected).toEqual([
      { line: 33, code: 'validation_failed' },
      { line: 35, code: 'validation_failed' },
      { line: 36, code: 'destination_not_found' },
    ])
    const again = await sendLines(who, head, lines, key)
    expect([again.status, again.text]).toEqual([202, made.text])
    expect(again.headers.get('location')).toBe(made.headers.get('location'))
    expect([made, again].map(one => one.headers.get('idempotent-replayed'))).toEqual([null, 'true'])
    const other = await sendLines(who, head, lines.slice(1), key)
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_reused'])
    const done = await completed(who, made.body.id)
    expect(done.counts).toMatchObject({ sent: 30, failed: 0, held: 0, duplicates: 1, rejected: 3 })
    const [mail] = await world.messages(addresses[7] ?? '')
    expect(mail.subject).toBe(`Hello ${addresses[7]}`)
  })

  test('with one key is one batch for requests at the same time, and a refusal is replayed', async () => {
    const who = await world.sender()
    const head = await header(who)
    const lines = [{ recipient: { email: newAddress() } }]
    const key = newKey()
    const all = await Promise.all([1, 2, 3, 4].map(() => sendLines(who, head, lines, key)))
    const later = await sendLines(who, head, lines, key)
    // One that waits too long for the first says so.
    const replies = all.map(({ status, body }) => (status === 409 ? body.code : body.id))
    expect(new Set([...replies, 'idempotency_in_progress', later.body.id]).size).toBe(2)
    const other = newKey()
    const wrong = { ...head, category: 'no.such' }
    const refused = await sendLines(who, wrong, lines, other)
    const again = await sendLines(who, wrong, lines, other)
    expect([refused.status, again.status]).toEqual([422, 422])
    expect(again.body).toEqual({ ...refused.body, request_id: again.body.request_id })
  })

  test('of several lines for one recipient, the first counts', async () => {
    const who = await world.sender()
    const addresses = Array.from({ length: 25 }, newAddress)
    const linesOf = (name: string) =>
      addresses.map(email => ({ recipient: { email }, data: { name } }))
    const lines = [...linesOf('first'), ...linesOf('second').toReversed()]
    const unknown = [1, 2, 3].map(() => ({ recipient: { destination_id: newId() } }))
    const { body } = await sendLines(who, await header(who), [...lines, ...unknown])
    expect(body).toMatchObject({ total: 25, duplicates: 25, rejected_count: 3 })
    expect(body.rejected.map((one: { line: number }) => one.line)).toEqual([52, 53, 54])
    await completed(who, body.id)
    for (const address of addresses) {
      const mails = await world.messages(address)
      expect(mails.map(mail => mail.subject)).toEqual(['Hello first'])
    }
  })

  test('is held by a pause and given up by a cancel, at once', async () => {
    const who = await world.sender()
    const addresses = Array.from({ length: 20 }, newAddress)
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString()
    const head = await header(who, { scheduled_at })
    const { body } = await sendLines(
      who,
      head,
      addresses.map(email => ({ recipient: { email } })),
    )
    const path = `/v1/notifications/batches/${body.id}`
    expect((await ask(who, 'POST', `${path}/pause`)).body.state).toBe('paused')
    expect((await ask(who, 'POST', `${path}/cancel`)).body.state).toBe('cancelled')
    const done = await eventually('all are cancelled', async () => {
      const found = await ask(who, 'GET', path)
      return found.body.counts.cancelled === 20 && found.body
    })
    expect(done.counts).toMatchObject({ cancelled: 20 })
    expect((await ask(who, 'POST', `${path}/resume`)).body.code).toBe('invalid_transition')
    for (const address of addresses.slice(0, 3)) expect(await world.messages(address)).toEqual([])
  })

  test('that breaks off has notified no recipient', async () => {
    const who = await world.sender()
    const head = await header(who)
    const email = newAddress()
    const sending = new AbortController()
    const body = new ReadableStream({
      start: controller => {
        controller.enqueue(
          new TextEncoder().encode(
            `${JSON.stringify(head)}\n${JSON.stringify({ recipient: { email } })}\n`,
          ),
        )
      },
    })
    const request = fetch(`${world.url}/v1/notifications/batches`, {
      method: 'POST',
      headers: { authorization: `Bearer ${who.token}`, 'content-type': 'application/x-ndjson' },
      body,
      duplex: 'half',
      signal: sending.signal,
    })
    setTimeout(() => sending.abort(), 300)
    await expect(request).rejects.toThrow()
    const list = await ask(who, 'GET', '/v1/notifications?category=order.updates')
    expect(list.body.data).toEqual([])
    expect(await world.messages(email)).toEqual([])
  })

  test('of only bad lines is refused', async () => {
    const who = await world.sender()
    const made = await sendLines(who, await header(who), ['no', 'json'])
    expect([made.status, made.body.code]).toEqual([422, 'batch_line_invalid'])
  })

  test('that cannot be read is refused with the place, and with what is missing', async () => {
    const who = await world.sender()
    const head = await header(who)
    const json = (body: object) => ask(who, 'POST', '/v1/notifications/batches', body)
    const { category: _category, ...headless } = head
    const refused = [
      [await json({ ...head, recipients: [] }), '`recipients` must have at least 1 item.'],
      [await json({ ...headless, recipients: [{}] }), '`category` is required.'],
      [await json({ ...head, recipients: [{}], to: 'all' }), '`to` is not known here'],
      [await json({ ...head, recipients: ['a@example.test'] }), '{"recipient": '],
      [await sendLines(who, head, []), 'There is no recipient.'],
    ] as const
    for (const [{ status, body }, sentence] of refused) {
      expect(status).toBe(422)
      expect(body.detail).toContain(sentence)
    }
  })
})
