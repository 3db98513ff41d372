/**
 * Sending many again: failed, missed, or all of a span; once each, at a rate, behind live events,
 * audited, and cancellable.
 */
import { afterAll, describe, expect, test } from 'vitest'
import type { Member } from '../../../../../test/product-world.ts'
import { eventually } from '../../../../../test/world.ts'
import { at, openGround, type Made } from '../../test/ground.ts'
import { fine, openReceiver, status, type Receiver } from '../../test/receiver.ts'

const reason = 'the endpoint was mended'
const most = 60
const event_filter = { types: ['account.verified'] }
const ground = await openGround({
  WEBHOOKS_RETRY_SCHEDULE: '0',
  WEBHOOKS_BREAKER: 'failures:1000,open_ms:1000,max_open_ms:1000',
  WEBHOOKS_REPLAY_DELIVERIES_MAX: String(most),
  JOBS_BACKOFF_BASE_MS: '1',
})
afterAll(() => ground.close())

const hour_ms = 3_600_000
const since = () => new Date(Date.now() - hour_ms).toISOString()

type Site = { receiver: Receiver; owner: Member; made: Made; path: string }

async function site(more: object = {}): Promise<Site> {
  const receiver = await openReceiver()
  const owner = await ground.owner()
  const made = await ground.subscribe(owner, at(receiver), { event_filter, ...more })
  return { receiver, owner, made, path: `/v1/webhook-subscriptions/${made.id}` }
}

const replay = ({ owner, path }: Site, body: object, token = owner.token) =>
  ground.call('POST', `${path}/replay`, { token, body: { since: since(), reason, ...body } })

const settled = (one: Site, state: string, many: number) =>
  eventually(`${many} are ${state}`, async () => {
    return (await ground.states(one.made.id))[state] === many
  })

const patch = ({ owner, path }: Site, body: object) =>
  ground.call('PATCH', path, { token: owner.token, body })

const jobOf = async ({ owner }: Site, id: string) =>
  (await ground.call('GET', `/v1/jobs/${id}`, { token: owner.token })).body

const ended = (one: Site, id: string) =>
  eventually('its job is over', async () => {
    const job = await jobOf(one, id)
    return ['succeeded', 'failed', 'cancelled'].includes(job.state) && job
  })

async function resultOf(one: Site, id: string) {
  const { owner } = one
  expect(await ended(one, id)).toMatchObject({ state: 'succeeded' })
  const { body } = await ground.call('GET', `/v1/jobs/${id}/result-url`, { token: owner.token })
  return (await ground.call('GET', body.url.replace('http://dodeca.test', ''))).body
}

/** Failed for good, each with one attempt. */
async function fail(one: Site, many: number): Promise<string[]> {
  one.receiver.answer(status(400))
  const events = await ground.emit(one.owner, many)
  await settled(one, 'permanent_failure', many)
  one.receiver.answer(fine)
  return events
}

