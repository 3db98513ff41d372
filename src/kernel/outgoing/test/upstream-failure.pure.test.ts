/** What a failure says: certain or in doubt, in three codes, and nothing of what the provider said. */
import { Buffer } from 'node:buffer'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { problemCodeOf, UpstreamFailure } from '../upstream.ts'
import {
  charge,
  failureOf,
  hangUp,
  inTurn,
  once,
  receiver,
  silence,
  status,
  tcp,
  upstreamAt,
} from './provider.ts'

describe('failures', () => {
  test('tell what was never sent from what may have been done', async () => {
    const gone = await receiver(status(200))
    await gone.close()
    const refused = await failureOf(upstreamAt(gone).call(once))
    expect([refused.reason, refused.ambiguous]).toEqual(['connect', false])

    const reading = await receiver(hangUp)
    const reset = await failureOf(upstreamAt(reading).call(once))
    expect([reset.reason, reset.ambiguous, reading.requests.length]).toEqual(['connect', true, 1])

    const hanging = await receiver(silence)
    const late = await failureOf(upstreamAt(hanging, { attempt_timeout_ms: 50 }).call(once))
    expect([late.reason, late.ambiguous]).toEqual(['timeout', true])

    const limited = await failureOf(upstreamAt(await receiver(status(429))).call(once))
    expect([limited.reason, limited.ambiguous]).toEqual(['rate_limited', false])

    const failing = await failureOf(upstreamAt(await receiver(status(500))).call(once))
    expect([failing.reason, failing.ambiguous]).toEqual(['unavailable', true])
  })

  test('stay ambiguous when a later attempt was certainly without effect', async () => {
    const server = await receiver(inTurn(hangUp, status(429)))
    const failure = await failureOf(upstreamAt(server).call(charge))
    expect([failure.reason, failure.ambiguous, failure.attempts]).toEqual(['rate_limited', true, 3])
  })

  test('that waited for a connection were never sent, and are not sent later', async () => {
    const server = await receiver(inTurn(silence, status(200)))
    const upstream = upstreamAt(server, { connections: 1 })
    const first = failureOf(upstream.call({ ...once, body: 'first', deadline_ms: 1000 }))
    await expect.poll(() => server.requests.length).toBe(1)
    const second = await failureOf(upstream.call({ ...once, body: 'second', deadline_ms: 50 }))
    expect([second.reason, second.ambiguous]).toEqual(['timeout', false])
    const third = upstream.call({ ...once, body: 'third' })
    expect((await first).ambiguous).toBe(true)
    expect((await third).status).toBe(200)
    expect(server.requests.map(({ body }) => body)).toEqual(['first', 'third'])
  })

  test('are invalid when the response is not HTTP, breaks off or is too long', async () => {
    const garbage = upstreamAt(await tcp(socket => socket.end('<html>502</html>\r\n\r\n')))
    const cut = upstreamAt(
      await tcp(socket =>
        socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc')),
      ),
    )
    const long = upstreamAt(await receiver(response => response.end(Buffer.alloc(1001))), {
      max_body_bytes: 1000,
    })
    for (const upstream of [garbage, cut, long]) {
      const failure = await failureOf(upstream.call(once))
      expect([failure.reason, failure.ambiguous]).toEqual(['invalid_response', true])
    }
  })

  test('respect the caller: an abort ends the call, a deadline is a timeout', async () => {
    const server = await receiver(silence)
    const upstream = upstreamAt(server)
    const stop = new AbortController()
    const aborted = failureOf(upstream.call({ ...charge, signal: stop.signal }))
    await expect.poll(() => server.requests.length).toBe(1)
    stop.abort()
    expect(await aborted).toMatchObject({ reason: 'aborted', ambiguous: true, attempts: 1 })
    const signal = AbortSignal.timeout(50)
    expect(await failureOf(upstream.call({ ...charge, signal }))).toMatchObject({
      reason: 'timeout',
      attempts: 1,
    })
    expect(await failureOf(upstream.call({ ...charge, deadline_ms: 50 }))).toMatchObject({
      reason: 'timeout',
      attempts: 1,
    })
    expect(server.requests).toHaveLength(3)
  })

  test('become three codes, and keep what the provider said out of logs', async () => {
    const codes = {
      timeout: 'upstream_timeout',
      connect: 'upstream_timeout',
      rate_limited: 'service_unavailable',
      unavailable: 'service_unavailable',
      circuit_open: 'service_unavailable',
      aborted: 'service_unavailable',
      invalid_response: 'upstream_invalid_response',
    } as const
    for (const [reason, code] of Object.entries(codes)) {
      expect(problemCodeOf({ reason: reason as keyof typeof codes })).toBe(code)
    }
    const failure = await failureOf(upstreamAt(await receiver(status(503))).call(once))
    expect(failure.response?.body.toString()).toBe('said by acme')
    expect(JSON.stringify(failure) + inspect(failure)).not.toContain('said by')
  })

  test('of the caller are bugs, not failures of the provider', async () => {
    const server = await receiver(status(200))
    const upstream = upstreamAt(server, { circuit: { failures_in_row: 1 } })
    await expect(upstream.call({ ...charge, path: 'charges' })).rejects.toThrow('slash')
    const headers = { 'x-a': 'b\r\nx-c: d' }
    await expect(upstream.call({ ...charge, headers })).rejects.not.toBeInstanceOf(UpstreamFailure)
    expect(upstream.circuit()).toBe('closed')
    expect(server.requests).toHaveLength(0)
  })
})
