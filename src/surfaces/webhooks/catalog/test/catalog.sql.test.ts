/**
 * Events for receivers that were unavailable: one, all in order, and their types; a caller sees
 * only what it may read.
 */
import { afterAll, expect, test } from 'vitest'
import { Value } from 'typebox/value'
import type { Member } from '../../../../../test/product-world.ts'
import { eventually } from '../../../../../test/world.ts'
import { newId } from '#dodeca/kernel'
import { openEventTypes as ofPlatform } from '../../../../kernel/events/event-types.ts'
import { openEventTypes } from '../../types/event-types.ts'
import { events as own } from '../../events.ts'
import { exampleOf } from '../example.ts'
import { at, openGround } from '../../test/ground.ts'
import { openReceiver } from '../../test/receiver.ts'

const receiver = await openReceiver()
const ground = await openGround()
afterAll(async () => {
  await ground.close()
  await receiver.close()
})

const get = (who: Member, path: string) => ground.call('GET', `/v1${path}`, { token: who.token })
const logged = (who: Member, id: string | undefined) =>
  eventually('it is in the log', async () => {
    const answer = await get(who, `/webhook-events/${id}`)
    return answer.status === 200 && answer
  })

/** A member of this tenant who may read these events only. */
async function readerOf(owner: Member, pattern: string): Promise<Member> {
  const reader = await ground.member(owner.tenant)
  const role_id = `reader_${newId().slice(-8)}`
  const permissions = [`webhooks.events.read:${pattern}`]
  const body = { role_id, name: 'Reads events', permissions }
  const defined = await ground.call('POST', '/v1/roles', { token: owner.token, body })
  expect(defined.status).toBe(201)
  await ground.give(reader, role_id)
  return reader
}

/** All pages from the cursor on. */
async function drain(who: Member, query: string, from?: string) {
  const data: { id: string; type: string }[] = []
  let cursor = from
  for (;;) {
    const at = cursor === undefined ? '' : `&cursor=${cursor}`
    const { status, body, headers } = await get(who, `/webhook-events?${query}${at}`)
    expect(status).toBe(200)
    expect(body.next_cursor).toMatch(/^[\w-]+$/)
    expect(headers.has('link')).toBe(body.has_more)
    data.push(...body.data)
    cursor = body.next_cursor as string
    if (!body.has_more) return { data, cursor }
  }
}

test('an event is read with its data and what became of its deliveries', async () => {
  const owner = await ground.owner()
  await ground.subscribe(owner, at(receiver, '/hook'), {
    event_filter: { types: ['account.verified'] },
  })
  const [id] = await ground.emit(owner)
  const { body } = await eventually('it was delivered', async () => {
    const answer = await get(owner, `/webhook-events/${id}`)
    return answer.body.deliveries?.delivered === 1 && answer
  })
  expect(body).toMatchObject({
    id,
    tenant_id: owner.tenant.id,
    type: 'account.verified',
    payload_ref: `/v1/webhook-events/${id}`,
    data: { account_id: owner.id },
    deliveries: { total: 1, pending: 0, delivered: 1, permanent_failure: 0, exhausted: 0 },
  })
  const sent = receiver.of('/hook').find(message => message.id === id)
  const { api_version: _version, ...message } = JSON.parse(sent?.body.toString() ?? '')
  // What the platform knows beside it is not sent.
  const { deliveries: _deliveries, trace_id: _trace, ...rest } = body
  const { written_by: _by, transaction_id, ...event } = rest
  expect(message).toEqual(event)
  expect(transaction_id).toEqual(expect.any(Number))
})

test('foreign, absent, internal and unreadable events are the same 404', async () => {
  const [owner, other] = [await ground.owner(), await ground.owner()]
  const reader = await readerOf(owner, 'role.*')
  const [id] = await ground.emit(owner)
  const internal = await ground.platform.kernel.db.tx(async tx =>
    tx.emit({
      type: 'inbound_receipt.received',
      tenant_id: owner.tenant.id,
      aggregate_type: 'inbound_receipt',
      aggregate_id: newId(),
      aggregate_version: 1,
      data: { receipt_id: newId(), provider: 'p', provider_account: 'a', type: null },
    }),
  )
  const [later] = await ground.emit(owner)
  await logged(owner, id)
  await logged(owner, later)
  const asked = [
    [other, id],
    [owner, newId()],
    [owner, 'nothing'],
    [owner, internal],
    [reader, id],
  ] as const
  for (const [who, which] of asked) {
    const { status, body } = await get(who, `/webhook-events/${which}`)
    expect([status, body.code]).toEqual([404, 'event_not_found'])
  }
  const unprivileged = await ground.member(owner.tenant)
  expect((await get(unprivileged, `/webhook-events/${id}`)).status).toBe(403)
  expect((await get(unprivileged, '/webhook-events')).status).toBe(403)
  const { data } = await drain(owner, 'limit=100')
  expect(data.map(one => one.id)).not.toContain(internal)
  expect((await drain(other, 'limit=100')).data.map(one => one.id)).not.toContain(id)
})

