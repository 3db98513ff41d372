/** What belongs to a tenant stays there, and what is secret stays secret. */
import { afterAll, describe, expect, test } from 'vitest'
import { Type } from 'typebox'
import { eventually } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { at, openGround } from './ground.ts'
import { openReceiver, status } from './receiver.ts'

const receiver = await openReceiver()
const ground = await openGround()
afterAll(async () => {
  await ground.close()
  await receiver.close()
})

describe.concurrent('tenants', () => {
  test('an event of one never reaches a subscription of another', async () => {
    const [one, other] = [await ground.owner(), await ground.owner()]
    await ground.subscribe(one, at(receiver, '/one'))
    await ground.subscribe(other, at(receiver, '/other'))
    const [foreign] = await ground.emit(one)
    const [own] = await ground.emit(other)
    await eventually('both came', () => {
      const ids = receiver.received.map(message => message.id)
      return ids.includes(String(foreign)) && ids.includes(String(own))
    })
    expect(receiver.of('/other').map(message => message.id)).not.toContain(foreign)
    expect(receiver.of('/one').map(message => message.id)).not.toContain(own)
  })

  test('a filter cannot name another one, nor reach it by its aggregates', async () => {
    const [one, other] = [await ground.owner(), await ground.owner()]
    const event_filter = { types: ['*'], aggregate_ids: [one.id, other.id] }
    const tenant_id = one.tenant.id
    for (const more of [{ tenant_id }, { event_filter: { ...event_filter, tenant_id } }]) {
      const body = { endpoint: at(receiver, '/curious'), event_filter, ...more }
      const refused = await ground.call('POST', '/v1/webhook-subscriptions', {
        token: other.token,
        body,
      })
      expect([refused.status, refused.body.code]).toEqual([422, 'unsupported_field'])
    }
    const made = await ground.subscribe(other, at(receiver, '/curious'), { event_filter })
    const shown = await ground.call('GET', `/v1/webhook-subscriptions/${made.id}`, other)
    expect(shown.body.event_filter).toEqual(event_filter)
    const [foreign] = await ground.emit(one, 1, { id: one.id, first: 1 })
    const [own] = await ground.emit(other, 1, { id: other.id, first: 1 })
    const came = () => receiver.of('/curious').map(message => message.id)
    await eventually('its own came', () => came().includes(String(own)))
    await eventually('the other one is in the log', async () => {
      return (await ground.call('GET', `/v1/webhook-events/${foreign}`, one)).status === 200
    })
    expect(came()).not.toContain(foreign)
    expect((await ground.deliveries(made.id)).map(({ event_id }) => event_id)).not.toContain(
      foreign,
    )
  })

  test('ids of one are absent for another', async () => {
    const [one, other] = [await ground.owner(), await ground.owner()]
    const { id } = await ground.subscribe(one, at(receiver, '/mine'))
    const path = `/v1/webhook-subscriptions/${id}`
    const asks = [
      ['GET', path, undefined],
      ['PATCH', path, { state: 'paused' }],
      ['DELETE', path, undefined],
      ['POST', `${path}/verify`, {}],
      ['POST', `${path}/rotate-secret`, {}],
      ['POST', `${path}/test`, {}],
      ['POST', `${path}/replay`, { since: '2026-01-01T00:00:00Z', only: 'all', reason: 'x' }],
    ] as const
    for (const [method, where, body] of asks) {
      const answer = await ground.call(method, where, { token: other.token, body })
      expect([answer.status, answer.body.code]).toEqual([404, 'subscription_not_found'])
    }
    expect((await ground.call('GET', path, one)).body.state).toBe('active')
    const list = await ground.call('GET', '/v1/webhook-subscriptions', other)
    expect(list.body.data).toEqual([])
  })
})

describe.concurrent('what may be subscribed to', () => {
  test('is what exists and what the caller may read', async () => {
    const member = await ground.member()
    const role_id = `reader_${newId().slice(-8)}`
    const admin = await ground.owner()
    const ask = (token: string, types: string[]) =>
      ground.call('POST', '/v1/webhook-subscriptions', {
        token,
        body: {
          endpoint: at(receiver, '/types'),
          event_filter: { types },
          api_version: '2026-01',
          verification: 'manual',
        },
      })
    expect((await ask(member.token, ['*'])).status).toBe(403)
    const unknown = await ask(admin.token, ['account.verified', 'no.such_thing', 'nothing.*'])
    expect(unknown.body).toMatchObject({
      code: 'event_type_unknown',
      errors: [{ pointer: '/event_filter/types/1' }, { pointer: '/event_filter/types/2' }],
    })
    expect((await ask(admin.token, ['inbound_receipt.received'])).body.code).toBe(
      'event_type_unknown',
    )
    const reader = await ground.member(admin.tenant)
    const defined = await ground.call('POST', '/v1/roles', {
      token: admin.token,
      body: {
        role_id,
        name: 'Reads roles',
        permissions: ['webhooks.subscriptions.write', 'webhooks.events.read:role.*'],
      },
    })
    expect(defined.status).toBe(201)
    await ground.give(reader, role_id)
    expect((await ask(reader.token, ['role.assigned', 'role.*'])).status).toBe(201)
    expect((await ask(reader.token, ['account.verified'])).status).toBe(403)
    // Everything means everything that its owner may read.
    const made = await ask(reader.token, ['*'])
    expect(made.status).toBe(201)
    const { db } = ground.platform.kernel
    await db.run(sql`
      update webhooks.subscriptions set state = 'paused', paused_at = now(), unverified_since = null
      where id = ${made.body.id}`)
    const witness = await ground.subscribe(admin, at(receiver, '/witness'))
    await ground.emit(admin)
    await eventually('others hear it', () => receiver.of('/witness').length > 0)
    expect(await ground.deliveries(made.body.id)).toEqual([])
    expect(witness.id).not.toBe(made.body.id)
  })
})

