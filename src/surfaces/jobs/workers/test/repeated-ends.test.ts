/** The end of an attempt that a worker reports again. */
import { afterAll, expect, test } from 'vitest'
import { openAskingWorld } from '../../test/asking-world.ts'
import { workshop } from '../../test/worker.ts'

const world = await openAskingWorld()
afterAll(async () => {
  await world.check()
  await world.close()
})

const code = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code]

test('an end that is repeated with another result is refused, and the same one is not', async () => {
  const { worker, owner, submit } = await workshop(world)
  await submit()
  await submit()
  await submit()
  const [json, bytes, none] = [await worker.take(), await worker.take(), await worker.take()]
  const store = async (text: string) => (await worker.store(bytes, text)).body.result_ref
  const refs = [await store('a'), await store('b')]
  for (const [claimed, first, others] of [
    [json, { result: { n: 1, m: [0] } }, [{ result: { n: 2, m: [0] } }, {}, { result: null }]],
    [bytes, { result_ref: refs[0] }, [{ result_ref: refs[1] }, {}, { result: 'a' }]],
    [none, {}, [{ result: null }, { result: { n: 1 } }]],
  ] as const) {
    const done = await worker.finish(claimed, first)
    expect(done.status).toBe(200)
    for (const other of others) {
      expect(code(await worker.finish(claimed, other))).toEqual([409, 'attempt_finished'])
    }
    expect((await worker.finish(claimed, first)).text).toBe(done.text)
  }
  const same = { result: { m: [0], n: 1 } }
  expect((await worker.finish(json, same)).status).toBe(200)
  const at = `/v1/jobs/${json.job.id}/result-url`
  const { url } = (await world.call('GET', at, { token: owner.token })).body
  const stored = await world.call('GET', url.replace('http://dodeca.test', ''))
  expect(stored.body).toEqual({ n: 1, m: [0] })
  // Its first result cannot be compared any more.
  await world.query('delete from jobs.job_results where job_id = $1', [json.job.id])
  expect((await worker.finish(json, same)).status).toBe(200)
})

test('an end that is repeated with another error is refused, and the same one is not', async () => {
  const { worker, submit } = await workshop(world)
  await submit()
  const claimed = await worker.take()
  const failed = (code: string) => ({ outcome: 'failed', error: { code, retryable: false } })
  const done = await worker.finish(claimed, failed('disk_full'))
  expect(done.status).toBe(200)
  expect(code(await worker.finish(claimed, failed('no_memory')))).toEqual([409, 'attempt_finished'])
  expect((await worker.finish(claimed, failed('disk_full'))).text).toBe(done.text)
})
