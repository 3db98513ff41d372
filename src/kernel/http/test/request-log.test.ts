/** What an operator reads about requests, and what never stands there. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProcess } from '../../../../test/process.ts'
import { signReport } from '../../../../test/surfaces/relay/receive-report.ts'
import { call, eventually, openWorld, type World } from '../../../../test/world.ts'
import { newId } from '../../ids.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({})
})
afterAll(() => world.close())

async function linesOf(
  level: string,
  ask: (url: string) => Promise<unknown>,
  many: number,
  { slow_ms = '60000', message = 'request' } = {},
) {
  const process = await startProcess({
    ...world.environment,
    LOG_LEVEL: level,
    KERNEL_SLOW_REQUEST_MS: slow_ms,
  })
  try {
    await ask(process.url)
    const read = () =>
      process
        .output()
        .split('\n')
        .filter(line => line.startsWith('{') && line.includes(`"msg":"${message}"`))
    await eventually('the lines were written', () => read().length >= many)
    const lines = read().map(line => JSON.parse(line) as Record<string, unknown>)
    return { lines, output: process.output() }
  } finally {
    await process.kill()
  }
}

test('each request is a line at debug, without its secrets', async () => {
  const { token } = world.person()
  const { lines, output } = await linesOf(
    'debug',
    async url => {
      const body = { text: 'said-in-the-body' }
      await call(url, 'POST', '/v1/relay/sayings?secret=in-the-query', { token, body })
      await call(url, 'POST', '/v1/relay/sayings', { token, body })
      await call(url, 'GET', '/no/such/path-of-mine')
    },
    3,
  )
  const [refused, said, absent] = lines.filter(line => line['method'] !== 'HEAD')
  expect(refused).toMatchObject({ status: 422, error_code: 'unsupported_field' })
  expect(said).toMatchObject({ method: 'POST', route: '/v1/relay/sayings', status: 200, level: 20 })
  expect(said?.['principal_id']).toMatch(/^[0-9a-f-]{36}$/)
  expect(said?.['request_id']).toMatch(/^[0-9a-f-]{36}$/)
  expect(absent).toMatchObject({
    method: 'GET',
    route: null,
    status: 404,
    error_code: 'not_found',
  })
  for (const word of ['in-the-query', 'said-in-the-body', 'path-of-mine', token]) {
    expect(output).not.toContain(word)
  }
})

test('at info only what an operator looks for', async () => {
  const { token } = world.person()
  const { lines } = await linesOf(
    'info',
    async url => {
      await call(url, 'POST', '/v1/relay/sayings', { token, body: { text: 'x' } })
      await call(url, 'POST', '/v1/relay/sayings', { token: 'wrong', body: { text: 'x' } })
    },
    1,
  )
  expect(lines.map(line => [line['route'], line['status']])).toEqual([['/v1/relay/sayings', 401]])
})

test('a signed message that cannot be read is a line at warn, without its contents', async () => {
  const path = '/v1/providers/vendor_batches/webhooks'
  const { lines, output } = await linesOf(
    'warn',
    async url => {
      const body = JSON.stringify(['said-in-the-body\0'])
      const signature = signReport(body, newId(), world.platform.kernel.clock.nowSeconds())
      const headers = { ...signature, 'x-addressed-to': `http://dodeca.test${path}` }
      expect((await call(url, 'POST', path, { body, headers })).status).toBe(400)
    },
    1,
    { message: 'a message of a provider was refused' },
  )
  expect(lines).toMatchObject([{ provider: 'vendor_batches', error_code: 'envelope_invalid' }])
  expect(output).not.toContain('said-in-the-body')
})

test('a stream is never slow, because its reader determines how long it takes', async () => {
  const { token } = world.person()
  const { lines } = await linesOf(
    'info',
    async url => {
      await call(url, 'POST', '/v1/relay/words:stream', { token, body: { text: 'one two' } })
      await call(url, 'POST', '/v1/relay/sayings', { token, body: { text: 'x' } })
    },
    1,
    { slow_ms: '1', message: 'a slow request' },
  )
  const routes = lines.map(line => String(line['route'])).filter(route => route.startsWith('/v1'))
  expect(routes).toEqual(['/v1/relay/sayings'])
})
