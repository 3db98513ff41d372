/** A payment provider of an application, whose vendor hangs, answers twice, late, or about others. */
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { Type } from 'typebox'
import { newId, openOutsideWorld, sql, type Sql } from '#dodeca/kernel'
import { eventually, newKey, openApp, type Member, type World } from '../../src/testing/entry.ts'
import application from './dodeca.config.ts'

type Effect = { readonly kind: string; readonly object: string; readonly amount: number }

let world: World
let control: string
let alice: Member
let eve: Member
beforeAll(async () => {
  process.env['TEST_DATABASE_URL'] = inject('admin_url')
  world = await openApp(
    application,
    {
      PAYMENTS_PROVIDER_TIMEOUT_MS: '500',
      PAYMENTS_RESOLVE_FIRST_SECONDS: '0.3',
      PAYMENTS_BREAKER_OPEN_MS: '100',
    },
    import.meta.dirname,
  )
  alice = await merchant()
  eve = await merchant()
  const found = await openOutsideWorld(world.platform.kernel.data_dir).addresses()
  control = found?.['acme']?.['control'] ?? ''
  await authorized(alice)
  await ask('config', { webhook_url: `${world.url}/v1/providers/acme/webhooks` })
})
afterAll(() => world.close())

async function merchant(): Promise<Member> {
  const member = await world.member()
  const acts = ['create', 'read', 'authorize', 'capture', 'cancel']
  await world.allow(member, ...acts.map(act => `payments.intents.${act}`), 'payments.refunds.read')
  await world.give(member, 'refund_operator')
  return member
}

