/** Watching a job: everything that happens to it, in its order, once, and its end last. */
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { afterAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { eventually } from '../../../../../test/world.ts'
import { gate } from '../../attempts/test/toils.ts'
import { openAskingWorld } from '../../test/asking-world.ts'
import { workshop } from '../../test/worker.ts'

const world = await openAskingWorld({ JOBS_WATCH_MAX_PER_PRINCIPAL: '3' })
const brief = await openAskingWorld({ JOBS_WATCH_SECONDS: '1' })
afterAll(async () => {
  await world.check()
  await world.close()
  await brief.close()
})

type Seen = { event: string; id: number; data: Record<string, unknown> }

/** Reads a stream as a browser would; `all` ends with it. */
async function watch(
  who: { readonly token: string },
  id: string,
  headers: Record<string, string> = {},
  url = world.url,
) {
  const leave = new AbortController()
  const response = await fetch(`${url}/v1/jobs/${id}/events`, {
    headers: { authorization: `Bearer ${who.token}`, accept: 'text/event-stream', ...headers },
    signal: leave.signal,
  })
  const seen: Seen[] = []
  const parser = createParser({
    onEvent: ({ event = '', id: place, data }: EventSourceMessage) =>
      void seen.push({ event, id: Number(place), data: JSON.parse(data) }),
  })
  const all = (async () => {
    const decoder = new TextDecoder()
    for await (const part of response.body ?? [])
      parser.feed(decoder.decode(part, { stream: true }))
    return seen
  })()
  all.catch(() => {})
  return { response, seen, all, leave: () => leave.abort() }
}

const names = (seen: readonly Seen[]) => seen.map(one => one.event)

describe.concurrent('a watched job', () => {
  test('tells its states and its progress, and its end last', async () => {
    const { worker, owner, submit } = await workshop(world)
    const id = await submit()
    const { response, seen, all } = await watch(owner, id)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    await eventually('its first state', () => seen.length === 1)
    expect(seen[0]).toMatchObject({ event: 'job.state', id: 1, data: { id, state: 'pending' } })
    const claimed = await worker.take()
    await eventually('that it runs', () => seen.length === 2)
    for (const current of [1, 2, 3]) await worker.progress(claimed, { stage: 'rows', current })
    await eventually('its progress', () => seen.length === 5)
    await worker.finish(claimed, { result: { rows: 3 } })
    const everything = await all
    expect(names(everything)).toEqual([
      'job.state',
      'job.state',
      'job.progress',
      'job.progress',
      'job.progress',
      'job.done',
    ])
    expect(everything.map(one => one.id)).toEqual([1, 2, 3, 4, 5, 6])
    expect(everything[3]?.data).toMatchObject({ sequence: 4, stage: 'rows', current: 2 })
    const shown = await world.show(owner, id)
    expect(everything.at(-1)?.data).toEqual(shown.body)
  })

  test('is resumed behind the last event, wherever the reader was cut off', async () => {
    const { worker, owner, submit } = await workshop(world)
    const id = await submit()
    const first = await watch(owner, id)
    const claimed = await worker.take()
    await worker.progress(claimed, { stage: 'rows', current: 1 })
    await eventually('some events', () => first.seen.at(-1)?.id === 3)
    first.leave()
    await worker.progress(claimed, { stage: 'rows', current: 2 })
    await worker.progress(claimed, { stage: 'rows', current: 3, checkpoint: 3 })
    await worker.finish(claimed)
    for (let last = 1; last <= 7; last++) {
      const rest = await (await watch(owner, id, { 'last-event-id': String(last) })).all
      const places = [3, 4, 6].filter(place => place > last)
      expect(rest.map(one => one.id)).toEqual([...places, 7])
      expect(names(rest)).toEqual([...places.map(() => 'job.progress'), 'job.done'])
    }
    const ended = await (await watch(owner, id)).all
    expect(names(ended)).toEqual(['job.done'])
    const beyond = await (await watch(owner, id, { 'last-event-id': '999' })).all
    expect(names(beyond)).toEqual(['job.done'])
  })

  test('each event has a place of its own, and a state is not followed by what came before it', async () => {
    const { worker, owner, submit } = await workshop(world)
    const id = await submit()
    for (const current of [1, 2]) {
      const claimed = await worker.take()
      await worker.progress(claimed, { stage: 'rows', current })
      await worker.finish(claimed, { outcome: 'released' })
    }
    const claimed = await worker.take()
    for (const current of [3, 4]) await worker.progress(claimed, { stage: 'rows', current })
    const { seen, leave } = await watch(owner, id, { 'last-event-id': '1' })
    await eventually('all of it', () => seen.length >= 5)
    leave()
    expect(seen.map(one => [one.event, one.id])).toEqual([
      ['job.progress', 3],
      ['job.progress', 6],
      ['job.state', 8],
      ['job.progress', 9],
      ['job.progress', 10],
    ])
  })

  test('ends soon after its reader has lost the role that it is read with', async () => {
    const { worker, owner, submit } = await workshop(world)
    const id = await submit()
    const claimed = await worker.take()
    const reader = await world.person(['jobs.jobs.read:*'], owner.tenant)
    const mine = await watch(owner, id)
    const theirs = await watch(reader, id)
    await eventually('both watch', () => mine.seen.length + theirs.seen.length === 2)
    await world.query('delete from identity.role_assignments where account_id = $1', [reader.id])
    expect((await theirs.all).at(-1)).toMatchObject({
      event: 'error',
      data: { code: 'permission_denied' },
    })
    await worker.progress(claimed, { stage: 'rows', current: 1 })
    await eventually('who may read goes on', () => mine.seen.at(-1)?.event === 'job.progress')
    mine.leave()
  })

  test('ends soon after its reader is logged out, or the key that it came with is revoked', async () => {
    const { owner, submit } = await workshop(world)
    await world.give(owner, 'job_operator')
    const id = await submit()
    const { token } = owner
    const { permissions } = (await world.call('GET', '/v1/me', { token })).body
    const body = { name: 'reader', permissions }
    const key = (await world.call('POST', '/v1/api-keys', { token, body })).body
    const [mine, keyed] = await Promise.all([watch(owner, id), watch({ token: key.key }, id)])
    await eventually('both watch', () => mine.seen.length + keyed.seen.length === 2)

    await world.call('DELETE', `/v1/api-keys/${key.id}`, { token })
    expect((await keyed.all).at(-1)).toMatchObject({
      event: 'error',
      data: { code: 'invalid_token' },
    })
    expect(names(mine.seen)).toEqual(['job.state'])
    await world.call('DELETE', `/v1/sessions/${owner.session_id}`, { token })
    expect((await mine.all).at(-1)).toMatchObject({
      event: 'error',
      data: { code: 'invalid_token' },
    })
  })

  test('loses nothing and doubles nothing while a worker reports as fast as it can', async () => {
    const who = await world.person()
    const name = `watched-${newId()}`
    const parameters = { gate: name, steps: 60 }
    const id = await world.submit(who, { type: 'toil.any', parameters })
    const watching = await Promise.all([watch(who, id), watch(who, id)])
    gate(name).open()
    const streams = await Promise.all(watching.map(one => one.all))
    for (const seen of streams) {
      const places = seen.map(one => one.id)
      expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b))
      const steps = seen.filter(one => one.event === 'job.progress').map(one => one.data['current'])
      expect(new Set(steps).size).toBe(steps.length)
      expect(steps).toEqual(Array.from({ length: 60 }, (_, at) => at + 1).slice(-steps.length))
      expect(names(seen).filter(one => one === 'job.done')).toHaveLength(1)
      expect(seen.at(-1)?.event).toBe('job.done')
    }
  })

  test('that ends while no worker runs it sends that too', async () => {
    const { owner, submit } = await workshop(world)
    const id = await submit()
    const { all, seen } = await watch(owner, id)
    await eventually('its first state', () => seen.length === 1)
    await world.call('POST', `/v1/jobs/${id}/cancel`, { token: owner.token })
    expect((await all).at(-1)).toMatchObject({ event: 'job.done', data: { state: 'cancelled' } })
  })
})

