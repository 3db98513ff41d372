/** Retries and the circuit: persistence that stays within bounds. */
import { describe, expect, test } from 'vitest'
import {
  charge,
  failureOf,
  hangUp,
  inTurn,
  once,
  receiver,
  status,
  upstreamAt,
} from './provider.ts'
import type { Answering } from './receiver.ts'

describe('retries', () => {
  test('carry the same key and body until one succeeds', async () => {
    const server = await receiver(inTurn(status(503), hangUp, status(200)))
    const answer = await upstreamAt(server).call({ ...charge, headers: { 'x-a': 'b' } })
    expect([answer.kind, answer.status, answer.body.toString()]).toEqual([
      'response',
      200,
      'said by acme',
    ])
    expect(server.requests).toHaveLength(3)
    for (const request of server.requests) {
      expect(request).toMatchObject({
        method: 'POST',
        url: '/v1/charges?expand=1',
        body: '{"amount":100}',
        headers: { 'idempotency-key': 'op-1', 'x-a': 'b' },
      })
    }
  })

  test.each([408, 429, 502, 503, 504])('follow a %i twice, and no more', async code => {
    const server = await receiver(status(code))
    const failure = await failureOf(upstreamAt(server).call(charge))
    expect([failure.status, failure.attempts, server.requests.length]).toEqual([code, 3, 3])
  })

  test.each([500, 501, 505])('do not follow a %i', async code => {
    const server = await receiver(status(code))
    const failure = await failureOf(upstreamAt(server).call(charge))
    expect([failure.reason, failure.attempts]).toEqual(['unavailable', 1])
    expect(server.requests).toHaveLength(1)
  })

  test.each([200, 302, 400, 401, 402, 404, 409, 422])('leave a %i to the caller', async code => {
    const server = await receiver(status(code, { location: '/elsewhere' }))
    expect(await upstreamAt(server).call(charge)).toMatchObject({ status: code })
    expect(server.requests).toHaveLength(1)
  })

  test('never follow a call that is not idempotent, or that allows none', async () => {
    const server = await receiver(status(503))
    expect((await failureOf(upstreamAt(server).call(once))).attempts).toBe(1)
    expect((await failureOf(upstreamAt(server).call({ ...charge, retries: 0 }))).attempts).toBe(1)
    expect(server.requests).toHaveLength(2)
  })

  test('do not follow when the provider asks for more time than is left', async () => {
    const server = await receiver(status(503, { 'retry-after': '11' }))
    const failure = await failureOf(upstreamAt(server).call(charge))
    expect([failure.attempts, failure.retry_after_seconds]).toEqual([1, 11])
    const dated = await receiver(
      status(429, {
        date: 'Sun, 06 Nov 2033 08:49:37 GMT',
        'retry-after': 'Sun, 06 Nov 2033 08:50:07 GMT',
      }),
    )
    const later = await failureOf(upstreamAt(dated).call(charge))
    expect([later.attempts, later.retry_after_seconds]).toEqual([1, 30])
    const patient = { ...charge, deadline_ms: 86_400_000 }
    const hourly = await receiver(status(503, { 'retry-after': '3600' }))
    expect((await failureOf(upstreamAt(hourly).call(patient))).attempts).toBe(1)
  })

  test('do not follow when the drawn wait outlasts the deadline', async () => {
    const server = await receiver(status(503))
    const upstream = upstreamAt(server, { random: () => 0.999 })
    const failure = await failureOf(upstream.call({ ...charge, deadline_ms: 190 }))
    expect([failure.attempts, server.requests.length]).toEqual([1, 1])
  })

  test('are ten for many failing calls, so that trouble is not multiplied', async () => {
    const server = await receiver(status(503))
    const upstream = upstreamAt(server, { circuit: { least_calls: 1000 } })
    for (let calls = 0; calls < 12; calls++) await failureOf(upstream.call(charge))
    expect(server.requests).toHaveLength(12 + 10)
    expect(upstream.takeRetry()).toBe(false)
  })

  test('of an SDK come out of the same budget', async () => {
    const server = await receiver(status(200))
    const upstream = upstreamAt(server)
    const taken = Array.from({ length: 20 }, () => upstream.takeRetry())
    expect(taken.filter(Boolean)).toHaveLength(10)
  })
})

describe('the circuit', () => {
  test('opens after twenty failures and keeps calls away', async () => {
    const server = await receiver(status(500))
    const upstream = upstreamAt(server)
    for (let calls = 0; calls < 20; calls++) await failureOf(upstream.call(once))
    expect(await failureOf(upstream.call(once))).toMatchObject({
      reason: 'circuit_open',
      ambiguous: false,
      attempts: 0,
    })
    expect(server.requests).toHaveLength(20)
    expect([upstream.circuit(), upstream.takeRetry()]).toEqual(['open', false])
  })

  test('lets one probe through, and all when it succeeds', async () => {
    const probe = Promise.withResolvers<() => void>()
    const held: Answering = response => probe.resolve(() => response.end('well again'))
    const server = await receiver(inTurn(status(500), status(500), held, status(200)))
    const upstream = upstreamAt(server, { circuit: { least_calls: 2, open_ms: 500 } })
    await failureOf(upstream.call(once))
    await failureOf(upstream.call(once))
    expect((await failureOf(upstream.call(once))).reason).toBe('circuit_open')
    await expect.poll(() => upstream.circuit(), { timeout: 10_000 }).toBe('half_open')
    const probing = upstream.call(once)
    const answer = await probe.promise
    expect((await failureOf(upstream.call(once))).reason).toBe('circuit_open')
    answer()
    expect((await probing).body.toString()).toBe('well again')
    expect((await upstream.call(once)).status).toBe(200)
    expect(server.requests).toHaveLength(4)
  })

  test('hears of timeouts and connections, not of refusals and aborts', async () => {
    const server = await receiver(inTurn(status(404), status(404), hangUp, hangUp))
    const upstream = upstreamAt(server, { circuit: { failures_in_row: 2 } })
    await upstream.call(once)
    await upstream.call(once)
    const signal = AbortSignal.abort()
    await failureOf(upstream.call({ ...once, signal }))
    await failureOf(upstream.call({ ...once, signal }))
    expect(upstream.circuit()).toBe('closed')
    await failureOf(upstream.call(once))
    await failureOf(upstream.call(once))
    expect(upstream.circuit()).toBe('open')
  })

  test('that opens within a call ends it with what happened, not with itself', async () => {
    const server = await receiver(status(503))
    const upstream = upstreamAt(server, { circuit: { failures_in_row: 1 } })
    const failure = await failureOf(upstream.call(charge))
    expect([failure.reason, failure.attempts]).toEqual(['unavailable', 1])
    expect(server.requests).toHaveLength(1)
  })
})