async function ask(path: string, body?: object) {
  const answer = await fetch(new URL(path, control), {
    method: body ? 'POST' : 'GET',
    ...(body && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  expect(answer.status).toBeLessThan(300)
  return (await answer.json()) as { data: Effect[] }
}
const fault = (action: string, at: string, more: object = {}) =>
  ask('faults', { action, at, ...more })

const post = ({ token }: Member, path: string, body: object = {}) =>
  world.call('POST', path, { token, key: newKey(), body })
const read = async ({ token }: Member, id: string) =>
  (await world.call('GET', `/v1/payment-intents/${id}`, { token })).body
const reaches = (who: Member, id: string, state: string) =>
  eventually(`${id} is ${state}`, async () => {
    const found = await read(who, id)
    return found.state === state && found
  })

async function begun(who: Member, payment_method = 'card'): Promise<string> {
  const made = await post(who, '/v1/payment-intents', { amount_minor: 5000, currency: 'EUR' })
  expect(made.status, made.text).toBe(201)
  const id = made.body.id as string
  const answer = await post(who, `/v1/payment-intents/${id}/authorize`, { payment_method })
  // Only a webhook says how it ended.
  expect([answer.status, answer.body.pending_operation?.type], answer.text).toEqual([
    202,
    'authorize',
  ])
  return id
}

async function authorized(who: Member): Promise<string> {
  const id = await begun(who)
  await reaches(who, id, 'authorized')
  return id
}

const rows = (statement: Sql) => world.db.many(Type.Object({}), statement)

const capture = (who: Member, id: string) => post(who, `/v1/payment-intents/${id}/capture`)

/** What has happened to the money of a payment at Acme. */
async function effects(id: string): Promise<string[]> {
  const { handle } = await intentRow(id)
  const { data } = await ask('effects')
  return data.filter(one => one.object === handle).map(one => one.kind)
}

const intentRow = (id: string) =>
  world.db.one(
    Type.Object({ handle: Type.String() }),
    sql`
      -- any tenant: the payment's own id
      select provider_handle as handle from payments.payment_intents where id = ${id}`,
  )

async function announced(id: string): Promise<string[]> {
  return (await world.events({ aggregate_id: id })).map(one => one.type)
}

test('its results come by webhook: authorized, captured, refunded', async () => {
  const id = await authorized(alice)
  expect((await capture(alice, id)).status).toBe(202)
  await reaches(alice, id, 'captured')
  const refund = await post(alice, '/v1/refunds', { intent_id: id, amount_minor: 2000 })
  expect([refund.status, refund.body.state], refund.text).toEqual([201, 'pending'])
  await eventually('it is refunded', async () => {
    return (await read(alice, id)).amount_refunded_minor === 2000
  })
  expect(await effects(id)).toEqual(['authorized', 'captured'])
})

test('a declined card is declined', async () => {
  const id = await begun(alice, 'card_declined')
  const found = await eventually('it is declined', async () => {
    const payment = await read(alice, id)
    return payment.pending_operation === null && payment
  })
  expect(found).toMatchObject({ state: 'requires_authorization' })
  expect(found.last_error.code).toBe('card_declined')
})

test.each([
  ['hangs in a capture', 'hang', 'capture', {}],
  ['reports it twice at once', 'twice', 'webhook', {}],
  ['reports it late', 'late', 'webhook', { ms: 1500 }],
  ['never reports it', 'drop', 'webhook', {}],
])('a provider that %s: pending, and then one effect', async (_, action, at, more) => {
  const id = await authorized(alice)
  await fault(action, at, more)
  const asked = await capture(alice, id)
  expect([asked.status, asked.body.pending_operation?.type]).toEqual([202, 'capture'])
  await reaches(alice, id, 'captured')
  expect(await effects(id)).toEqual(['authorized', 'captured'])
  await eventually('the late report has come', async () => {
    const processed = await rows(sql`
      -- any tenant: the payment's own id
      select from payments.provider_events e join payments.payment_intents i
        on i.provider = e.provider and i.provider_handle = e.object_ref
      where i.id = ${id} and e.processed_at is not null`)
    return processed.length >= (action === 'drop' ? 1 : 2)
  })
  expect((await announced(id)).filter(type => type === 'payment.captured')).toHaveLength(1)
})

test('a report that names a payment of another tenant moves neither', async () => {
  const mine = await authorized(alice)
  const hers = await authorized(eve)
  const before = await read(eve, hers)
  await fault('foreign', 'webhook', { object: (await intentRow(hers)).handle })
  await capture(alice, mine)
  // Its own result is found by reading it.
  await reaches(alice, mine, 'captured')
  expect(await read(eve, hers)).toEqual(before)
  expect(await effects(hers)).toEqual(['authorized'])
})

test('an object that is another one is not believed', async () => {
  const [mine, hers] = [await authorized(alice), await authorized(eve)]
  const { handle } = await intentRow(mine)
  await fault('drop', 'webhook')
  await fault('foreign', handle, { object: (await intentRow(hers)).handle, times: 50 })
  await capture(alice, mine)
  await eventually('an operator must decide', async () => {
    return (await read(alice, mine)).pending_operation?.error_code === 'state_mismatch'
  })
  expect(await read(eve, hers)).toMatchObject({ state: 'authorized', pending_operation: null })
})

test('a report without its signature is refused', async () => {
  const body = JSON.stringify({ id: newId(), object: 'pay_1', created: 1 })
  const answer = await fetch(`${world.url}/v1/providers/acme/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'acme-signature': 'x' },
    body,
  })
  expect(((await answer.json()) as { code: string }).code).toBe('signature_invalid')
})

test('a payment of another provider waits for that provider, and the start says so', async () => {
  const id = await authorized(alice)
  await world.db.run(sql`
    -- any tenant: the payment's own id
    update payments.payment_intents set provider = 'other' where id = ${id}`)
  expect((await capture(alice, id)).status).toBe(202)
  await eventually('it was tried', async () => {
    const tried = await rows(sql`
      -- any tenant: the payment's own id
      select from payments.payment_operations
      where intent_id = ${id} and last_error_code = 'provider_missing'`)
    return tried.length === 1
  })
  expect(await effects(id)).toEqual(['authorized'])
  const advice = (await world.platform.opened['payments']?.advice?.()) ?? []
  expect(advice.join()).toContain('wait for the provider other')
})