test('a waiting or replayed delivery does not follow an endpoint to an owner who may not read it', async () => {
  const admin = await ground.owner()
  const other = await ground.member(admin.tenant)
  await ground.allow(
    other,
    'webhooks.subscriptions.write',
    'webhooks.deliveries.replay',
    'webhooks.events.read:role.*',
  )
  const made = await ground.subscribe(admin, at(receiver, '/admins'))
  await ground.emit(admin)
  await eventually('it came', () => receiver.of('/admins').length === 1)
  const path = `/v1/webhook-subscriptions/${made.id}`
  const change = (body: object) => ground.call('PATCH', path, { token: other.token, body })
  await change({ state: 'paused' })
  await ground.emit(admin)
  await eventually('one waits', async () => (await ground.states(made.id))['pending'] === 1)
  // First what is heard is narrowed to what may be read, then the address is changed.
  await change({ event_filter: { types: ['role.*'] } })
  expect((await change({ endpoint: at(receiver, '/others') })).status).toBe(200)
  await eventually('it is active', async () => {
    const { body } = await ground.call('GET', path, admin)
    return body.state === 'active'
  })
  const ended = await eventually('the one that waited is refused', async () => {
    const all = await ground.deliveries(made.id)
    return all.find(one => one.state === 'permanent_failure')
  })
  expect(ended.last_error_code).toBe('permission_denied')
  const [first] = await ground.deliveries(made.id)
  const replay = await ground.call('POST', `/v1/webhook-deliveries/${first?.id}/replay`, {
    token: other.token,
    body: { reason: 'to see it' },
  })
  expect(replay.status).toBe(202)
  await eventually('so is the other one', async () => {
    return (await ground.states(made.id))['permanent_failure'] === 2
  })
  // What they may send themselves comes.
  await ground.call('POST', `${path}/test`, { token: other.token, body: {} })
  await eventually('their own test comes', () => receiver.of('/others').length === 1)
  expect(receiver.of('/others').map(one => one.type)).toEqual(['webhook_subscription.tested'])
})

test('an internal event reaches no subscriber, for any filter', async () => {
  const owner = await ground.owner()
  const made = await ground.subscribe(owner, at(receiver, '/everything'))
  await ground.platform.kernel.db.tx(async tx =>
    tx.emit({
      type: 'inbound_receipt.received',
      tenant_id: owner.tenant.id,
      aggregate_type: 'inbound_receipt',
      aggregate_id: owner.id,
      aggregate_version: 1,
      data: { receipt_id: newId(), provider: 'p', provider_account: 'a', type: null },
    }),
  )
  // The same aggregate: who hears both hears this one last.
  const [later] = await ground.emit(owner, 1, { id: owner.id, first: 2 })
  await eventually('the later one came', () =>
    receiver.of('/everything').some(message => message.id === later),
  )
  const path = `/v1/webhook-deliveries?subscription_id=${made.id}&limit=100`
  const { data } = (await ground.call('GET', path, owner)).body
  const types = data.map((one: { event_type: string }) => one.event_type)
  expect(types).toContain('account.verified')
  expect(types).not.toContain('inbound_receipt.received')
})

test('a secret is in no answer, attempt, event or row', async () => {
  const owner = await ground.owner()
  const { id, secret } = await ground.subscribe(owner, at(receiver, '/secret'))
  receiver.answer(status(400))
  await ground.emit(owner)
  await eventually('it failed', async () => {
    return (await ground.deliveries(id)).some(one => one.state === 'permanent_failure')
  })
  const bare = secret.slice('whsec_'.length)
  const { db } = ground.platform.kernel
  const rows = await db.many(
    Type.Object({ text: Type.String() }),
    sql`
      select s::text as text from webhooks.subscriptions s where id = ${id}
      union all select a::text from webhooks.delivery_attempts a
      union all select e.payload::text from kernel.events e`,
  )
  const hex = Buffer.from(bare, 'base64').toString('hex')
  for (const { text } of rows) {
    expect(text).not.toContain(bare)
    expect(text).not.toContain(hex)
  }
  expect((await ground.call('GET', '/v1/webhook-subscriptions', owner)).text).not.toContain(bare)
})

test('the bytes are those that were stored, whatever is in them', async () => {
  const own = await openReceiver()
  const owner = await ground.owner()
  const { id } = await ground.subscribe(owner, at(own), { event_filter: { types: ['role.*'] } })
  const data = {
    z: 1.5,
    a: 1e-7,
    text: '\u2028 😀 ñ "quoted" \\',
    nested: { b: [0.1, -0], a: null },
  }
  const path = `/v1/webhook-subscriptions/${id}/test`
  const made = await ground.call('POST', path, { token: owner.token, body: { data } })
  const [message] = await eventually('it came', () => own.received.length === 1 && own.received)
  const { db } = ground.platform.kernel
  const stored = await db.one(
    Type.Object({ bytes: Type.Unsafe<Buffer>(Type.Any()), fits: Type.Boolean() }),
    sql`
      select bytes, sha256 = sha256(bytes) as fits from webhooks.event_bodies
      where event_id = ${made.body.event_id}`,
  )
  expect(stored.fits).toBe(true)
  expect(message?.body.equals(stored.bytes)).toBe(true)
  expect(JSON.parse(message?.body.toString() ?? '').data.data).toEqual({
    ...data,
    nested: { b: [0.1, 0], a: null },
  })
  await own.close()
})
