/** The job type that calls a model: it makes one call, under the right that its owner has then. */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { beginNarrow } from '../../../../test/narrow.ts'
import { eventually, newKey } from '../../../../test/world.ts'
import { openInferenceWorld, type Someone } from './inference-world.ts'

const world = await openInferenceWorld({})
afterAll(() => world.close())
const { db } = world.platform.kernel

const order = (who: Someone, parameters: object, token = who.token) =>
  who.ask('POST', '/v1/jobs', { type: 'inference.generate', parameters }, { key: newKey(), token })

const ended = (who: Someone, path: string) =>
  eventually(`${path} has ended`, async () => {
    const { body } = await who.ask('GET', path)
    return ['succeeded', 'failed', 'blocked'].includes(body.state as string) && body
  })

const calls = ({ tenant }: Someone) =>
  db.many(
    Type.Object({ id: Type.String() }),
    sql`select id from inference.inference_operations where tenant_id = ${tenant.id}`,
  )

async function resultOf(who: Someone, id: string) {
  const { body } = await who.ask('GET', `/v1/jobs/${id}/result-url`)
  const answer = await fetch(String(body.url).replace('http://dodeca.test', world.url))
  return (await answer.json()) as { job_id: string; operation_id: string }
}

async function someone(): Promise<Someone> {
  const one = await world.someone()
  await world.allow(one, 'jobs.jobs.submit:inference.generate')
  return one
}

test('it makes one call, which its result names', async () => {
  const one = await someone()
  const made = await order(one, { model: 'default', input: 'Say a word.' })
  expect(made.status, made.text).toBe(202)
  expect(await ended(one, `/v1/jobs/${made.body.id}`)).toMatchObject({ state: 'succeeded' })
  const { job_id, operation_id } = await resultOf(one, made.body.id as string)
  const call = await ended(one, `/v1/inference-jobs/${job_id}`)
  expect(call).toMatchObject({ state: 'succeeded', operation_id })
  expect(await calls(one)).toEqual([{ id: operation_id }])
  expect(await world.journal(operation_id)).toHaveLength(1)
})

async function failed(one: Someone, model: string, token?: string): Promise<string> {
  const made = await order(one, { model, input: 'Say a word.' }, token)
  expect(made.status, made.text).toBe(202)
  const job = await ended(one, `/v1/jobs/${made.body.id}`)
  expect(job.state).toBe('failed')
  expect(await calls(one)).toEqual([])
  return (job.error as { code: string }).code
}

test('it makes no call if the scope of its session lacks the right', async () => {
  const one = await someone()
  const scope = ['jobs.jobs.submit:inference.generate']
  const { token } = await beginNarrow(world.platform, one, { scope })
  expect(await failed(one, 'default', token)).toBe('owner_revoked')
})

test('it fails if the model is unknown', async () => {
  expect(await failed(await someone(), 'none-such')).toBe('model_not_found')
})
