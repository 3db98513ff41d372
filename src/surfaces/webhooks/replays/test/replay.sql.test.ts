/** Sending one delivery again: the same message, a new budget, recorded, limited, and only where it may be. */
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { personalWebhooks } from '../../personal.ts'
import { at, openGround } from '../../test/ground.ts'
import { fine, openReceiver, status, type Answering } from '../../test/receiver.ts'

const path = '/v1/webhook-deliveries'
const reason = 'the endpoint was mended'
const Act = Type.Object({ actor: Type.String(), action: Type.String(), reason: Type.String() })
const replays_a_minute = 4
const ground = await openGround({
  WEBHOOKS_RETRY_SCHEDULE: '0,3600',
  WEBHOOKS_REPLAY_PER_MINUTE: String(replays_a_minute),
  KERNEL_RATE_FACTOR: '1',
})
afterAll(() => ground.close())

async function sent(answer: Answering, state: string, more: object = {}) {
  const receiver = await openReceiver()
  receiver.answer(answer)
  const owner = await ground.owner()
  const event_filter = { types: ['account.verified'] }
  const made = await ground.subscribe(owner, at(receiver), { event_filter, ...more })
  await ground.emit(owner)
  const [delivery] = await eventually(`it is ${state}`, async () => {
    const found = await ground.deliveries(made.id)
    return found[0]?.state === state && found[0].attempt_count === 1 && found
  })
  const id = delivery?.id ?? ''
  const call = ground.call
  return {
    receiver,
    owner,
    made,
    id,
    subscription: `/v1/webhook-subscriptions/${made.id}`,
    replay: (token = owner.token, key?: string) =>
      call('POST', `${path}/${id}/replay`, { token, body: { reason }, ...(key ? { key } : {}) }),
    get: async () => (await call('GET', `${path}/${id}`, owner)).body,
  }
}