describe.concurrent('who watches', () => {
  test('is refused with a status where the job is not theirs, or they have too many', async () => {
    const { owner, submit } = await workshop(world)
    const id = await submit()
    const stranger = await watch(await world.person(), id)
    expect(stranger.response.status).toBe(404)
    const open = await Promise.all([1, 2, 3].map(() => watch(owner, id)))
    expect(open.map(one => one.response.status)).toEqual([200, 200, 200])
    const fourth = await watch(owner, id)
    expect(fourth.response.status).toBe(429)
    for (const one of open) one.leave()
    await eventually('the places are free again', async () => {
      const again = await watch(owner, id)
      again.leave()
      return again.response.status === 200
    })
  })

  test('is let go after the longest time, and gets the place to continue', async () => {
    const who = await brief.person()
    const id = await brief.submit(who, { type: await brief.idleType() })
    const seen = await (await watch(who, id, {}, brief.url)).all
    // The ending has no place of its own: a reader resumes behind the last event.
    expect(seen.map(one => [one.event, one.id])).toEqual([
      ['job.state', 1],
      ['error', Number.NaN],
    ])
    expect(seen[1]?.data).toEqual({ code: 'watch_expired' })
  })

  test('gets JSON where they do not ask for a stream', async () => {
    const { worker, owner, submit } = await workshop(world)
    const id = await submit()
    await worker.finish(await worker.take())
    const ask = (accept?: string) =>
      world.call('GET', `/v1/jobs/${id}/events`, {
        token: owner.token,
        ...(accept ? { headers: { accept } } : {}),
      })
    for (const accept of [
      undefined,
      '*/*',
      'application/json',
      'application/json, text/event-stream;q=0.5',
    ]) {
      const { status, body } = await ask(accept)
      expect([status, body.data.length, body.has_more]).toEqual([200, 3, false])
    }
    expect((await ask('text/html')).status).toBe(406)
    const { body } = await ask()
    expect(body.data[0]).toEqual({
      id: expect.any(String),
      job_id: id,
      sequence: 1,
      type: 'submitted',
      data: expect.any(Object),
      occurred_at: expect.any(String),
    })
  })
})

