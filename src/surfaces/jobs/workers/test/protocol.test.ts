/** Workers outside: what they claim, keep, report and finish. */
import { afterAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { eventually } from '../../../../../test/world.ts'
import { openAskingWorld } from '../../test/asking-world.ts'
import { workerOf, workshop, type Claimed } from '../../test/worker.ts'

const world = await openAskingWorld()
afterAll(async () => {
  await world.check()
  await world.close()
})

const code = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code]

describe.concurrent('a worker outside', () => {
  test('takes a job with what it needs, reports, stores bytes and finishes', async () => {
    const { worker, owner, submit } = await workshop(world)
    const id = await submit({ parameters: { rows: [1, 2] } })
    const claimed = await worker.take()
    expect(claimed).toEqual({
      job: expect.objectContaining({ id, state: 'running', attempt_count: 1 }),
      parameters: { rows: [1, 2] },
      attempt: {
        id: expect.any(String),
        attempt_no: 1,
        lease_token: expect.any(String),
        leased_until: expect.any(String),
        started_at: expect.any(String),
      },
      version: 2,
      checkpoint: null,
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/),
    })
    const step = { stage: 'reading', current: 1, total: 2, message_code: 'half_done' }
    const noted = await worker.progress(claimed, step)
    expect(noted.body).toEqual({ sequence: 3, cancel_requested: false, version: 2 })
    expect((await world.show(owner, id)).body.progress).toMatchObject({ ...step, sequence: 3 })
    const stored = await worker.store(claimed, 'a,b\n1,2\n')
    expect([stored.status, stored.body.size]).toEqual([201, 8])
    const { result_ref } = stored.body
    const done = await worker.finish(claimed, { result_ref })
    expect([done.status, done.body.state, done.body.result_ref]).toEqual([
      200,
      'succeeded',
      result_ref,
    ])
  })

  test('hears of cancelled jobs and lost leases at its heartbeat', async () => {
    const { worker, owner, submit } = await workshop(world)
    await submit()
    const claimed = await worker.take()
    const asked = await world.call('POST', `/v1/jobs/${claimed.job.id}/cancel`, {
      token: owner.token,
    })
    expect(asked.status).toBe(202)
    const foreign = { ...claimed, attempt: { ...claimed.attempt, id: newId() } }
    const { body } = await worker.beat(claimed, foreign)
    expect(body.leases).toEqual([
      {
        attempt_id: claimed.attempt.id,
        leased_until: expect.any(String),
        version: 3,
        cancel_requested: true,
        deadline_at: null,
      },
      { attempt_id: foreign.attempt.id, lost: true },
    ])
    const early = await worker.finish(claimed, { outcome: 'cancelled' })
    expect(code(early)).toEqual([409, 'version_conflict'])
    expect(early.body).toMatchObject({ current_version: 3, cancel_requested: true })
    const done = await worker.finish({ ...claimed, version: 3 }, { outcome: 'cancelled' })
    expect([done.status, done.body.state]).toEqual([200, 'cancelled'])
  })

  test('hears of each lease that it names, also if it names one attempt twice', async () => {
    const { worker, submit } = await workshop(world)
    await submit()
    const { attempt, ...claimed } = await worker.take()
    const [wrong, capital] = [
      { ...claimed, attempt: { ...attempt, lease_token: 'x'.repeat(43) } },
      { ...claimed, attempt: { ...attempt, id: attempt.id.toUpperCase() } },
    ]
    const { body } = await worker.beat(wrong, { ...claimed, attempt }, capital, wrong)
    const lost = body.leases.map((one: { lost?: true }) => one.lost ?? false)
    expect(lost).toEqual([true, false, false, true])
  })

  test('may present work that is done although a cancel came', async () => {
    const { worker, owner, submit } = await workshop(world)
    await submit()
    const claimed = await worker.take()
    await world.call('POST', `/v1/jobs/${claimed.job.id}/cancel`, { token: owner.token })
    const done = await worker.finish({ ...claimed, version: 3 }, { result: { rows: 3 } })
    expect([done.body.state, done.body.cancel_requested_at]).toEqual([
      'succeeded',
      expect.any(String),
    ])
  })

  test('that stalls past its lease can neither finish nor write any more', async () => {
    const { type, worker: slow, owner, submit } = await workshop(world, { lease_seconds: 5 })
    const id = await submit()
    const stalled = await slow.take()
    const other = workerOf(world, owner)
    await other.register(type)
    const taken = await other.take({ wait_seconds: 20 })
    expect([taken.job.id, taken.attempt.attempt_no]).toEqual([id, 2])
    expect(code(await slow.finish(stalled))).toEqual([409, 'lease_lost'])
    expect(code(await slow.finish({ ...stalled, version: taken.version }))).toEqual([
      409,
      'lease_lost',
    ])
    expect(code(await slow.progress(stalled, { stage: 'x', current: 1 }))).toEqual([
      409,
      'lease_lost',
    ])
    expect(code(await slow.store(stalled, 'late'))).toEqual([409, 'lease_lost'])
    expect((await slow.beat(stalled)).body.leases).toEqual([
      { attempt_id: stalled.attempt.id, lost: true },
    ])
    const stolen = {
      ...stalled,
      attempt: { ...stalled.attempt, id: taken.attempt.id },
      version: taken.version,
    }
    expect(code(await slow.finish(stolen))).toEqual([409, 'lease_lost'])
    expect((await other.finish(taken)).body.state).toBe('succeeded')
    expect(await world.history(id)).toEqual([
      'submitted',
      'started',
      'lease_expired',
      'started',
      'succeeded',
    ])
  })

  test('repeats its end and is answered the same, once in the log', async () => {
    const { worker, submit } = await workshop(world)
    const id = await submit()
    const claimed = await worker.take()
    const answers = await Promise.all(
      [1, 2, 3].map(() => worker.finish(claimed, { result: { n: 1 } })),
    )
    answers.push(await worker.finish(claimed, { result: { n: 1 } }))
    expect(answers.map(one => one.status)).toEqual([200, 200, 200, 200])
    expect(new Set(answers.map(one => one.text)).size).toBe(1)
    expect(code(await worker.finish(claimed, { outcome: 'released' }))).toEqual([
      409,
      'attempt_finished',
    ])
    expect(await world.history(id)).toEqual(['submitted', 'started', 'succeeded'])
  })

  test('whose answer to a claim was lost gets the same leases again', async () => {
    const { worker, submit } = await workshop(world)
    await submit()
    await submit()
    const claim = { claim_id: newId(), max_jobs: 2, wait_seconds: 0 }
    const first = await worker.claim(claim)
    const again = await worker.claim(claim)
    expect(first.body.jobs).toHaveLength(2)
    const leases = (body: { jobs: Claimed[] }) =>
      body.jobs.map(one => one.attempt.lease_token).toSorted()
    expect(leases(again.body)).toEqual(leases(first.body))
    expect((await worker.claim({ max_jobs: 2, wait_seconds: 0 })).body.jobs).toEqual([])
  })

  test('passes its checkpoint on to the next attempt', async () => {
    const { worker, submit } = await workshop(world)
    const id = await submit()
    const first = await worker.take()
    const checkpoint = { page: 7, seen: ['ä', '{"'] }
    await worker.progress(first, { stage: 'pages', current: 7, checkpoint })
    expect((await worker.finish(first, { outcome: 'released' })).body.state).toBe('retryable')
    const second = await worker.take()
    expect([second.job.id, second.attempt.attempt_no, second.checkpoint]).toEqual([
      id,
      2,
      checkpoint,
    ])
    await worker.finish(second)
  })

  test('fails for good or for a while, with its own code', async () => {
    const { worker, submit } = await workshop(world, { backoff: { base_ms: 1, cap_ms: 1 } })
    await submit()
    const error = { code: 'source_gone', retryable: true }
    const first = await worker.finish(await worker.take(), { outcome: 'failed', error })
    expect([first.body.state, first.body.error?.code]).toEqual(['retryable', 'source_gone'])
    const last = await worker.finish(await worker.take(), {
      outcome: 'failed',
      error: { ...error, retryable: false },
    })
    expect([last.body.state, last.body.error]).toEqual([
      'failed',
      { code: 'source_gone', retryable: false, cause_job_id: null },
    ])
  })

  test('leaves nothing that does not fit its type, or is not its own', async () => {
    const result_schema = {
      type: 'object',
      required: ['rows'],
      properties: { rows: { type: 'integer' } },
    }
    const { worker, submit } = await workshop(world, { result_schema })
    await submit()
    await submit()
    const [one, other] = [await worker.take(), await worker.take()]
    for (const result of [{ rows: 'x' }, {}, [], undefined]) {
      const { status, body } = await worker.finish(one, { result })
      expect([status, body.code]).toEqual([422, 'result_invalid'])
    }
    const stored = (await worker.store(other, 'bytes')).body
    for (const result_ref of [stored.result_ref, newId()]) {
      const { body } = await worker.finish(one, { result_ref })
      expect([body.code, body.errors[0].pointer]).toEqual(['result_invalid', '/result_ref'])
    }
    const both = await worker.finish(other, { result_ref: stored.result_ref, result: { rows: 1 } })
    expect(code(both)).toEqual([422, 'validation_failed'])
    expect(code(await worker.finish(one, { outcome: 'failed' }))).toEqual([
      422,
      'validation_failed',
    ])
    const large = await worker.finish(one, { result: { rows: 1, more: 'x'.repeat(256 * 1024) } })
    expect(code(large)).toEqual([413, 'content_too_large'])
    expect((await worker.finish(one, { result: { rows: 1 } })).status).toBe(200)
    expect((await worker.finish(other, { result_ref: stored.result_ref })).status).toBe(200)
  })

  test('that reports too often gets 429, and large checkpoints are refused', async () => {
    const { worker, submit } = await workshop(world)
    await submit()
    const claimed = await worker.take()
    const large = { stage: 'x', current: 1, checkpoint: 'x'.repeat(64 * 1024) }
    expect(code(await worker.progress(claimed, large))).toEqual([413, 'content_too_large'])
    const steps = await Promise.all(
      Array.from({ length: 12 }, (_, current) => worker.progress(claimed, { stage: 'x', current })),
    )
    const refused = steps.filter(one => one.status !== 200)
    expect(refused.map(code)).toContainEqual([429, 'rate_limited'])
    expect(refused[0]?.headers.get('retry-after')).toBe('1')
  })
})

