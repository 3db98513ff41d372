/** What was received is worked on later: once, until it succeeds, or is dead and can be taken up again. */
import { Type } from 'typebox'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { openProductWorld } from '../../../../../test/product-world.ts'
import { eventually } from '../../../../../test/world.ts'
import type { Composition } from '../../../../runtime/platform-parts.ts'
import { newId, sql, type InboundHandler, type InboundMessage } from '#dodeca/kernel'
import { composition } from '../../../../platform.ts'
import { retention } from '../../maintenance/keep.ts'
import { settings, type Kernel } from '../../settings.ts'
import { retain } from '../../../../kernel/work/retention.ts'
import { claimReceipts } from '../processing/claim-receipts.ts'
import { endReceipt, failReceipt, retry_seconds } from '../processing/end-receipt.ts'
import { byGithub, byStripe, byTwilio, stripeEvent } from './signers.ts'
import { openSource, type TestSource } from './sources.ts'

const heard: InboundMessage[] = []
let fails = (_message: InboundMessage): boolean => false

/** Leaves a trace in its own transaction, so that a failure after it can be seen to undo it. */
const handler: InboundHandler<string> = {
  provider: 'acme',
  ask: async message => `asked about ${message.event_id}`,
  handle: async (tx, message, asked) => {
    tx.audit('acme.heard', `${asked}`, { by: { tenant_id: message.tenant_id, id: 'acme' } })
    heard.push(message)
    if (fails(message)) throw new Error('it does not want to')
  },
}

const composed: Composition = {
  ...composition,
  open: kernelFor => {
    const all = composition.open(kernelFor)
    const opened = { face: null, routes: [], inbound: [handler] }
    return { ...all, opened: { ...all.opened, acme: opened } }
  },
}

const world = await openProductWorld({}, composed)
const { db } = world.platform.kernel
afterAll(() => world.close())
beforeEach(() => {
  fails = () => false
})

const acme = () => openSource(world, 'stripe', {}, { provider: 'acme' })

async function receive(source: TestSource, body = stripeEvent()): Promise<string> {
  const answer = await source.send(byStripe(source.signing(), body))
  expect(answer.status).toBe(200)
  const [receipt] = await source.receipts()
  return receipt.id
}

const reached = (source: TestSource, id: string, ...states: string[]) =>
  eventually(`${id} is ${states.join(' or ')}`, async () => {
    const { body } = await world.call('GET', `/v1/inbound-receipts/${id}`, source.owner)
    return states.includes(body.processing_state) && body
  })

const timesHeard = (id: string) => heard.filter(({ receipt_id }) => receipt_id === id).length

async function traces(source: TestSource): Promise<number> {
  const { n } = await db.one(
    Type.Object({ n: Type.Integer() }),
    sql`
      select count(*)::int as n from kernel.audit_events
      where tenant_id = ${source.owner.tenant.id} and action = 'acme.heard'`,
  )
  return n
}

/** The next try comes now. */
const hurry = (id: string) =>
  db.run(sql`
    -- any tenant: the test made it
    update webhooks.inbound_receipts set next_attempt_at = kernel.now()
    where id = ${id} and processing_state = 'failed'`)

test('a message is handed over once, whole, and its end is in the same commit', async () => {
  const source = await acme()
  const body = stripeEvent('evt_once')
  const id = await receive(source, body)
  await source.send(byStripe(source.signing(), body))
  const receipt = await reached(source, id, 'processed')
  expect(receipt).toMatchObject({ attempts: 1, next_attempt_at: null, last_error_code: null })
  const message = heard.find(({ receipt_id }) => receipt_id === id)
  expect(message).toMatchObject({
    tenant_id: source.owner.tenant.id,
    provider: 'acme',
    event_id: 'evt_once',
    type: 'charge.succeeded',
    headers: { 'content-type': 'application/json' },
  })
  expect(message?.raw.toString()).toBe(body)
  expect([timesHeard(id), await traces(source)]).toEqual([1, 1])
})

test('what fails leaves nothing behind, is tried again, and is dead after its last try', async () => {
  fails = () => true
  const source = await acme()
  const id = await receive(source)
  for (let attempt = 1; attempt <= retry_seconds.length; attempt++) {
    const failed = await eventually(`try ${attempt} failed`, async () => {
      const { body } = await world.call('GET', `/v1/inbound-receipts/${id}`, source.owner)
      return body.processing_state === 'failed' && body.attempts === attempt && body
    })
    const wait_ms = Date.parse(failed.next_attempt_at) - Date.parse(failed.received_at)
    expect(wait_ms).toBeGreaterThan((retry_seconds[attempt - 1] ?? 0) * 800 - 1)
    expect(failed.last_error_code).toBe('handler_failed')
    await hurry(id)
  }
  expect(await reached(source, id, 'dead')).toMatchObject({ attempts: retry_seconds.length + 1 })
  expect([timesHeard(id), await traces(source)]).toEqual([retry_seconds.length + 1, 0])
  fails = () => false
  const path = `/v1/inbound-receipts/${id}/reprocess`
  const again = await world.call('POST', path, {
    token: source.owner.token,
    body: { reason: 'mended' },
  })
  expect([again.status, again.body, again.headers.get('location')]).toEqual([
    202,
    { id, status: 'received' },
    `/v1/inbound-receipts/${id}`,
  ])
  expect(await reached(source, id, 'processed')).toMatchObject({ attempts: 1 })
  expect(await traces(source)).toBe(1)
})

