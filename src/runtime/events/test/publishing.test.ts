/** Event types without code: declared over HTTP, published by tenants, read like any other event. */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { beginNarrow } from '../../../../test/narrow.ts'
import { openProductWorld, type Member } from '../../../../test/product-world.ts'
import { eventually, newKey } from '../../../../test/world.ts'

const world = await openProductWorld()
afterAll(() => world.close())
const { db } = world.platform.kernel

let operator: Member
let seller: Member
beforeAll(async () => {
  operator = await world.member()
  await world.allow(
    operator,
    'kernel.event_types.write',
    'kernel.events.publish:*',
    'kernel.events.publish_any:*',
  )
  seller = await world.member()
  await world.allow(seller, 'kernel.events.publish:*', 'webhooks.events.read:*')
})

const schema = {
  type: 'object',
  required: ['deal_id'],
  properties: { deal_id: { type: 'string', format: 'uuid' }, amount_minor: { type: 'integer' } },
}
/** A noun of its own for each test: types belong to the platform. */
const newNoun = () => `deal_${newId().slice(-12)}`
const newType = () => `${newNoun()}.won`

const put = (type: string, body: object, headers = {}, by = operator) =>
  world.call('PUT', `/v1/event-types/${type}`, { token: by.token, body, headers })

async function declared(given: object = schema): Promise<string> {
  const type = newType()
  const made = await put(type, { description: 'A deal was won.', schema: given })
  expect(made.status, made.text).toBe(201)
  return type
}

const publish = (events: object[], by: Pick<Member, 'token'> = seller, key = newKey()) =>
  world.call('POST', '/v1/events', { token: by.token, key, body: { events } })

const of = (type: string, more: object = {}) => ({ type, data: { deal_id: newId() }, ...more })

const Logged = Type.Object({
  id: Type.String(),
  tenant_id: Type.String(),
  type: Type.String(),
  schema_version: Type.Integer(),
  aggregate_type: Type.String(),
  aggregate_id: Type.String(),
  aggregate_version: Type.Integer(),
  payload: Type.Unknown(),
})

const logged = (type: string, count: number) =>
  eventually(`${count} events of ${type}`, async () => {
    const rows = await db.many(
      Logged,
      sql`
        -- any tenant: the test made the type
        select id, tenant_id, type, schema_version, aggregate_type, aggregate_id,
          aggregate_version, payload
        from kernel.events where type = ${type} order by position`,
    )
    return rows.length >= count && rows
  })

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
  const hungry = await declared({ properties: { a: { items: { pattern: '(a+)+$' } } } })
  const most = 2000
  const a = Array.from({ length: most }, () => `${'a'.repeat(26)}!`)
  const answer = await publish([{ type: hungry, data: { a } }])
  expect([answer.status, answer.body.code]).toEqual([422, 'event_data_invalid'])
  expect((await publish([{ type: hungry, data: { a: ['aaaa'] } }])).status).toBe(201)
})

test('all events are published or none, with the faults of the bad one', async () => {
  const type = await declared()
  const bad = { type, data: { deal_id: 'no uuid' } }
  const refused = await publish([of(type), bad, of(type)])
  expect([refused.status, refused.body.code]).toEqual([422, 'event_data_invalid'])
  expect(refused.body.errors).toMatchObject([{ pointer: '/events/1/data/deal_id' }])
  const made = await publish([of(type), of(type)])
  expect(made.status, made.text).toBe(201)
  const rows = await logged(type, 2)
  expect(rows.map(row => row.id)).toEqual(made.body.event_ids)
  expect(rows[0]).toMatchObject({
    tenant_id: seller.tenant.id,
    schema_version: 1,
    aggregate_type: type.split('.')[0],
    aggregate_version: 1,
  })
  for (const events of [[], Array.from({ length: 101 }, () => of(type))]) {
    expect((await publish(events)).body.code).toBe('validation_failed')
  }
})

