/** Event types without code: declared over HTTP, listed, and offered to subscriptions. */
import { afterAll, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { newType, of, openPublishingWorld, schema } from './publishing-world.ts'

const world = await openPublishingWorld()
afterAll(() => world.close())
const { declared, logged, operator, publish, put, seller } = world

test('a type is declared, changed, archived and declared again', async () => {
  const type = newType()
  const body = { description: 'A deal was won.', schema }
  const made = await put(type, body)
  expect(made.status, made.text).toBe(201)
  expect(made.headers.get('location')).toBe(`/v1/event-types/${type}`)
  expect(made.body).toMatchObject({ type, origin: 'declared', schema_version: 1, version: 1 })
  const same = await put(type, body)
  expect([same.status, same.headers.get('etag')]).toEqual([200, made.headers.get('etag')])
  const worded = await put(type, { ...body, description: 'A deal was signed.' })
  expect(worded.body).toMatchObject({ schema_version: 1, version: 2 })
  const stale = await put(type, body, { 'if-match': made.headers.get('etag') })
  expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed'])
  const wider = { ...schema, required: [] }
  const changed = await put(type, { ...body, schema: wider })
  expect(changed.body).toMatchObject({ schema_version: 2, version: 3, schema: wider })

  const gone = () => world.call('DELETE', `/v1/event-types/${type}`, { token: operator.token })
  expect([(await gone()).status, (await gone()).status]).toEqual([204, 204])
  const refused = await publish([of(type)])
  expect([refused.status, refused.body.code]).toEqual([422, 'event_type_unknown'])
  const seen = await world.call('GET', `/v1/event-types/${type}`, { token: seller.token })
  expect(seen.body).toMatchObject({ archived_at: expect.any(String), version: 4 })
  const again = await put(type, { ...body, schema: wider })
  expect(again.body).toMatchObject({ archived_at: null, schema_version: 2, version: 5 })
  expect((await publish([of(type)])).status).toBe(201)
})

test('names that are ours, and callers without the right, are refused', async () => {
  const body = { description: 'Mine.', schema }
  for (const [type, status, code] of [
    ['payment.captured', 409, 'event_type_declared'],
    ['payment.imagined', 409, 'event_type_reserved'],
    ['kernel.started', 409, 'event_type_reserved'],
    ['webhooks.made.up', 409, 'event_type_reserved'],
    ['NoDot', 422, 'validation_failed'],
    ['__proto__.x', 422, 'validation_failed'],
    ['a.b.c.d', 422, 'validation_failed'],
  ] as const) {
    const answer = await put(type, body)
    expect([type, answer.status, answer.body.code]).toEqual([type, status, code])
  }
  const foreign = await put(newType(), body, {}, seller)
  expect([foreign.status, foreign.body.code]).toEqual([403, 'permission_denied'])
  const ours = await world.call('DELETE', '/v1/event-types/payment.captured', {
    token: operator.token,
  })
  expect(ours.body.code).toBe('event_type_declared')
  const none = await world.call('DELETE', `/v1/event-types/${newType()}`, { token: operator.token })
  expect([none.status, none.body.code]).toEqual([404, 'event_type_not_found'])
  const all = await world.call('GET', '/v1/event-types?limit=100', { token: seller.token })
  expect(all.body.data).toContainEqual(
    expect.objectContaining({ type: 'account.verified', origin: 'platform' }),
  )
  const internal = await world.call('GET', '/v1/event-types/identity_mail.requested', {
    token: seller.token,
  })
  expect(internal.status).toBe(404)
})

test('a schema that cannot be checked in bounded time is refused, and one that is slow stops', async () => {
  const long = (depth: number): object =>
    depth === 0 ? { type: 'string' } : { type: 'object', properties: { a: long(depth - 1) } }
  for (const [given, code] of [
    [{ $ref: '#' }, 'event_schema_invalid'],
    [{ $ref: 'https://example.com/schema.json' }, 'event_schema_invalid'],
    [{ $async: true }, 'event_schema_invalid'],
    [{ type: 'nonsense' }, 'event_schema_invalid'],
    [{ properties: { a: { pattern: '(?<=a)b' } } }, 'event_schema_invalid'],
    [{ description: 'x'.repeat(40_000) }, 'event_schema_invalid'],
    [long(20), 'malformed_request'],
  ] as const) {
    const answer = await put(newType(), { description: 'Bad.', schema: given })
    expect([JSON.stringify(given).slice(0, 40), answer.body.code]).toEqual([
      JSON.stringify(given).slice(0, 40),
      code,
    ])
  }
  const slow = await declared({ properties: { a: { items: { pattern: '(a+)+$' } } } })
  const most = 2000
  const a = Array.from({ length: most }, () => `${'a'.repeat(26)}!`)
  const answer = await publish([{ type: slow, data: { a } }])
  expect([answer.status, answer.body.code]).toEqual([422, 'event_data_invalid'])
  expect((await publish([{ type: slow, data: { a: ['aaaa'] } }])).status).toBe(201)
})

test('two requests that declare one name at once make one type', async () => {
  const type = newType()
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => put(type, { description: `d ${n}`, schema })),
  )
  expect(answers.map(one => one.status).toSorted((a, b) => a - b)).toEqual([
    ...Array.from({ length: 9 }, () => 200),
    201,
  ])
  const only = await put(type, { description: 'x', schema }, { 'if-none-match': '*' })
  expect(only.status).toBe(412)
})

test('the events are read with the right for their type, and their type is offered to subscriptions', async () => {
  const example = { deal_id: newId() }
  const type = await declared({ ...schema, examples: [example] })
  const { body } = await publish([of(type)])
  const [id] = body.event_ids
  await logged(type, 1)
  const seen = await world.call('GET', `/v1/webhook-events/${id}`, { token: seller.token })
  expect(seen.body).toMatchObject({ id, type, schema_version: 1 })
  const listed = await world.call('GET', `/v1/webhook-events?types=${type}`, {
    token: seller.token,
  })
  expect(listed.body.data).toMatchObject([{ id }])
  const stranger = await world.member()
  await world.allow(stranger, 'webhooks.events.read:*')
  const foreign = await world.call('GET', `/v1/webhook-events/${id}`, { token: stranger.token })
  expect(foreign.status).toBe(404)
  const page = await world.call('GET', '/v1/webhook-event-types?limit=100', {
    token: seller.token,
  })
  const offered: { type: string; example: unknown }[] = page.body.data
  for (let next = page.body.next_cursor; next && !offered.some(one => one.type === type);) {
    const more = await world.call('GET', `/v1/webhook-event-types?limit=100&cursor=${next}`, {
      token: seller.token,
    })
    offered.push(...more.body.data)
    next = more.body.next_cursor
  }
  // Others may ask for a million items, so the example is the one that the schema gives.
  expect(offered.find(one => one.type === type)).toMatchObject({ example })
})