test('the feed gives each event once, in order, and its last cursor what comes later', async () => {
  const owner = await ground.owner()
  const aggregate = newId()
  const first = await ground.emit(owner, 7, { id: aggregate, first: 1 })
  await logged(owner, first.at(-1))
  const query = 'types=account.verified&limit=3'
  const before = await drain(owner, query)
  const ids = (data: { id: string }[]) => data.map(one => one.id)
  expect(ids(before.data).filter(id => first.includes(id))).toEqual(first)
  expect(new Set(ids(before.data)).size).toBe(before.data.length)
  expect((await drain(owner, query, before.cursor)).data).toEqual([])
  const second = await ground.emit(owner, 4, { id: aggregate, first: 8 })
  await logged(owner, second.at(-1))
  expect(ids((await drain(owner, query, before.cursor)).data)).toEqual(second)
})

test('the feed begins at a time, and looks through more events than it gives', async () => {
  const owner = await ground.owner()
  const reader = await readerOf(owner, 'webhook_subscription.*')
  const [marker] = await ground.emit(owner)
  await logged(owner, marker)
  const { cursor: start } = await drain(reader, 'limit=100')
  const old = await ground.emit(owner, 2100)
  await logged(owner, old.at(-1))
  const late = await ground.emit(owner)
  const { created_at } = (await logged(owner, late[0])).body
  const since = `since=${encodeURIComponent(created_at)}`
  expect((await drain(owner, `${since}&types=account.*`)).data.map(one => one.id)).toEqual(late)
  const future = encodeURIComponent('2999-01-01T00:00:00Z')
  const none = await get(owner, `/webhook-events?since=${future}`)
  expect(none.body).toMatchObject({ data: [], has_more: false })
  expect(none.body.next_cursor).toMatch(/./)
  // What the reader may read lies behind more than a page looks through.
  const asked = {
    endpoint: at(receiver, '/late'),
    event_filter: { types: ['role.*'] },
    api_version: '2026-01',
    verification: 'manual',
  }
  const path = '/v1/webhook-subscriptions'
  const made = await ground.call('POST', path, { token: owner.token, body: asked })
  expect(made.status).toBe(201)
  const found = await eventually('the subscription is announced', async () => {
    const { data } = await drain(reader, 'limit=100', start)
    return data.length > 0 && data
  })
  expect(found.map(one => one.type)).toEqual(['webhook_subscription.created'])
  const first = await get(reader, `/webhook-events?limit=100&cursor=${start}`)
  expect(first.body).toMatchObject({ data: [], has_more: true })
})

test('the feed refuses what is unknown, unreadable or made up', async () => {
  const owner = await ground.owner()
  const reader = await readerOf(owner, 'role.*')
  const code = async (who: Member, query: string) =>
    (await get(who, `/webhook-events?${query}`)).body.code
  expect(await code(owner, 'types=account.verified,no.such_thing')).toBe('event_type_unknown')
  expect(await code(owner, 'types=inbound_receipt.received')).toBe('event_type_unknown')
  expect(await code(reader, 'types=account.verified')).toBe('permission_denied')
  expect(await code(owner, 'cursor=garbage')).toBe('invalid_cursor')
  expect(await code(owner, 'since=yesterday')).toBe('validation_failed')
  const { cursor } = await drain(owner, 'types=role.*')
  expect(await code(owner, `types=account.*&cursor=${cursor}`)).toBe('invalid_cursor')
})

test('every type has its schema, and an example that fits it; internal ones are not shown', async () => {
  const member = await ground.member()
  const shown: { type: string; json_schema: object; example: unknown }[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const more: string = cursor && `&cursor=${cursor}`
    const { status, body } = await get(member, `/webhook-event-types?limit=10${more}`)
    expect(status).toBe(200)
    shown.push(...body.data)
    cursor = body.next_cursor
  }
  const names = shown.map(one => one.type)
  expect(names).toEqual([...new Set(names)].sort())
  expect(names).toContain('webhook_subscription.disabled')
  expect(names).toContain('account.registered')
  expect(names).not.toContain('inbound_receipt.received')
  for (const { type, json_schema, example } of shown) {
    // A type that an application has declared over HTTP has an example if it was given one.
    const fits = example === null ? type.startsWith('deal_') : Value.Check(json_schema, example)
    expect([type, fits]).toEqual([type, true])
  }
  const declared = openEventTypes(ofPlatform(new Map(Object.entries(own)))).all()
  for (const { data } of declared) expect(Value.Check(data, exampleOf(data))).toBe(true)
})
