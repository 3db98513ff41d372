/**
 * What production refuses and requires: no helpers, no sandbox, guarded metrics, transport
 * security.
 */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from './world.ts'

let world: World
const metrics_key = randomBytes(32).toString('hex')
beforeAll(async () => {
  world = await openWorld({
    PROFILE: 'production',
    PUBLIC_URL: 'https://dodeca.test',
    KERNEL_DRAIN_SECONDS: '0',
    KERNEL_KEYRING: `k1:${randomBytes(32).toString('base64')}`,
    KERNEL_PEPPER: randomBytes(32).toString('base64'),
    KERNEL_METRICS_KEY: metrics_key,
  })
})
afterAll(() => world.close())

test('the development helpers do not exist', async () => {
  for (const path of ['/dev', '/dev/inbox', '/dev/events', '/dev/clock', '/dev/faults']) {
    const answer = await world.call('GET', path)
    expect([answer.status, answer.body.code], path).toEqual([404, 'not_found'])
  }
  const moved = await world.call('POST', '/dev/clock', { body: { offset_seconds: 3600 } })
  expect(moved.status).toBe(404)
})

test('metrics require the permission', async () => {
  const person = world.person()
  expect((await world.call('GET', '/metrics')).status).toBe(401)
  expect((await world.call('GET', '/metrics', { token: person.token })).status).toBe(403)
  await world.grant(person, 'kernel.metrics.read')
  const metrics = await world.call('GET', '/metrics', { token: person.token })
  expect(metrics.status).toBe(200)
  expect(metrics.text).toMatch(/http_server_request_duration_seconds_count\{.*route="\/metrics"/)
  expect(metrics.text).toContain('outbox_pending 0')
  expect(metrics.text).toMatch(/^process_resident_memory_bytes \d+/m)
  expect(metrics.text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
  expect(metrics.text).toMatch(/^db_pool_connections\{state="total"\} [1-9]/m)
  expect(metrics.text).toMatch(/^due_queue_rows\{queue="[a-z_.]+",state="due"\} 0$/m)
  // Route templates only: an id would be a label of its own for each.
  await world.call('GET', '/v1/notes/01890000-0000-7000-8000-000000000000', { token: person.token })
  const again = await world.call('GET', '/metrics', { token: person.token })
  expect(again.text).toContain('route="/v1/notes/{note_id}",status="404"')
  expect(again.text).not.toContain('01890000')
})

test('metrics are read with their key, which opens nothing else', async () => {
  const reads = await world.call('GET', '/metrics', { token: metrics_key })
  expect(reads.status).toBe(200)
  expect(reads.text).toContain('outbox_pending 0')
  const wrong = [metrics_key.slice(0, -1), `${metrics_key}0`, metrics_key.toUpperCase(), 'x']
  for (const token of wrong) {
    const { status, body } = await world.call('GET', '/metrics', { token })
    expect([status, body.code], token).toEqual([401, 'invalid_token'])
  }
  const elsewhere = await world.call('GET', '/v1/notes', { token: metrics_key })
  expect([elsewhere.status, elsewhere.body.code]).toEqual([401, 'invalid_token'])
})

test('browsers get a strict transport security header', async () => {
  const answer = await world.call('GET', '/healthz')
  expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000')
})
