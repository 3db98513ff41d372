/**
 * One trace from the caller's `traceparent` to what leaves the platform: webhook attempts, the job that the
 * request submitted, the calls of its handler, and the webhooks of its events.
 */
import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withJobTypes } from '../../../../test/with-job-types.ts'
import { eventually, newKey } from '../../../../test/world.ts'
import { newId, openUpstream, type JobType } from '#dodeca/kernel'
import { at, openGround, type Ground } from './ground.ts'
import { fine, openReceiver, status } from './receiver.ts'

const receiver = await openReceiver()
const vendor = openUpstream({ name: 'vendor', base_url: `http://127.0.0.1:${receiver.port}` })
let ground: Ground

/** Calls a vendor, and announces something in its last commit. */
const errand: JobType = {
  type: 'tracing.errand',
  schema_version: 1,
  parameters: Type.Object({ path: Type.String() }),
  offered: true,
  run: async job => {
    const { path } = job.parameters as { path: string }
    await vendor.call({ method: 'POST', path, idempotent: false, deadline_ms: 5000 })
    await job.commit(async tx => {
      tx.emit({
        type: 'account.verified',
        tenant_id: job.tenant_id,
        aggregate_type: 'account',
        aggregate_id: newId(),
        aggregate_version: 1,
        data: { account_id: newId() },
      })
    })
  },
}
beforeAll(async () => {
  ground = await openGround(
    { WEBHOOKS_RETRY_SCHEDULE: '0,0,1' },
    withJobTypes(() => [errand]),
  )
})
afterAll(async () => {
  await ground.close()
  await Promise.all([vendor.close(), receiver.close()])
})

const newTrace = () => randomBytes(16).toString('hex')
const parentOf = (trace_id: string) => `00-${trace_id}-b7ad6b7169203331-01`
const traceOf = (header: unknown) => String(header).split('-')[1]

/** What came to an endpoint, by the type of its event. */
const cameTo = (path: string, type: string) => receiver.of(path).filter(one => one.type === type)

describe.concurrent('a trace', () => {
  test('goes from a request over its event to each webhook attempt', async () => {
    const path = `/${newId()}`
    receiver.answer((response, one) =>
      one.path === path && one.attempt === 1 ? status(500)(response, one) : fine(response, one),
    )
    const owner = await ground.owner()
    const { id } = await ground.subscribe(owner, at(receiver, path))
    const trace_id = newTrace()
    const made = await ground.call('POST', '/v1/links', {
      token: owner.token,
      key: newKey(),
      body: { destination_url: 'https://example.com/traced' },
      headers: { traceparent: parentOf(trace_id) },
    })
    expect(made.status).toBe(201)
    await eventually('the second attempt', () => cameTo(path, 'link.created').length === 2)
    const attempts = cameTo(path, 'link.created')
    expect(attempts.map(one => traceOf(one.headers['traceparent']))).toEqual([trace_id, trace_id])

    const other = await ground.call('POST', '/v1/links', {
      token: owner.token,
      key: newKey(),
      body: { destination_url: 'https://example.com/not-traced' },
    })
    expect(other.status).toBe(201)
    const third = await eventually('the third', () => cameTo(path, 'link.created')[2])
    const of_request = other.headers.get('x-request-id')?.replaceAll('-', '')
    expect(traceOf(third.headers['traceparent'])).toBe(of_request)
    // Sent again by another caller's request, it is still the trace of its event.
    const [first] = await ground.deliveries(id)
    const replayed = await ground.call('POST', `/v1/webhook-deliveries/${first?.id}/replay`, {
      token: owner.token,
      key: newKey(),
      body: { reason: 'Not seen yet' },
      headers: { traceparent: parentOf(newTrace()) },
    })
    expect(replayed.status).toBe(202)
    const again = await eventually('the replay', () => cameTo(path, 'link.created')[3])
    expect(traceOf(again.headers['traceparent'])).toBe(trace_id)
  })

  test('continues in the job that a request submits, its calls, its events and its end', async () => {
    const path = `/${newId()}`
    const vendor_path = `/${newId()}`
    const owner = await ground.owner()
    await ground.subscribe(owner, at(receiver, path))
    const trace_id = newTrace()
    const job = await ground.call('POST', '/v1/jobs', {
      token: owner.token,
      key: newKey(),
      body: { type: 'tracing.errand', schema_version: 1, parameters: { path: vendor_path } },
      headers: { traceparent: parentOf(trace_id) },
    })
    expect(job.status).toBe(202)
    const [called] = await eventually('the call of the job', () => {
      const came = receiver.of(vendor_path)
      return came.length > 0 && came
    })
    expect(traceOf(called?.headers['traceparent'])).toBe(trace_id)
    for (const type of ['account.verified', 'job.succeeded']) {
      const one = await eventually(`the webhook of ${type}`, () => cameTo(path, type)[0])
      expect(traceOf(one.headers['traceparent'])).toBe(trace_id)
    }
    // The log says which route or work wrote each event, and what was committed together.
    const query = new URLSearchParams({
      trace_id,
      since: new Date(Date.now() - 3_600_000).toISOString(),
    })
    const log = await ground.call('GET', `/v1/webhook-events?${query}`, { token: owner.token })
    const events = log.body['data'] as {
      type: string
      written_by: string
      transaction_id: number
    }[]
    const of = (type: string) => events.find(one => one.type === type)
    expect(events.every(one => Number.isInteger(one.transaction_id))).toBe(true)
    expect(of('account.verified')?.written_by).toBe('run tracing.errand')
    expect(of('job.succeeded')?.transaction_id).toBe(of('account.verified')?.transaction_id)
  })
})
