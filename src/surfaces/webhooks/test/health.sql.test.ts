/**
 * An endpoint that fails for days, from real requests to the end: its owner is informed after a
 * day, it is disabled after five, and one success in between resets all of that. The days pass by
 * the platform's clock.
 */
import { Type } from 'typebox'
import { afterAll, afterEach, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { at, openGround, type Made } from './ground.ts'
import { fine, openReceiver, status } from './receiver.ts'

const ground = await openGround({
  WEBHOOKS_BREAKER: 'failures:1000,open_ms:1000,max_open_ms:1000',
  // Failures are counted by those that are really made.
  WEBHOOKS_RETRY_SCHEDULE: '0,86400,864000',
})
afterAll(() => ground.close())
const { db } = ground.platform.kernel

const hours = (count: number) => ({ offset_seconds: count * 3600 })
const moveTo = async (offset: object) => {
  const moved = await ground.call('POST', '/dev/clock', { body: offset })
  expect(moved.status).toBeLessThan(300)
}
afterEach(() => moveTo(hours(0)))

const Announced = Type.Object({
  type: Type.String(),
  reason: Type.Union([Type.String(), Type.Null()]),
})

const eventsOf = (id: string) =>
  db.many(
    Announced,
    sql`
      select type, payload ->> 'reason' as reason from kernel.events
      where aggregate_id = ${id} and type in ('webhook_subscription.degraded',
        'webhook_subscription.disabled') order by position`,
  )

const Row = Type.Object({
  state: Type.String(),
  disabled_reason: Type.Union([Type.String(), Type.Null()]),
})
const rowOf = (id: string) =>
  db.one(
    Row,
    sql`
      -- any tenant: the test made it
      select state, disabled_reason from webhooks.subscriptions where id = ${id}`,
  )

const event_filter = { types: ['account.verified'] }

async function failing(many: number) {
  const receiver = await openReceiver()
  receiver.answer(status(500))
  const owner = await ground.owner()
  const made = await ground.subscribe(owner, at(receiver), { event_filter })
  await ground.emit(owner, many)
  await attempted(made, many)
  return { receiver, owner, made }
}

/** So many attempts are on record, over all of its deliveries. */
const attempted = ({ id }: Made, many: number) =>
  eventually(`${many} attempts were made`, async () => {
    const all = await ground.deliveries(id)
    return all.reduce((sum, one) => sum + one.attempt_count, 0) >= many
  })

test('is degraded after a day, and disabled after five', async () => {
  const { receiver, owner, made } = await failing(12)
  expect(await eventsOf(made.id)).toEqual([])
  await moveTo(hours(30))
  await attempted(made, 24)
  const degraded = { type: 'webhook_subscription.degraded', reason: 'degraded' }
  await eventually('it is announced', async () => (await eventsOf(made.id)).length === 1)
  expect(await eventsOf(made.id)).toEqual([degraded])
  expect(await rowOf(made.id)).toEqual({ state: 'active', disabled_reason: null })
  await moveTo(hours(5 * 24 + 1))
  await ground.emit(owner)
  await eventually('it is disabled', async () => (await rowOf(made.id)).state === 'disabled')
  expect((await rowOf(made.id)).disabled_reason).toBe('failing')
  const disabled = { type: 'webhook_subscription.disabled', reason: 'failing' }
  await eventually('that is announced', async () => (await eventsOf(made.id)).length === 2)
  expect(await eventsOf(made.id)).toEqual([degraded, disabled])
  const before = await ground.deliveries(made.id)
  // Another subscription with the same events shows that this one was not left out by being late.
  const witness = await openReceiver()
  const other = await ground.member(owner.tenant)
  await ground.give(other, 'tenant_admin')
  await ground.subscribe(other, at(witness), { event_filter })
  await ground.emit(owner)
  await eventually('others hear the next', () => witness.received.length === 1)
  expect(await ground.deliveries(made.id)).toHaveLength(before.length)
  // Taken up again, and verified, it begins again: the first failure is not one of five days.
  const again = await ground.login(other)
  await ground.call('PATCH', `/v1/webhook-subscriptions/${made.id}`, {
    token: again.body.access_token,
    body: { state: 'active' },
  })
  await eventually('it is active', async () => (await rowOf(made.id)).state === 'active')
  const [next] = await ground.emit(owner)
  await eventually('the next one fails', async () => {
    const all = await ground.deliveries(made.id)
    return all.find(one => one.event_id === next)?.attempt_count === 1
  })
  expect((await rowOf(made.id)).state).toBe('active')
  await Promise.all([receiver.close(), witness.close()])
})

test('is neither after a success in between, nor after a few failures', async () => {
  const seldom = await failing(5)
  const mended = await failing(25)
  mended.receiver.answer(fine)
  await moveTo(hours(20))
  const [taken] = await ground.emit(mended.owner)
  await eventually('one is taken', async () => {
    const all = await ground.deliveries(mended.made.id)
    return all.find(one => one.event_id === taken)?.state === 'delivered'
  })
  mended.receiver.answer(status(500))
  await moveTo(hours(30))
  await attempted(mended.made, 51)
  await moveTo(hours(5 * 24 + 1))
  for (const { owner, made } of [seldom, mended]) {
    const before = await ground.deliveries(made.id)
    await ground.emit(owner)
    await eventually('the next was tried', async () => {
      const all = await ground.deliveries(made.id)
      return all.length === before.length + 1 && all.at(-1)?.attempt_count === 1
    })
    expect((await rowOf(made.id)).state).toBe('active')
  }
  await eventually('it is announced', async () => (await eventsOf(mended.made.id)).length === 1)
  const announced = (await eventsOf(mended.made.id)).map(({ type }) => type)
  expect(announced).toEqual(['webhook_subscription.degraded'])
  await Promise.all([seldom.receiver.close(), mended.receiver.close()])
})
