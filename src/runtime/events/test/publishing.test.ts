/** Events of declared types: all or none, by rights, in order, once. */
import { afterAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { beginNarrow } from '../../../../test/narrow.ts'
import { newKey } from '../../../../test/world.ts'
import { of, openPublishingWorld } from './publishing-world.ts'

const world = await openPublishingWorld()
afterAll(() => world.close())
const { declared, logged, operator, publish, seller } = world

const { db } = world.platform.kernel

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
  await world.identity.administration.disableTenant(tenant.slug, 'test')
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

test('versions of a chosen aggregate rise, also if several callers publish at once', async () => {
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