test('a job puts itself off and holds no place meanwhile', async () => {
  const { worker, owner, submit } = await workshop(world, {
    tenant_max_running: 1,
    max_attempts: 1,
  })
  const id = await submit()
  const first = await worker.take()
  await worker.progress(first, { stage: 'rows', current: 1, checkpoint: { at: 1 } })
  const off = await worker.finish(first, { outcome: 'released', after_seconds: 1 })
  expect([off.status, off.body.state]).toEqual([200, 'retryable'])
  const other = await submit()
  const between = await worker.take()
  expect(between.job.id).toBe(other)
  await worker.finish(between)
  const again = await worker.take()
  expect([again.job.id, again.checkpoint, again.attempt.attempt_no]).toEqual([id, { at: 1 }, 2])
  await worker.finish(again)
  expect((await world.show(owner, id)).body.state).toBe('succeeded')
})

test('what an outage of ours has cost is not held against the job; what it lost itself is', async () => {
  const { worker, owner, submit } = await workshop(world, { lease_seconds: 900 })
  const id = await submit()
  const lapse = () =>
    world.query(
      `update jobs.job_attempts set heartbeat_at = now() - interval '15 min',
         leased_until = now() - interval '1 s' where job_id = $1 and state = 'running'`,
      [id],
    )
  const losses = async () => {
    const found = 'select losses from jobs.jobs where id = $1'
    return (await world.query<{ losses: number }>(found, [id]))[0]?.losses
  }
  for (const outage of [true, true, true, true, false]) {
    const claimed = await worker.take()
    // No process has written the row for half an hour, as after an outage that long.
    if (outage) {
      await world.query(`update jobs.last_beat set beat_at = now() - interval '30 min'`)
    } else await world.query('delete from jobs.outages')
    await lapse()
    expect((await worker.finish(claimed)).body.code).toBe('lease_lost')
    await eventually('it waits again', async () => {
      return (await world.show(owner, id)).body.state === 'retryable'
    })
    expect(await losses()).toBe(outage ? 0 : 1)
  }
  const { body } = await world.call('GET', `/v1/jobs/${id}/attempts`, { token: owner.token })
  const codes = body.data.map((one: { error_code: string }) => one.error_code)
  expect(codes).toEqual(['worker_lost', ...Array.from({ length: 4 }, () => 'platform_outage')])
})
