/**
 * What a sender says of a subscription it says in the commit that records why, once until the endpoint
 * takes something again; and nothing once its lease has ended. The sender's own functions are called here,
 * because no process stops between two of its commits by chance.
 */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { loadLanes } from '../lanes/load-lanes.ts'
import type { Lane } from '../lanes/lane.ts'
import { saveLanes } from '../lanes/save-lanes.ts'
import { openSecrets } from '../sealed-secrets.ts'
import type { Claimed } from '../sending/claim.ts'
import { finish, type Result } from '../sending/finish.ts'
import type { Consequence } from '../sending/decide-retry.ts'
import { openGround } from './ground.ts'
import { subscribeMany } from './many.ts'
import { settings } from '../settings.ts'

// Only the test sends.
const ground = await openGround({ ROLES: 'api' })
afterAll(() => ground.close())
const kernel = ground.platform.kernelFor({ settings })
const { db } = kernel
const sender = newId()

async function failingLane() {
  const owner = await ground.owner()
  const [id = ''] = await subscribeMany(ground, owner, ['http://127.0.0.1:9/'], ['*'])
  await db.run(sql`
    update webhooks.delivery_lanes set failing_since = kernel.now() - interval '2 days'
    where tenant_id = ${owner.tenant.id} and subscription_id = ${id}`)
  await db.run(sql`
    update webhooks.sender_shards set owner = ${sender}, leased_until = now() + interval '1 hour'
    where shard = (select shard from webhooks.subscriptions
      where tenant_id = ${owner.tenant.id} and id = ${id})`)
  return { owner, id }
}

async function load(id: string): Promise<Lane> {
  const [lane] = await loadLanes({ kernel, secrets: openSecrets(kernel) }, [id])
  if (!lane) throw new Error('there is no lane')
  return lane
}

/** A failed attempt of a delivery that is leased: under the token given, or under its own. */
async function failed(
  lane: Lane,
  consequence: Consequence,
  given: { readonly token?: string } = {},
): Promise<Result> {
  const held = newId()
  const { token = held } = given
  const event_id = newId()
  await db.run(sql`
    insert into webhooks.deliveries (tenant_id, event_id, subscription_id, id, event_type,
      aggregate_id, aggregate_version, api_version, ordered, held_seconds, occurred_at, lease_token,
      leased_until)
    values (${lane.tenant_id}, ${event_id}, ${lane.id}, ${newId()}, 'account.verified', ${newId()}, 1,
      '2026-01', false, 0, kernel.now(), ${held}, now() + interval '1 minute')`)
  return {
    lane,
    // Of what was claimed, what the recording of a result looks at.
    claimed: { event_id, subscription_id: lane.id, replay_id: null, ordered: false } as Claimed,
    token,
    outcome: {
      verdict: 'retry',
      http_status: 500,
      error_code: 'http_5xx',
      excerpt: null,
      timings: null,
      remote_ip: null,
      wait_seconds: null,
      faulty: true,
    },
    next: { state: 'pending', counted: true, tries: 1, delay_ms: 60_000 },
    started_ms: kernel.clock.nowMs(),
    duration_ms: 5,
    secret_version: 1,
    consequence,
  }
}

const Announced = Type.Object({
  type: Type.String(),
  code: Type.Union([Type.String(), Type.Null()]),
})
const eventsOf = (id: string) =>
  db.many(
    Announced,
    sql`
      select type, payload ->> 'last_error_code' as code from (
        select type, payload, aggregate_id, aggregate_version from kernel.outbox_events
        union all select type, payload, aggregate_id, aggregate_version from kernel.events) e
      where aggregate_id = ${id} order by aggregate_version`,
  )
const degraded = { type: 'webhook_subscription.degraded', code: 'http_5xx' }

test('a new sender after a crash emits no second degraded event before a success', async () => {
  const { id } = await failingLane()
  const first = await load(id)
  const result = await failed(first, 'degraded')
  await db.tx(tx => finish(tx, [result]))
  // The one that said it is killed before it saves its lanes.
  const heir = await load(id)
  expect(heir.degraded).toBe(true)
  // Another one, that stood still meanwhile, has learnt the same.
  const late = await failed(first, 'degraded')
  await db.tx(tx => finish(tx, [late]))
  expect(await eventsOf(id)).toEqual([degraded])
  heir.failing_since_ms = null
  heir.degraded = false
  await db.tx(tx => saveLanes(tx, sender, [heir]))
  const again = await failed(heir, 'degraded')
  await db.tx(tx => finish(tx, [again]))
  expect(await eventsOf(id)).toEqual([degraded, degraded])
})

test('saving a lane does not remove the mark of its event', async () => {
  const { id } = await failingLane()
  const lane = await load(id)
  const stale = await load(id)
  const result = await failed(lane, 'degraded')
  await db.tx(tx => finish(tx, [result]))
  await db.tx(tx => saveLanes(tx, sender, [stale]))
  expect((await load(id)).degraded).toBe(true)
})

test('what a sender learns after its lease says nothing, and is learnt again', async () => {
  const { id, owner } = await failingLane()
  for (const consequence of ['degraded', 'failing', 'gone'] as const) {
    const lane = await load(id)
    lane.degraded = true
    const result = await failed(lane, consequence, { token: newId() })
    await db.tx(tx => finish(tx, [result]))
    expect(lane.degraded).toBe(false)
  }
  expect(await eventsOf(id)).toEqual([])
  const State = Type.Object({ state: Type.String() })
  const { state } = await db.one(
    State,
    sql`select state from webhooks.subscriptions where tenant_id = ${owner.tenant.id} and id = ${id}`,
  )
  expect(state).toBe('active')
})

test('of two that come together the one that ends it counts', async () => {
  const { id } = await failingLane()
  const lane = await load(id)
  const results = [await failed(lane, 'gone'), await failed(lane, 'degraded')]
  await db.tx(tx => finish(tx, results))
  expect((await eventsOf(id)).map(({ type }) => type)).toEqual(['webhook_subscription.disabled'])
})

test('one that was disabled starts again when it is enabled', async () => {
  const { id, owner } = await failingLane()
  const lane = await load(id)
  lane.failures = 20
  const results = [await failed(lane, 'degraded'), await failed(lane, 'failing')]
  await db.tx(tx => finish(tx, results))
  expect(lane).toMatchObject({ failing_since_ms: null, failures: 0, degraded: false })
  await db.run(sql`
    update webhooks.subscriptions set state = 'active', disabled_at = null, disabled_reason = null
    where tenant_id = ${owner.tenant.id} and id = ${id}`)
  expect(await load(id)).toMatchObject({ failing_since_ms: null, failures: 0, degraded: false })
})