describe.concurrent('a replay', () => {
  test('loses its reason when the requester is erased', async () => {
    const { owner, replay } = await sent(status(400), 'permanent_failure')
    expect((await replay()).status).toBe(202)
    const { kernel } = ground.platform
    const account = { account_id: owner.id, tenant_id: owner.tenant.id, principal_ids: [owner.id] }
    await personalWebhooks({ kernel: kernel as never }).erase(account, new AbortController().signal)
    const of_owner = sql`
      select reason from webhooks.replay_audit
      where tenant_id = ${owner.tenant.id} and actor = ${owner.id}`
    expect(await kernel.db.many(Type.Object({ reason: Type.String() }), of_owner)).toEqual([
      { reason: 'erased' },
    ])
  })

  test('sends the same bytes once more, and records the requester and the reason', async () => {
    const one = await sent(status(400), 'permanent_failure')
    one.receiver.answer(fine)
    const answer = await one.replay()
    const { replay_id } = answer.body
    expect(answer.status).toBe(202)
    expect(answer.headers.get('location')).toBe(`${path}/${one.id}`)
    expect(answer.body).toMatchObject({ id: one.id, status: 'pending', attempt_count: 1 })
    await eventually('it is delivered', async () => (await one.get()).state === 'delivered')
    const [first, second] = one.receiver.received
    expect(second?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true)
    expect(second?.id).toBe(answer.body.event_id)
    expect(second?.headers['webhook-replay']).toBe(replay_id)
    const actor = one.owner.id
    expect(await one.get()).toMatchObject({
      attempt_count: 2,
      replay_no: 1,
      attempts: [
        { attempt_no: 1, replay_id: null },
        { attempt_no: 2, replay_id },
      ],
      replays: [{ id: replay_id, actor, reason }],
    })
    const target = `webhook_delivery:${one.id}`
    const acts = await ground.platform.kernel.db.many(
      Act,
      sql`
        select actor, action, reason from kernel.audit_events
        where tenant_id = ${one.owner.tenant.id} and target = ${target}`,
    )
    expect(acts).toEqual([{ actor, action: 'webhooks.deliveries.replay', reason }])
    await one.receiver.close()
  })

  test('of what waits sends it now, without a new budget', async () => {
    const one = await sent(status(503), 'pending')
    one.receiver.answer(fine)
    expect((await one.replay()).status).toBe(202)
    await eventually('it is delivered', async () => (await one.get()).state === 'delivered')
    expect(await one.get()).toMatchObject({ attempt_count: 2, replay_no: 0 })
    await one.receiver.close()
  })

  test('many requests at once open one budget, and one key is one replay', async () => {
    const one = await sent(status(400), 'permanent_failure')
    const paused = await ground.call('PATCH', one.subscription, {
      ...one.owner,
      body: { state: 'paused' },
    })
    expect(paused.status).toBe(200)
    const answers = await Promise.all([one.replay(), one.replay(), one.replay()])
    expect(answers.map(({ status: code }) => code)).toEqual([202, 202, 202])
    const key = newId()
    const keyed = [
      await one.replay(one.owner.token, key),
      await one.replay(one.owner.token, key),
    ].map(({ body }) => body.replay_id)
    expect(keyed[0]).toBe(keyed[1])
    expect(await one.get()).toMatchObject({ state: 'pending', replay_no: 1 })
    expect((await one.get()).replays).toHaveLength(4)
    await one.receiver.close()
  })

  test('beyond the rate of its subscription is refused, and leaves no trace', async () => {
    const one = await sent(status(503), 'pending')
    await ground.call('PATCH', one.subscription, { ...one.owner, body: { state: 'paused' } })
    for (let count = 0; count < replays_a_minute; count++) {
      expect((await one.replay()).status).toBe(202)
    }
    const refused = await one.replay()
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    const since = new Date(Date.now() - 60_000).toISOString()
    const many = await ground.call('POST', `${one.subscription}/replay`, {
      token: one.owner.token,
      body: { since, only: 'all', reason },
    })
    expect([many.status, many.body.code]).toEqual([429, 'rate_limited'])
    expect((await one.get()).replays).toHaveLength(replays_a_minute)
    await one.receiver.close()
  })

  test('needs a subscription that is sent to', async () => {
    const one = await sent(status(410), 'permanent_failure')
    const disabled = await one.replay()
    expect([disabled.status, disabled.body.code]).toEqual([409, 'subscription_not_active'])
    expect(disabled.body.current_state).toBe('disabled')
    expect((await ground.call('DELETE', one.subscription, one.owner)).status).toBe(204)
    const deleted = await one.replay()
    expect([deleted.status, deleted.body.code]).toEqual([409, 'subscription_not_active'])
    expect(await one.get()).toMatchObject({ state: 'permanent_failure', replays: [] })
    await one.receiver.close()
  })

  test('needs the bytes', async () => {
    const one = await sent(fine, 'delivered')
    const { event_id } = await one.get()
    await ground.platform.kernel.db.run(sql`
      delete from webhooks.event_bodies
      where tenant_id = ${one.owner.tenant.id} and event_id = ${event_id}`)
    const refused = await one.replay()
    expect([refused.status, refused.body.code]).toEqual([409, 'payload_purged'])
    expect(await one.get()).toMatchObject({ state: 'delivered', body_sha256: null, replays: [] })
    await one.receiver.close()
  })

  test('requires the permission, in the own tenant', async () => {
    const one = await sent(fine, 'delivered')
    const foreign = await one.replay((await ground.owner()).token)
    expect([foreign.status, foreign.body.code]).toEqual([404, 'delivery_not_found'])
    const viewer = await ground.member(one.owner.tenant)
    await ground.give(viewer, 'support_viewer')
    expect((await ground.call('GET', `${path}/${one.id}`, viewer)).status).toBe(200)
    const denied = await one.replay(viewer.token)
    expect([denied.status, denied.body.code]).toEqual([403, 'permission_denied'])
    expect(one.receiver.received).toHaveLength(1)
    await one.receiver.close()
  })
})
