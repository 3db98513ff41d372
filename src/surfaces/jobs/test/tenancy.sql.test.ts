/** Another tenant's jobs are not there: to see, to steer, to wait for, or to learn of by any answer. */
import { afterAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { newKey } from '../../../../test/world.ts'
import { openAskingWorld } from './asking-world.ts'

const world = await openAskingWorld()
afterAll(() => world.close())

const idle = await world.idleType()
const owner = await world.person()
const stranger = await world.person()
const id = await world.submit(owner, { type: idle })

const refusal = ({ body }: { body: Record<string, unknown> }) => {
  const { instance: _instance, request_id: _request, ...rest } = body
  return rest
}

describe.concurrent('a job of another tenant', () => {
  test.each([
    ['GET', '', undefined],
    ['GET', '/attempts', undefined],
    ['GET', '/events', undefined],
    ['GET', '/result-url', undefined],
    ['POST', '/cancel', {}],
    ['POST', '/retry', {}],
    ['POST', '/retry', { mode: 'new_job' }],
    ['PATCH', '', { priority: 1 }],
  ])('%s %s %o returns the same as for an unknown id', async (method, rest, body) => {
    const ask = async (job_id: string) =>
      world.call(method, `/v1/jobs/${job_id}${rest}`, { token: stranger.token, body })
    const [foreign, absent] = [await ask(id), await ask(newId())]
    expect([foreign.status, foreign.body.code]).toEqual([404, 'job_not_found'])
    expect(refusal(foreign)).toEqual(refusal(absent))
    const names = (headers: Headers) => [...headers.keys()].sort()
    expect(names(foreign.headers)).toEqual(names(absent.headers))
  })

  test('cannot be waited for', async () => {
    const ask = (job_id: string) => world.order(stranger, { type: idle, depends_on: [{ job_id }] })
    const [foreign, absent] = [await ask(id), await ask(newId())]
    expect([foreign.status, foreign.body.code]).toEqual([422, 'dependency_unknown'])
    expect(refusal(foreign)).toEqual(refusal(absent))
    const batch = await world.call('POST', '/v1/job-batches', {
      token: stranger.token,
      key: newKey(),
      body: { jobs: [{ ref: 'a', type: idle, depends_on: [{ job_id: id }] }] },
    })
    expect(batch.body.code).toBe('dependency_unknown')
    const rows = await world.query('select from jobs.jobs where tenant_id = $1', [
      stranger.tenant.id,
    ])
    expect(rows).toEqual([])
  })

  test('of the same tenant that the caller may not see cannot be waited for either', async () => {
    const other = await world.idleType()
    const caller = await world.person([`jobs.jobs.submit:${other}`], owner.tenant)
    expect((await world.show(caller, id)).status).toBe(404)
    const single = (job_id: string) =>
      world.order(caller, { type: other, depends_on: [{ job_id: own }, { job_id }] })
    const batch = (job_id: string) =>
      world.call('POST', '/v1/job-batches', {
        token: caller.token,
        key: newKey(),
        body: {
          jobs: [
            { ref: 'a', type: other },
            { ref: 'b', type: other, depends_on: [{ job_id }], depends_on_refs: [{ ref: 'a' }] },
          ],
        },
      })
    const own = await world.submit(caller, { type: other })
    const pointers = { single: '/depends_on/1/job_id', batch: '/jobs/1/depends_on/0/job_id' }
    for (const [ask, pointer] of [
      [single, pointers.single],
      [batch, pointers.batch],
    ] as const) {
      const [hidden, absent] = [await ask(id), await ask(newId())]
      expect([hidden.status, hidden.body.code]).toEqual([422, 'dependency_unknown'])
      expect(refusal(hidden)).toEqual(refusal(absent))
      expect(hidden.body.errors).toEqual([{ location: 'body', pointer, constraint: 'exists' }])
      expect((await ask(own)).status).toBe(202)
    }
    await world.allow(caller, `jobs.jobs.read:${idle}`)
    expect((await single(id)).status).toBe(202)
  })

  test('is in no list and no redrive, and its cursor opens no list', async () => {
    await world.submit(owner, { type: idle })
    const mine = await world.call('GET', '/v1/jobs?limit=1', { token: owner.token })
    expect(mine.body.has_more).toBe(true)
    const list = await world.call('GET', '/v1/jobs', { token: stranger.token })
    expect(list.body.data).toEqual([])
    const path = `/v1/jobs?limit=1&cursor=${mine.body.next_cursor}`
    const borrowed = await world.call('GET', path, { token: stranger.token })
    expect([borrowed.status, borrowed.body.code]).toEqual([400, 'invalid_cursor'])
    const redriven = await world.call('POST', '/v1/job-redrives', {
      token: stranger.token,
      body: { type: idle, limit: 1000 },
    })
    expect(redriven.body).toEqual({ retried: 0 })
  })
})

describe.concurrent('in the own tenant', () => {
  test('a type that one may not read is not there either', async () => {
    const other = await world.idleType()
    const colleague = await world.person([`jobs.jobs.read:${other}`], owner.tenant)
    expect((await world.show(colleague, id)).body.code).toBe('job_not_found')
    expect((await world.call('GET', '/v1/jobs', colleague)).body.data).toEqual([])
    const seen = await world.submit(owner, { type: other })
    expect((await world.show(colleague, seen)).status).toBe(200)
    const list = await world.call('GET', '/v1/jobs', colleague)
    expect(list.body.data.map((job: { id: string }) => job.id)).toEqual([seen])
  })

  test('a caller who sees a job but may not change it gets 403', async () => {
    const viewer = await world.person(['jobs.jobs.read:*'], owner.tenant)
    for (const act of ['cancel', 'retry']) {
      const answer = await world.call('POST', `/v1/jobs/${id}/${act}`, { token: viewer.token })
      expect([answer.status, answer.body.code]).toEqual([403, 'permission_denied'])
    }
  })

  test('the submitter of a job sees and cancels it, for as long as they may submit', async () => {
    const member = await world.person([`jobs.jobs.submit:${idle}`], owner.tenant)
    const own = await world.submit(member, { type: idle })
    expect((await world.show(member, own)).status).toBe(200)
    expect((await world.show(member, id)).status).toBe(404)
    const list = await world.call('GET', '/v1/jobs', member)
    expect(list.body.data.map((job: { id: string }) => job.id)).toEqual([own])
    const retry = await world.call('POST', `/v1/jobs/${own}/retry`, { token: member.token })
    expect(retry.status).toBe(403)
    const cancel = await world.call('POST', `/v1/jobs/${own}/cancel`, { token: member.token })
    expect(cancel.body.state).toBe('cancelled')
    await world.query('delete from identity.role_assignments where account_id = $1', [member.id])
    expect((await world.show(member, own)).status).toBe(404)
  })
})