describe.concurrent('looking back', () => {
  test('the history is read in pages, oldest first', async () => {
    const { worker, owner, submit } = await workshop(world)
    const id = await submit()
    for (let n = 0; n < 3; n++) await worker.finish(await worker.take(), { outcome: 'released' })
    const types: string[] = []
    let path = `/v1/jobs/${id}/events?limit=2`
    for (;;) {
      const { body } = await world.call('GET', path, { token: owner.token })
      types.push(...body.data.map((one: { type: string }) => one.type))
      if (!body.has_more) break
      path = `/v1/jobs/${id}/events?limit=2&cursor=${body.next_cursor}`
    }
    expect(types).toEqual([
      'submitted',
      ...Array.from({ length: 3 }, () => ['started', 'released']).flat(),
    ])
  })

  test('attempts are listed newest first, without their tokens', async () => {
    const { worker, owner, submit } = await workshop(world, { backoff: { base_ms: 1, cap_ms: 1 } })
    const id = await submit()
    const error = { code: 'not_now', retryable: true }
    await worker.finish(await worker.take(), { outcome: 'failed', error })
    await worker.finish(await worker.take())
    const { body } = await world.call('GET', `/v1/jobs/${id}/attempts`, { token: owner.token })
    expect(body.data.map((one: { attempt_no: number }) => one.attempt_no)).toEqual([2, 1])
    expect(body.data[1]).toEqual({
      id: expect.any(String),
      job_id: id,
      attempt_no: 1,
      worker_id: worker.id,
      state: 'failed',
      leased_until: expect.any(String),
      heartbeat_at: expect.any(String),
      started_at: expect.any(String),
      completed_at: expect.any(String),
      error_code: 'not_now',
    })
    const stranger = await world.person()
    for (const what of ['attempts', 'events']) {
      const foreign = await world.call('GET', `/v1/jobs/${id}/${what}`, { token: stranger.token })
      expect([foreign.status, foreign.body.code]).toEqual([404, 'job_not_found'])
    }
  })
})
