/**
 * A process is killed while a worker stores a result: the job goes to another worker, the result is
 * that of the one that finished, and the bytes of the first are deleted.
 */
import { afterAll, expect, test } from 'vitest'
import { killedAt } from '../../../../../test/crash.ts'
import { call } from '../../../../../test/world.ts'
import { openAskingWorld } from '../../test/asking-world.ts'
import { workshop } from '../../test/worker.ts'
import { resultSweep } from '../sweep-results.ts'

const world = await openAskingWorld()
afterAll(async () => {
  await world.check()
  await world.close()
})

const points = ['jobs.after_result_row', 'jobs.after_result_bytes']

test.for(points)('killed at %s', async point => {
  const { worker, owner, submit } = await workshop(world)
  const id = await submit()
  const first = await worker.take()
  await killedAt(
    { environment: { ...world.environment, PORT: '0' } },
    point,
    url =>
      call(url, 'PUT', `/v1/job-attempts/${first.attempt.id}/result`, {
        token: owner.token,
        body: 'of the first',
        headers: { 'content-type': 'text/plain', 'job-lease-token': first.attempt.lease_token },
      }),
    1,
    'product',
  )
  const [left] = await world.query<{ id: string; blob_key: string }>(
    'select id, blob_key from jobs.job_results where job_id = $1',
    [id],
  )
  expect(await isThere(left?.blob_key)).toBe(point.endsWith('bytes'))

  // Its end is made to come: a lease so short that one could wait for it ends before a slow start does.
  await world.query('update jobs.job_attempts set leased_until = now() where id = $1', [
    first.attempt.id,
  ])
  const second = await worker.take({ wait_seconds: 20 })
  expect([second.job.id, second.attempt.attempt_no]).toEqual([id, 2])
  const stolen = await worker.finish(second, { result_ref: left?.id })
  expect([stolen.status, stolen.body.code]).toEqual([422, 'result_invalid'])
  const stored = await worker.store(second, 'of the second')
  const done = await worker.finish(second, { result_ref: stored.body.result_ref })
  expect(done.body.state).toBe('succeeded')

  await world.call('POST', '/dev/clock', { body: { offset_seconds: 3700 } })
  await resultSweep(world.kernel).run(new AbortController().signal)
  await world.call('POST', '/dev/clock', { body: { offset_seconds: 0 } })
  expect(await isThere(left?.blob_key)).toBe(false)
  const { body } = await world.call('GET', `/v1/jobs/${id}/result-url`, { token: owner.token })
  const fetched = await world.call('GET', body.url.replace('http://dodeca.test', ''))
  expect(fetched.text).toBe('of the second')
  const rows = await world.query('select id from jobs.job_results where job_id = $1', [id])
  expect(rows).toEqual([{ id: stored.body.result_ref }])
})

async function isThere(key: string | undefined): Promise<boolean> {
  const found = await world.kernel.objects.get(key ?? '')
  found?.body.destroy()
  return found !== undefined
}