describe.concurrent('a replay of many', () => {
  test('sends what failed once more, with its bytes and its mark, and is on record', async () => {
    const one = await site()
    const failed = await fail(one, 25)
    const [good] = await ground.emit(one.owner)
    await settled(one, 'delivered', 1)
    const before = one.receiver.received.length
    const answer = await replay(one, { only: 'failed' })
    const { replay_id } = answer.body
    expect([answer.status, answer.headers.get('location')]).toEqual([202, `/v1/jobs/${replay_id}`])
    expect(answer.body).toEqual({ id: replay_id, job_id: replay_id, status: 'queued', replay_id })
    await settled(one, 'delivered', 26)
    const [first, again] = [
      one.receiver.received.slice(0, before),
      one.receiver.received.slice(before),
    ]
    expect(again.map(({ id }) => id).sort()).toEqual(failed.toSorted())
    expect(again.map(({ id }) => id)).not.toContain(good)
    for (const { id, body, attempt, headers } of again) {
      expect(body).toEqual(first.find(sent => sent.id === id)?.body)
      expect([attempt, headers['webhook-replay']]).toEqual([2, replay_id])
    }
    expect(await resultOf(one, replay_id)).toEqual({ subscription_id: one.made.id, deliveries: 25 })
    expect((await jobOf(one, replay_id)).progress).toMatchObject({ current: 25, total: 25 })
    const [delivery] = await ground.deliveries(one.made.id)
    const seen = await ground.call('GET', `/v1/webhook-deliveries/${delivery?.id}`, one.owner)
    const actor = one.owner.id
    expect(seen.body).toMatchObject({ replay_no: 1, replays: [{ id: replay_id, actor, reason }] })
    const admin = await ground.member(one.owner.tenant)
    await ground.allow(admin, 'kernel.audit_events.read')
    const acts = await ground.call(
      'GET',
      '/v1/audit-events?action=webhooks.subscriptions.replay',
      admin,
    )
    expect(acts.body.data).toMatchObject([{ actor, reason, outcome: 'done' }])
    await one.receiver.close()
  })

  test('makes up for what was missed while the subscription was disabled, in order', async () => {
    const one = await site({ ordering: 'aggregate' })
    one.receiver.answer(status(410))
    const [gone] = await ground.emit(one.owner)
    await eventually('it is disabled', async () => {
      return (await ground.call('GET', one.path, one.owner)).body.state === 'disabled'
    })
    const aggregate = { id: one.owner.id, first: 1 }
    const missed = await ground.emit(one.owner, 12, aggregate)
    await eventually('they are in the log', async () => {
      const answer = await ground.call('GET', `/v1/webhook-events/${missed.at(-1)}`, one.owner)
      return answer.status === 200
    })
    one.receiver.answer(fine)
    const refused = await replay(one, { only: 'missed' })
    expect([refused.status, refused.body.code]).toEqual([409, 'subscription_not_active'])
    await patch(one, { state: 'active' })
    await eventually('it is verified again', async () => {
      return (await ground.call('GET', one.path, one.owner)).body.state === 'active'
    })
    const { replay_id } = (await replay(one, { only: 'missed' })).body
    await settled(one, 'delivered', 12)
    const sent = one.receiver.received.filter(({ id }) => id !== gone)
    expect(sent.map(({ id }) => id)).toEqual(missed)
    expect(sent.every(({ headers }) => headers['webhook-replay'] === replay_id)).toBe(true)
    expect(await resultOf(one, replay_id)).toMatchObject({ deliveries: 12 })
    const twice = (await replay(one, { only: 'missed' })).body
    expect(await resultOf(one, twice.replay_id)).toMatchObject({ deliveries: 0 })
    await one.receiver.close()
  })

  test('of all takes the whole span, of the requested types', async () => {
    const one = await site()
    const events = [...(await fail(one, 3)), ...(await ground.emit(one.owner, 4))]
    await settled(one, 'delivered', 4)
    const other = await replay(one, { only: 'all', types: ['job.*'] })
    expect(await resultOf(one, other.body.job_id)).toMatchObject({ deliveries: 0 })
    const early = await replay(one, { only: 'all', until: new Date(Date.now() - 60_000) })
    expect(await resultOf(one, early.body.job_id)).toMatchObject({ deliveries: 0 })
    const before = one.receiver.received.length
    const all = await replay(one, { only: 'all', types: ['account.*'] })
    expect(await resultOf(one, all.body.job_id)).toMatchObject({ deliveries: 7 })
    await settled(one, 'delivered', 7)
    const again = one.receiver.received.slice(before).map(({ id }) => id)
    expect(again.sort()).toEqual(events.toSorted())
    await one.receiver.close()
  })

  test('goes behind what is live', async () => {
    const one = await site({ max_in_flight: 1, rate_per_second: 5000 })
    await fail(one, 10)
    await patch(one, { state: 'paused' })
    const before = one.receiver.received.length
    const { job_id } = (await replay(one, { only: 'failed' })).body
    expect(await resultOf(one, job_id)).toMatchObject({ deliveries: 10 })
    const [live] = await ground.emit(one.owner)
    await settled(one, 'pending', 11)
    await patch(one, { state: 'active' })
    await settled(one, 'delivered', 11)
    expect(one.receiver.received[before]?.id).toBe(live)
    await one.receiver.close()
  })

  test('that is cancelled lines up nothing more', async () => {
    const one = await site()
    await fail(one, 40)
    await patch(one, { rate_per_second: 5 })
    const { job_id } = (await replay(one, { only: 'failed' })).body
    await eventually('some are sent', async () => {
      return ((await ground.states(one.made.id))['delivered'] ?? 0) > 0
    })
    const cancelled = await ground.call('POST', `/v1/jobs/${job_id}/cancel`, {
      token: one.owner.token,
      body: {},
    })
    expect([200, 202]).toContain(cancelled.status)
    const job = await ended(one, job_id)
    expect(job.state).toBe('cancelled')
    await eventually('what was lined up is sent', async () => {
      return (await ground.states(one.made.id))['pending'] === undefined
    })
    const { permanent_failure = 0, delivered = 0 } = await ground.states(one.made.id)
    expect(permanent_failure).toBeGreaterThan(0)
    expect(delivered + permanent_failure).toBe(40)
    await one.receiver.close()
  })

  test('that takes long holds no place of the runner while it waits', async () => {
    const one = await site()
    await fail(one, 40)
    await patch(one, { rate_per_second: 1 })
    const { job_id } = (await replay(one, { only: 'failed' })).body
    await eventually('it has put itself off', async () => {
      return (await jobOf(one, job_id)).state === 'retryable'
    })
    const { token } = one.owner
    const { body } = await ground.call('GET', `/v1/jobs/${job_id}/attempts`, { token })
    expect(body.data).toMatchObject([{ state: 'released', error_code: null }])
    expect((await jobOf(one, job_id)).progress.current).toBeLessThan(20)
    const path = `/v1/jobs/${job_id}/cancel`
    const cancelled = await ground.call('POST', path, { token, body: {} })
    expect([cancelled.status, cancelled.body.state]).toEqual([200, 'cancelled'])
    await one.receiver.close()
  })

  test('of more than may be sent at once sends nothing', async () => {
    const one = await site()
    await fail(one, most + 1)
    const { job_id } = (await replay(one, { only: 'failed' })).body
    const job = await ended(one, job_id)
    expect([job.state, job.error.code]).toEqual(['failed', 'too_many_deliveries'])
    expect(await ground.states(one.made.id)).toEqual({ permanent_failure: most + 1 })
    await one.receiver.close()
  })

  test('is refused where it makes no sense, and without the permission', async () => {
    const one = await site()
    const said = async (body: object, token?: string) => {
      const answer = await replay(one, { only: 'failed', ...body }, token)
      return [answer.status, answer.body.code]
    }
    const early = new Date(Date.now() - 15 * 24 * hour_ms).toISOString()
    expect(await said({ since: early })).toEqual([422, 'validation_failed'])
    expect(await said({ until: early })).toEqual([422, 'validation_failed'])
    expect(await said({ only: 'pending' })).toEqual([422, 'validation_failed'])
    expect(await said({ types: ['no.such_thing'] })).toEqual([422, 'event_type_unknown'])
    const foreign = await ground.owner()
    expect(await said({}, foreign.token)).toEqual([404, 'subscription_not_found'])
    const viewer = await ground.member(one.owner.tenant)
    await ground.give(viewer, 'support_viewer')
    expect(await said({}, viewer.token)).toEqual([403, 'permission_denied'])
    await one.receiver.close()
  })
})

test('an interrupted replay continues where it was, and sends nothing twice', async () => {
  const one = await site()
  await fail(one, 35)
  await patch(one, { rate_per_second: 10 })
  const before = one.receiver.received.length
  // The run of a job is of its tenant, so a fault for that tenant hits it.
  const match = one.owner.tenant.id
  const fault = { point: 'webhooks.replay_portion', action: 'throw', times: 2, match }
  expect((await ground.call('POST', '/dev/faults', { body: fault })).status).toBeLessThan(300)
  const { job_id } = (await replay(one, { only: 'failed' })).body
  expect(await resultOf(one, job_id)).toMatchObject({ deliveries: 35 })
  await settled(one, 'delivered', 35)
  expect(one.receiver.received).toHaveLength(before + 35)
  expect((await jobOf(one, job_id)).attempt_count).toBe(3)
  await one.receiver.close()
})
