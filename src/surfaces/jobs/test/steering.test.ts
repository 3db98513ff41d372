/** Cancelling, retrying and reordering jobs: what is answered is what has happened. */
import { afterAll, describe, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { eventually, newKey } from '../../../../test/world.ts'
import { newId } from '#dodeca/kernel'
import { gate } from '../attempts/test/toils.ts'
import { openAskingWorld } from './asking-world.ts'

const world = await openAskingWorld()
afterAll(async () => {
  await world.check()
  await world.close()
})

const idle = await world.idleType()
const toil = 'toil.any'
const in_hours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

const act = (who: Member, id: string, verb: string, body?: object) =>
  world.call('POST', `/v1/jobs/${id}/${verb}`, { token: who.token, body })

async function held(who: Member) {
  const name = newId()
  const id = await world.submit(who, { type: toil, parameters: { gate: name } })
  await eventually('it runs', () => gate(name).arrived.length > 0)
  return { id, let_go: () => gate(name).open(), job: gate(name).arrived[0] }
}

describe.concurrent('a cancel', () => {
  test('ends a waiting job at once, with its reason, and again says the same', async () => {
    const who = await world.person()
    const id = await world.submit(who, { type: idle })
    const first = await act(who, id, 'cancel', { reason: 'not needed' })
    expect(first.status).toBe(200)
    expect(first.body).toMatchObject({ state: 'cancelled', status: 'cancelled', version: 2 })
    expect(first.body.cancel_requested_at).toBe(first.body.completed_at)
    const again = await act(who, id, 'cancel')
    expect([again.status, again.body]).toEqual([200, first.body])
    const [event] = await world.query<{ data: object }>(
      `select data from jobs.job_events where job_id = $1 and type = 'cancelled'`,
      [id],
    )
    expect(event?.data).toEqual({ reason: 'not needed' })
  })

  test('asks a running job to stop, which says running until it has', async () => {
    const who = await world.person()
    const { id, let_go, job } = await held(who)
    const before = await world.show(who, id)
    const first = await act(who, id, 'cancel')
    expect(first.status).toBe(202)
    expect(first.headers.get('location')).toBe(`/v1/jobs/${id}`)
    expect(first.body).toMatchObject({ state: 'running', version: before.body.version + 1 })
    const again = await act(who, id, 'cancel')
    expect([again.status, again.body]).toEqual([202, first.body])
    await eventually('its handler is informed', () => job?.signal.aborted)
    let_go()
    const over = await eventually('it is over', async () => {
      const { body } = await world.show(who, id)
      return body.completed_at !== null && body
    })
    // Work that is done is done; what was asked stays on record.
    expect(['cancelled', 'succeeded']).toContain(over.state)
    expect(over.cancel_requested_at).toBe(first.body.cancel_requested_at)
  })

  test('of a job that ended otherwise is refused with its state', async () => {
    const who = await world.person()
    const id = await world.submit(who, { type: toil })
    await world.reached(who, id, 'succeeded')
    const { status, body } = await act(who, id, 'cancel')
    expect([status, body.code, body.current_state]).toEqual([
      409,
      'invalid_transition',
      'succeeded',
    ])
  })

  test('with a key is answered as it was', async () => {
    const who = await world.person()
    const id = await world.submit(who, { type: idle })
    const key = newKey()
    const ask = { token: who.token, key, body: {} }
    const first = await world.call('POST', `/v1/jobs/${id}/cancel`, ask)
    await act(who, id, 'retry')
    const again = await world.call('POST', `/v1/jobs/${id}/cancel`, ask)
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
    expect((await world.show(who, id)).body.state).toBe('retryable')
  })
})

describe.concurrent('a retry', () => {
  test('takes the same job up again: numbers go on, the history stays', async () => {
    const who = await world.person()
    const id = await world.submit(who, { type: toil, parameters: { fails: 1, final: true } })
    const failed = await world.reached(who, id, 'failed')
    expect(failed.error).toEqual({ code: 'toil_failed', retryable: false, cause_job_id: null })
    const { status, body, headers } = await act(who, id, 'retry')
    expect([status, headers.get('location')]).toEqual([202, `/v1/jobs/${id}`])
    expect(body).toMatchObject({ id, status: 'queued', error: null, completed_at: null })
    const done = await world.reached(who, id, 'succeeded')
    expect(done).toMatchObject({ attempt_count: 2, retry_of_job_id: null })
    expect(done.version).toBeGreaterThan(failed.version)
    const history = ['submitted', 'started', 'failed', 'retried', 'started', 'succeeded']
    expect(await world.history(id)).toEqual(history)
  })

  test('of a job that has not ended, or has succeeded, is refused', async () => {
    const who = await world.person()
    const id = await world.submit(who, { type: idle })
    const waiting = await act(who, id, 'retry')
    expect([waiting.status, waiting.body.current_state]).toEqual([409, 'pending'])
    expect((await act(who, id, 'retry', { mode: 'new_job' })).status).toBe(409)
    const done = await world.submit(who, { type: toil })
    await world.reached(who, done, 'succeeded')
    const { status, body } = await act(who, done, 'retry')
    expect([status, body.code]).toEqual([409, 'invalid_transition'])
  })

  test('as a new job runs what the old one was given, and names it', async () => {
    const who = await world.person()
    const id = await world.submit(who, { type: toil, priority: 1, parameters: { steps: 2 } })
    const old = await world.reached(who, id, 'succeeded')
    const { status, body, headers } = await act(who, id, 'retry', { mode: 'new_job' })
    expect(status).toBe(202)
    expect(headers.get('location')).toBe(`/v1/jobs/${body.id}`)
    expect(body).toMatchObject({ retry_of_job_id: id, priority: 1, version: 1 })
    expect(body.id).not.toBe(id)
    const done = await world.reached(who, body.id, 'succeeded')
    expect(done.progress).toMatchObject({ current: 2 })
    expect((await world.show(who, id)).body).toEqual(old)
  })

  test('of an expired job counts its passed deadline no more', async () => {
    const who = await world.person()
    const deadline_at = new Date(Date.now() + 2000).toISOString()
    const id = await world.submit(who, { type: idle, deadline_at })
    const expired = await world.reached(who, id, 'expired')
    expect(expired.error.code).toBe('capacity_deadline_missed')
    expect((await act(who, id, 'retry')).body).toMatchObject({
      state: 'retryable',
      deadline_at: null,
    })
  })

  test('of a job that was cancelled before its time still waits for it', async () => {
    const who = await world.person()
    const scheduled_at = in_hours(1)
    const id = await world.submit(who, { type: toil, scheduled_at })
    await act(who, id, 'cancel')
    const again = await act(who, id, 'retry')
    expect(again.body).toMatchObject({ waiting_reason: 'schedule', next_attempt_at: scheduled_at })
  })

  test('100 at once take it up once', async () => {
    const who = await world.person()
    const id = await world.submit(who, { type: idle })
    await act(who, id, 'cancel')
    const answers = await Promise.all(Array.from({ length: 100 }, () => act(who, id, 'retry')))
    const statuses = answers.map(one => String(one.status)).sort()
    expect(statuses).toEqual(['202', ...Array.from({ length: 99 }, () => '409')])
    expect(await world.history(id)).toEqual(['submitted', 'cancelled', 'retried'])
  })
})

describe.concurrent('a redrive', () => {
  test('retries failed jobs of a type with this code, oldest first and no more than requested', async () => {
    const who = await world.person()
    const parent = await world.submit(who, { type: idle })
    const child = { type: idle, depends_on: [{ job_id: parent }] }
    const children: string[] = []
    for (let n = 0; n < 3; n++) children.push(await world.submit(who, child))
    await act(who, parent, 'cancel')
    const redrive = async (body: object) => {
      const ask = { token: who.token, body: { type: idle, ...body } }
      return (await world.call('POST', '/v1/job-redrives', ask)).body.retried
    }
    expect(await redrive({ error_code: 'toil_failed', limit: 10 })).toBe(0)
    expect(await redrive({ error_code: 'dependency_failed', limit: 2 })).toBe(2)
    // Their parent is cancelled still: they failed once more, and the cancelled one was left alone.
    expect(await world.history(children[0] ?? '')).toEqual([
      'submitted',
      'failed',
      'retried',
      'failed',
    ])
    expect(await world.history(children[2] ?? '')).toEqual(['submitted', 'failed'])
    expect((await world.show(who, parent)).body.state).toBe('cancelled')
    const acts = await world.query<{ reason: string }>(
      `select reason from kernel.audit_events where tenant_id = $1 and action = 'jobs.jobs.redrive'
       order by id`,
      [who.tenant.id],
    )
    expect(acts.map(one => one.reason)).toContain(`2 of type ${idle} (dependency_failed)`)
  })
})

describe.concurrent('a change', () => {
  const change = (who: Member, id: string, body: object, headers: Record<string, string> = {}) =>
    world.call('PATCH', `/v1/jobs/${id}`, { token: who.token, body, headers })

  test('moves a waiting job in its lane and in time', async () => {
    const who = await world.person()
    const id = await world.submit(who, { type: idle })
    const scheduled_at = in_hours(2)
    const later = await change(who, id, { priority: 0, scheduled_at })
    expect(later.body).toMatchObject({
      priority: 0,
      scheduled_at,
      waiting_reason: 'schedule',
      next_attempt_at: scheduled_at,
      version: 2,
    })
    const now = await change(who, id, { scheduled_at: null })
    expect(now.body).toMatchObject({ scheduled_at: null, waiting_reason: 'no_capable_worker' })
    expect(await world.history(id)).toEqual(['submitted', 'updated', 'updated'])
    const { body } = await world.call('GET', `/v1/jobs/${id}/events`, { token: who.token })
    expect(body.data[1].data).toEqual({ priority: 0, scheduled_at })
  })

  test('is refused for another version, for one that ended, for a time past its deadline', async () => {
    const who = await world.person()
    const id = await world.submit(who, { type: idle, deadline_at: in_hours(1) })
    const shown = await world.show(who, id)
    const tag = shown.headers.get('etag') ?? ''
    expect((await change(who, id, { priority: 1 }, { 'if-match': tag })).status).toBe(200)
    const stale = await change(who, id, { priority: 2 }, { 'if-match': tag })
    expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed'])
    const late = await change(who, id, { scheduled_at: in_hours(2) })
    expect([late.status, late.body.code]).toEqual([422, 'validation_failed'])
    await act(who, id, 'cancel')
    const over = await change(who, id, { priority: 3 })
    expect([over.status, over.body.current_state]).toEqual([409, 'cancelled'])
  })

  test('leaves one that waits for others waiting', async () => {
    const who = await world.person()
    const parent = await world.submit(who, { type: idle })
    const id = await world.submit(who, { type: toil, depends_on: [{ job_id: parent }] })
    const changed = await change(who, id, { scheduled_at: null, priority: 9 })
    expect(changed.body).toMatchObject({ waiting_reason: 'dependencies', priority: 9 })
  })

  test('of two requests with one version one gets 412', async () => {
    const who = await world.person()
    const id = await world.submit(who, { type: idle })
    const tag = { 'if-match': '"1"' }
    const answers = await Promise.all([1, 2].map(n => change(who, id, { priority: n }, tag)))
    expect(answers.map(one => String(one.status)).sort()).toEqual(['200', '412'])
  })
})

describe('500 cancels against 500 ends', () => {
  test('each job ends once, as what happened first says', async () => {
    const who = await world.person()
    const ends: string[] = []
    for (let round = 0; round < 10; round++) {
      const ids = await Promise.all(
        Array.from({ length: 50 }, () => world.submit(who, { type: toil })),
      )
      const cancels = await Promise.all(ids.map(id => act(who, id, 'cancel')))
      for (const { status, body } of cancels) {
        const said = status === 409 ? body.current_state : status
        expect(['succeeded', 200, 202]).toContain(said)
      }
      ends.push(...ids)
    }
    await eventually('all are over', async () => {
      const [left] = await world.query<{ left: number }>(
        `select count(*)::int as left from jobs.jobs where id = any($1) and completed_at is null`,
        [ends],
      )
      return left?.left === 0
    })
    const doubled = await world.query(
      `select job_id from jobs.job_events where job_id = any($1)
         and type in ('succeeded', 'cancelled', 'failed', 'expired')
       group by job_id having count(*) <> 1`,
      [ends],
    )
    expect(doubled).toEqual([])
    const announced = await eventually('all ends are announced', async () => {
      const rows = await world.query<{ count: number }>(
        `select count(*)::int as count from kernel.events
         where aggregate_id = any($1) and type in ('job.succeeded', 'job.cancelled')
         group by aggregate_id`,
        [ends],
      )
      return rows.length === ends.length && rows
    })
    expect(announced.every(one => one.count === 1)).toBe(true)
  })
})