describe('taking up again', () => {
  test('is for what is at its end, and is recorded with its reason', async () => {
    fails = () => true
    const source = await acme()
    const id = await receive(source)
    await reached(source, id, 'failed')
    const path = `/v1/inbound-receipts/${id}/reprocess`
    const ask = () =>
      world.call('POST', path, { token: source.owner.token, body: { reason: 'why' } })
    const early = await ask()
    expect([early.status, early.body.code, early.body.current_state]).toEqual([
      409,
      'invalid_transition',
      'failed',
    ])
    fails = () => false
    await hurry(id)
    await reached(source, id, 'processed')
    expect((await ask()).status).toBe(202)
    await eventually('it was heard again', () => timesHeard(id) === 3)
    const acts = await db.many(
      Type.Object({ reason: Type.String(), actor: Type.String() }),
      sql`
        select reason, actor from kernel.audit_events
        where tenant_id = ${source.owner.tenant.id}
          and action = 'webhooks.inbound_receipts.reprocess'`,
    )
    expect(acts).toEqual([{ reason: 'why', actor: source.owner.id }])
  })

  test('needs the bytes', async () => {
    const source = await acme()
    const id = await receive(source)
    await reached(source, id, 'processed')
    await db.run(sql`
      -- any tenant: the test made it
      delete from webhooks.receipt_payloads where receipt_id = ${id}`)
    const path = `/v1/inbound-receipts/${id}`
    const purged = [409, 'payload_purged']
    const read = await world.call('GET', `${path}/payload`, source.owner)
    expect([read.status, read.body.code]).toEqual(purged)
    const asked = { token: source.owner.token, body: { reason: 'why' } }
    const again = await world.call('POST', `${path}/reprocess`, asked)
    expect([again.status, again.body.code]).toEqual(purged)
    await reached(source, id, 'processed')
  })
})

test('a process that lost the lease ends nothing, and a killed attempt counts', async () => {
  const source = await openSource(world, 'stripe')
  await source.send(byStripe(source.signing()))
  const [{ id }] = await source.receipts()
  const waiting = sql`
    -- any tenant: the test made it
    update webhooks.inbound_receipts
    set processing_state = 'processing', processed_at = null, attempts = 1,
      next_attempt_at = kernel.now(), lease_token = ${newId()},
      leased_until = now() + interval '1 hour'
    where id = ${id} returning id, tenant_id, lease_token, attempts`
  const Row = Type.Object({
    id: Type.String(),
    tenant_id: Type.String(),
    lease_token: Type.String(),
    attempts: Type.Integer(),
  })
  const held = await db.one(Row, waiting)
  const stale = { ...held, lease_token: newId() }
  expect(await endReceipt(db, stale, 'processed')).toBe(false)
  await failReceipt(db, stale, 'handler_failed')
  await claimReceipts(db, 60, new AbortController().signal)
  expect((await source.receipts())[0].processing_state).toBe('processing')
  // Its process died: the lease ends, and another process takes it up.
  await db.run(sql`
    -- any tenant: the test made it
    update webhooks.inbound_receipts set leased_until = now() where id = ${id}`)
  expect(await reached(source, id, 'ignored')).toMatchObject({ attempts: 2 })
  expect(await endReceipt(db, held, 'processed')).toBe(false)
})

/** Neither signs a time: only the stored id of a message tells that it came before. */
test.each([
  ['github', byGithub],
  ['twilio', byTwilio],
] as const)('a message of %s is known for the shortest retention', async (scheme, sign) => {
  const source = await openSource(world, scheme)
  const signed = await sign(source.signing())
  const name = 'webhooks.receipts_retention_days'
  const days = settings[name].min
  expect(days).toBe(30)
  const { kernel } = world.platform
  const given = {
    ...kernel,
    settings: { ...(kernel.settings as Kernel['settings']), [name]: days },
  }
  const cameBefore = async (age_days: number) => {
    await source.send(signed)
    const [{ id }] = await source.receipts()
    const aged = sql`kernel.first_id_of(kernel.now() - make_interval(days => ${age_days}::int))`
    await db.run(sql`
      -- any tenant: the test made it
      update webhooks.inbound_receipts set id = ${aged} where id = ${id}`)
    await retain(kernel, retention(given), new AbortController().signal)
    return (await source.receipts()).length === 1
  }
  expect(await cameBefore(days - 1)).toBe(true)
  expect(await cameBefore(days + 1)).toBe(false)
})

test('bytes are forgotten before receipts, and never while they wait', async () => {
  const source = await openSource(world, 'stripe')
  await source.send(byStripe(source.signing()))
  await source.send(byStripe(source.signing()))
  const [waiting, ended] = (await source.receipts()).map(row => row.id as string)
  await db.run(sql`
    -- any tenant: the test made it
    update webhooks.receipt_payloads set created_at = kernel.now() - interval '31 days'
    where receipt_id in (${waiting}, ${ended})`)
  await db.run(sql`
    -- any tenant: the test made it
    update webhooks.inbound_receipts
    set processing_state = 'failed', processed_at = null,
      next_attempt_at = kernel.now() + interval '1 hour'
    where id = ${waiting}`)
  const { kernel, opened } = world.platform
  await retain(kernel, opened['webhooks']?.retention ?? [], new AbortController().signal)
  const payload = (id: string | undefined) =>
    world.call('GET', `/v1/inbound-receipts/${id}/payload`, source.owner)
  expect((await payload(waiting)).status).toBe(200)
  expect((await payload(ended)).body.code).toBe('payload_purged')
  expect(await source.receipts()).toHaveLength(2)
})