test('hostile data is refused before it is stored', async () => {
  const type = await declared({})
  const raw = async (data: string) => {
    const answer = await fetch(`${world.url}/v1/events`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${seller.token}`,
        'content-type': 'application/json',
        'idempotency-key': newKey(),
      },
      body: `{"events":[{"type":"${type}","data":${data}}]}`,
    })
    return { status: answer.status, body: (await answer.json()) as { code?: string } }
  }
  const deep = `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`
  for (const [data, code] of [
    [String.raw`{"a":"\u0000"}`, 'invalid_character'],
    ['{"__proto__":{"admin":true}}', 'malformed_request'],
    ['{"a":{"constructor":1}}', 'malformed_request'],
    [deep, 'malformed_request'],
    ['{"a":9007199254740993}', 'validation_failed'],
    ['[1]', 'validation_failed'],
    [`{"a":"${'x'.repeat(64 * 1024)}"}`, 'content_too_large'],
    [`{"a":"${'x'.repeat(1024 * 1024)}"}`, 'content_too_large'],
  ] as const) {
    const answer = await raw(data)
    expect([data.slice(0, 30), answer.body.code]).toEqual([data.slice(0, 30), code])
  }
  const large = await raw(`{"a":"${'x'.repeat(64 * 1024 - 8)}"}`)
  expect(large.status, JSON.stringify(large.body)).toBe(201)
})

test('a foreign tenant needs the right for it, and must be active here', async () => {
  const type = await declared()
  const { tenant } = await world.member()
  const there = of(type, { tenant_id: tenant.id })
  const denied = await publish([there])
  expect([denied.status, denied.body.code]).toEqual([403, 'permission_denied'])
  expect(denied.body.permission).toBe(`kernel.events.publish_any:${type}`)
  expect((await publish([of(type), there], operator)).status).toBe(201)
  const rows = await logged(type, 2)
  expect(rows.map(row => row.tenant_id)).toEqual([operator.tenant.id, tenant.id])
  await db.run(sql`update identity.tenants set state = 'disabled' where id = ${tenant.id}`)
  const moved = await world.tenant()
  await db.run(sql`
    insert into kernel.tenant_states (tenant_id, state, reason, cell_url)
    values (${moved.id}, 'moved', 'a test', 'http://127.0.0.1:1')`)
  for (const tenant_id of [tenant.id, moved.id, newId()]) {
    const refused = await publish([of(type), of(type, { tenant_id })], operator)
    expect([refused.status, refused.body.code]).toEqual([422, 'event_tenant_unknown'])
    expect(refused.body.errors).toMatchObject([{ pointer: '/events/1/tenant_id' }])
  }
  expect(await logged(type, 2)).toHaveLength(2)
})

test('a right for one type is none for another, also within the scope of a session', async () => {
  const [mine, other] = [await declared(), await declared()]
  const clerk = await world.member()
  await world.allow(clerk, `kernel.events.publish:${mine}`)
  expect((await publish([of(mine)], clerk)).status).toBe(201)
  const denied = await publish([of(mine), of(other)], clerk)
  expect([denied.status, denied.body.permission]).toEqual([403, `kernel.events.publish:${other}`])
  const narrow = async (...scope: string[]) => await beginNarrow(world.platform, seller, { scope })
  const within = await narrow(`kernel.events.publish:${mine}`)
  expect((await publish([of(mine)], within)).status).toBe(201)
  expect((await publish([of(other)], within)).body.code).toBe('insufficient_scope')
  expect((await publish([of(mine)], await narrow('links.read'))).body.code).toBe(
    'insufficient_scope',
  )
})

test('versions of a chosen aggregate rise, whoever publishes at once', async () => {
  const type = await declared()
  const aggregate_id = newId()
  expect((await publish([of(type, { aggregate_id, aggregate_version: 7 })])).status).toBe(201)
  for (const aggregate_version of [1, 7]) {
    const stale = await publish([of(type), of(type, { aggregate_id, aggregate_version })])
    expect([stale.status, stale.body.code]).toEqual([409, 'aggregate_version_stale'])
    expect(stale.body.errors).toMatchObject([{ pointer: '/events/1/aggregate_version' }])
  }
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      publish([
        of(type, { aggregate_id }),
        of(type, { aggregate_id: newId() }),
        of(type, { aggregate_id }),
      ]),
    ),
  )
  expect(answers.map(one => one.status)).toEqual(Array.from({ length: 20 }, () => 201))
  const rows = (await logged(type, 61)).filter(row => row.aggregate_id === aggregate_id)
  const seen = rows.map(row => row.aggregate_version)
  expect(seen).toHaveLength(41)
  expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b))
  // The largest number ends it, for this aggregate alone.
  const last = { aggregate_id, aggregate_version: Number.MAX_SAFE_INTEGER }
  expect((await publish([of(type, last)])).status).toBe(201)
  expect((await publish([of(type, { aggregate_id })])).body.code).toBe('aggregate_version_stale')
  // The same id of another tenant has versions of its own.
  const theirs = await publish([of(type, { aggregate_id, aggregate_version: 1 })], operator)
  expect(theirs.status).toBe(201)
  expect(await logged(type, 63)).toHaveLength(63)
})

test('the same request twenty times at once publishes once', async () => {
  const type = await declared()
  const [key, event] = [newKey(), of(type)]
  const answers = await Promise.all(Array.from({ length: 20 }, () => publish([event], seller, key)))
  const ids = answers.filter(one => one.status === 201).map(one => one.body.event_ids[0])
  expect(new Set(ids).size).toBe(1)
  for (const one of answers) expect([201, 409]).toContain(one.status)
  expect(await logged(type, 1)).toHaveLength(1)
  expect((await publish([event], seller, key)).body.event_ids).toEqual([ids[0]])
})

test('two requests that declare one name at once make one type', async () => {
  const type = newType()
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => put(type, { description: `d ${n}`, schema })),
  )
  expect(answers.map(one => one.status).sort()).toEqual([
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
