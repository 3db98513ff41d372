/**
 * Every stream of the platform ends within about a second when its session or a right has ended,
 * and what is watched ends with its access token. A stream or a socket that is not named here fails.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { newId } from '#dodeca/kernel'
import { openInferenceWorld, type Someone } from '../src/surfaces/inference/test/inference-world.ts'
import { eventually, newKey } from './world.ts'

const world = await openInferenceWorld({ IDENTITY_ACCESS_TTL_SECONDS: '300' })
afterAll(() => world.close())
// Jobs wait, so that their streams have no end of their own.
beforeAll(async () => {
  const operator = await world.someone()
  await world.allow(operator, 'jobs.types.pause:*')
  await operator.ask('POST', '/v1/job-types/inference.run/pause', { reason: 'a test' })
})
afterEach(() => world.call('POST', '/dev/clock', { body: { offset_seconds: 0 } }))
const { platform } = world
const { administration } = world.identity

type Asked = { readonly method: string; readonly path: string; readonly body?: object }

async function waitingJob(one: Someone): Promise<Asked> {
  const body = { model: 'default', input: 'x' }
  const { body: job } = await one.ask('POST', '/v1/inference-jobs', body, { key: newKey() })
  return { method: 'GET', path: `/v1/jobs/${job.job_id}/events` }
}

const streamed = { model: 'default', stream: true } as const

/** An answer of a model that takes a minute. */
async function slow(path: string, more: (prompt: string) => object): Promise<Asked> {
  const prompt = `prompt ${newId()}`
  const match = { prompt_contains: prompt }
  await world.fault({ action: 'slow', ttft_ms: 0, delta_ms: 200, match, times: 9 })
  return { method: 'POST', path, body: more(prompt) }
}

const watched: Readonly<Record<string, (one: Someone) => Promise<Asked>>> = {
  'GET /v1/jobs/{job_id}/events': waitingJob,
  'GET /v1/inbox': () => Promise.resolve({ method: 'GET', path: '/v1/inbox' }),
  'GET /v1/webhook-events': async one => {
    await world.allow(one, 'webhooks.events.read:*')
    return { method: 'GET', path: '/v1/webhook-events' }
  },
}
const called: Readonly<Record<string, (one: Someone) => Promise<Asked>>> = {
  'POST /v1/inferences': () =>
    slow('/v1/inferences', input => ({ model: 'default', input, stream: true })),
  'POST /v1/inferences:stream': () =>
    slow('/v1/inferences:stream', input => ({ model: 'default', input })),
  'POST /v1/generations/stream': () => slow('/v1/generations/stream', prompt => ({ prompt })),
  'POST /v1/chat/completions': () =>
    slow('/v1/chat/completions', content => ({
      ...streamed,
      messages: [{ role: 'user', content }],
    })),
  'POST /v1/responses': () => slow('/v1/responses', input => ({ ...streamed, input })),
  'POST /v1/messages': () =>
    slow('/v1/messages', content => ({
      ...streamed,
      max_tokens: 500,
      messages: [{ role: 'user', content }],
    })),
}
/** Written by the same function of the kernel; without documents they end at once. */
const short = ['POST /v1/answers', 'POST /v1/answers:stream']

test('every stream and every socket is named here', () => {
  const streams = platform.routes
    .filter(one => one.watch ?? one.stream ?? one.streaming)
    .map(one => `${one.method} ${one.path}`)
  const named = [...Object.keys(watched), ...Object.keys(called), ...short]
  expect(streams.toSorted()).toEqual(named.toSorted())
  const sockets = Object.values(platform.opened).flatMap(one => one.sockets ?? [])
  expect(sockets.map(one => one.path)).toEqual(['/v1/realtime'])
})

/** Opens a stream; `end` is the text of its last event, once it has ended. */
async function open(one: Someone, { method, path, body }: Asked) {
  const response = await fetch(world.url + path, {
    method,
    headers: {
      authorization: `Bearer ${one.token}`,
      accept: 'text/event-stream',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  })
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ])
  const last = (text: string) => text.split('\n\n').findLast(one => one.includes('data: '))
  return { end: response.text().then(last) }
}

const who = ({ tenant, id }: Someone) => ({ tenant: tenant.slug, account: id })
const endings: Readonly<Record<string, (one: Someone) => Promise<unknown>>> = {
  'its session ended': one => one.ask('DELETE', `/v1/sessions/${one.session_id}`),
  'the account was disabled': one => administration.disableAccount(who(one), 'test'),
  'the tenant was disabled': one => administration.disableTenant(one.tenant.slug, 'test'),
}

describe.concurrent.for(Object.entries({ ...watched, ...called }))('%s', ([, begin]) => {
  test.for(Object.entries(endings))('ends when %s', async ([, lose]) => {
    const one = await world.someone()
    const { end } = await open(one, await begin(one))
    await lose(one)
    // The stream of the specification has one code for every failure. A tenant that is disabled also
    // takes the right away, and either may be seen first. Other APIs have the code in their `error`.
    expect(await end).toMatch(/\b(invalid_token|permission_denied|generation_failed)\b/)
  })
})

test.for(Object.entries(watched))('%s ends with its access token', async ([, begin]) => {
  const one = await world.someone()
  const { end } = await open(one, await begin(one))
  await world.call('POST', '/dev/clock', { body: { offset_seconds: 301 } })
  expect(await end).toContain('"code":"invalid_token"')
})

test.for(Object.entries(endings))('a socket of chat closes when %s', async ([, lose]) => {
  const one = await world.someone()
  const { body } = await one.ask('GET', '/v1/realtime-token')
  const url = `${world.url.replace('http', 'ws')}/v1/realtime`
  const socket = new WebSocket(url, ['realtime.v1', `token.${body.token}`])
  let closed = false
  socket.on('close', () => (closed = true))
  await eventually('it is open', () => socket.readyState === WebSocket.OPEN)
  await lose(one)
  expect(await eventually('it has closed', () => closed)).toBe(true)
})
