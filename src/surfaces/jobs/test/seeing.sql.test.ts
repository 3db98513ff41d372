/** Lists by every word for a state, why a job waits, and tags that change with all that is shown. */
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { newId } from '#dodeca/kernel'
import { gate } from '../attempts/test/toils.ts'
import { waitingReason, type WaitingFacts } from '../jobs/view-job.ts'
import { openAskingWorld } from './asking-world.ts'

const world = await openAskingWorld()
afterAll(() => world.close())

const idle = await world.idleType()
const toil = 'toil.any'

describe.concurrent('the list', () => {
  test('is found by every word for a state', async () => {
    const who = await world.person()
    const name = newId()
    const ids = {
      pending: await world.submit(who, { type: idle }),
      retryable: await world.submit(who, { type: 'toil.slow', parameters: { fails: 9 } }),
      running: await world.submit(who, { type: toil, parameters: { gate: name } }),
      succeeded: await world.submit(who, { type: toil }),
      failed: await world.submit(who, { type: toil, parameters: { fails: 9, final: true } }),
      cancelled: await world.submit(who, { type: idle }),
      expired: await world.submit(who, {
        type: idle,
        deadline_at: new Date(Date.now() + 25_000).toISOString(),
      }),
    }
    await world.call('POST', `/v1/jobs/${ids.cancelled}/cancel`, { token: who.token })
    for (const [state, id] of Object.entries(ids)) await world.reached(who, id, state)
    const list = async (query: string) => {
      const { body } = await world.call('GET', `/v1/jobs?limit=100${query}`, who)
      return body.data.map((job: { id: string }) => job.id)
    }
    for (const [state, id] of Object.entries(ids))
      expect(await list(`&state=${state}`)).toEqual([id])
    const { pending, retryable, running, ...terminal } = ids
    const newest = (some: Record<string, string>) => Object.values(some).sort().toReversed()
    expect(await list('')).toEqual(newest(ids))
    expect(await list('&state=queued')).toEqual(newest({ pending, retryable }))
    expect(await list('&state=terminal')).toEqual(newest(terminal))
    expect(await list(`&type=${idle}`)).toEqual(
      newest({ pending, cancelled: ids.cancelled, expired: ids.expired }),
    )
    expect(await list(`&type=${toil}&state=running`)).toEqual([running])
    const odd = await world.call('GET', '/v1/jobs?state=paused', who)
    expect([odd.status, odd.body.code]).toEqual([422, 'validation_failed'])
    gate(name).open()
  })

  test.each(['', '&state=queued', '&state=pending', '&state=cancelled', '&state=terminal'])(
    'pages without gap or repeat%s',
    async filter => {
      const who = await world.person()
      const ids: string[] = []
      for (let n = 0; n < 7; n++) ids.push(await world.submit(who, { type: idle }))
      if (/cancelled|terminal/.test(filter)) {
        for (const id of ids) {
          await world.call('POST', `/v1/jobs/${id}/cancel`, { token: who.token })
        }
      }
      const seen: string[] = []
      let next: string | null = `/v1/jobs?limit=3${filter}`
      while (next !== null) {
        const { body } = await world.call('GET', next, who)
        seen.push(...body.data.map((job: { id: string }) => job.id))
        next = body.has_more ? `/v1/jobs?limit=3${filter}&cursor=${body.next_cursor}` : null
      }
      expect(seen).toEqual(ids.toReversed())
    },
  )
})

describe.concurrent('why a job waits', () => {
  const waits = async (who: Parameters<typeof world.show>[0], id: string, reason: string) =>
    eventually(`it waits for ${reason}`, async () => {
      const { body } = await world.show(who, id)
      return body.waiting_reason === reason && body
    })

  test('its own time, a backoff, other jobs, a worker', async () => {
    const who = await world.person()
    const slow = await world.submit(who, { type: 'toil.slow', parameters: { fails: 9 } })
    const { next_attempt_at, error } = await waits(who, slow, 'backoff')
    expect(Date.parse(next_attempt_at)).toBeGreaterThan(Date.now())
    expect(error).toMatchObject({ code: 'toil_failed', retryable: true })
    await waits(who, await world.submit(who, { type: idle }), 'no_capable_worker')
  })

  test('a pause, and the share of its tenant', async () => {
    const who = await world.person()
    const names = [newId(), newId(), newId()]
    for (const name of names) {
      await world.submit(who, { type: 'toil.capped', parameters: { gate: name } })
    }
    await eventually('three run', () => names.every(name => gate(name).arrived.length === 1))
    const fourth = await world.submit(who, { type: 'toil.capped' })
    await waits(who, fourth, 'tenant_limit')
    const paused = { token: world.operator.token, body: { reason: 'a look at it' } }
    await world.call('POST', '/v1/job-types/toil.capped/pause', paused)
    await waits(who, fourth, 'type_paused')
    await world.call('POST', '/v1/job-types/toil.capped/resume', {
      token: world.operator.token,
    })
    await waits(who, fourth, 'tenant_limit')
    for (const name of names) gate(name).open()
    expect((await world.reached(who, fourth, 'succeeded')).waiting_reason).toBeNull()
  })

  test('is the first reason that holds', () => {
    const nothing: WaitingFacts = {
      queued: true,
      wake_at: null,
      backing_off: true,
      paused: false,
      steps_wait: false,
      capable: true,
      tenant_running: 0,
      tenant_limit: 10,
      type_running: 0,
      type_limit: null,
    }
    const all = { ...nothing, paused: true, capable: false, tenant_running: 10 }
    expect(waitingReason({ ...all, queued: false })).toBeNull()
    expect(waitingReason({ ...all, wake_at: 'infinity' })).toBe('dependencies')
    expect(waitingReason({ ...all, wake_at: '2030' })).toBe('backoff')
    expect(waitingReason({ ...all, wake_at: '2030', steps_wait: true })).toBe('step')
    expect(waitingReason({ ...all, wake_at: '2030', backing_off: false })).toBe('schedule')
    expect(waitingReason(all)).toBe('type_paused')
    expect(waitingReason({ ...all, paused: false })).toBe('no_capable_worker')
    expect(waitingReason({ ...all, paused: false, capable: true })).toBe('tenant_limit')
    expect(waitingReason({ ...nothing, type_running: 3, type_limit: 3 })).toBe('tenant_limit')
    expect(waitingReason(nothing)).toBe('fair_share')
  })
})

describe.concurrent('a tag', () => {
  test('answers 304 while nothing has changed, and no longer once the reason has', async () => {
    const who = await world.person()
    const type = await world.idleType()
    const id = await world.submit(who, { type })
    const look = (tag: string) =>
      world.call('GET', `/v1/jobs/${id}`, { token: who.token, headers: { 'if-none-match': tag } })
    const tag = (await world.show(who, id)).headers.get('etag') ?? ''
    const same = await look(tag)
    expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', tag])
    const paused = { token: world.operator.token, body: { reason: 'a look at it' } }
    await world.call('POST', `/v1/job-types/${type}/pause`, paused)
    const changed = await look(tag)
    expect([changed.status, changed.body.version]).toEqual([200, 1])
  })

  test('of an ended job is its version', async () => {
    const who = await world.person()
    const id = await world.submit(who, { type: toil })
    const { version } = await world.reached(who, id, 'succeeded')
    expect((await world.show(who, id)).headers.get('etag')).toBe(`"${version}"`)
  })
})
