/** What a provider's trouble becomes: retries within bounds, and failures that say what is known. */
import { Buffer } from 'node:buffer'
import { inspect } from 'node:util'
import type { Socket } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { openUpstream, problemCodeOf, UpstreamFailure } from '../upstream.ts'
import type { Upstream, UpstreamCall, UpstreamOptions } from '../upstream.ts'
import { openReceiver, openTcpReceiver, type Answering, type Receiver } from './receiver.ts'

const opened: { close(): unknown }[] = []
afterAll(async () => {
  for (const one of opened) await one.close()
})

async function receiver(answer: Answering): Promise<Receiver> {
  const server = await openReceiver(answer)
  opened.push(server)
  return server
}

async function tcp(serve: (socket: Socket) => void): Promise<Receiver> {
  const server = await openTcpReceiver(serve)
  opened.push(server)
  return server
}

/** Waits between attempts are drawn as zero unless a test says otherwise. */
function upstreamAt(server: Receiver, options: Partial<UpstreamOptions> = {}): Upstream {
  const base_url = `http://127.0.0.1:${server.port}/v1/`
  const upstream = openUpstream({ name: 'acme', base_url, random: () => 0, ...options })
  opened.push(upstream)
  return upstream
}

/** Answers one after another; the last one stays. */
function inTurn(...answers: Answering[]): Answering {
  let turn = 0
  return (response, request) => answers[Math.min(turn++, answers.length - 1)]?.(response, request)
}

const status =
  (code: number, headers: Record<string, string> = {}): Answering =>
  response =>
    response.writeHead(code, headers).end('said by acme')
const hangUp: Answering = response => response.socket?.destroy()
const silence: Answering = () => {}

const charge: UpstreamCall = {
  method: 'POST',
  path: '/charges?expand=1',
  body: '{"amount":100}',
  operation_id: 'op-1',
  idempotent: true,
  deadline_ms: 10_000,
}
const once: UpstreamCall = { ...charge, idempotent: false }

async function failureOf(call: Promise<unknown>): Promise<UpstreamFailure> {
  try {
    await call
  } catch (error) {
    if (error instanceof UpstreamFailure) return error
    throw error
  }
  throw new Error('it was expected to fail')
}

async function whole(body: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const piece of body) text += piece.toString()
  return text
}

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

  test('never follow a call that is not idempotent, or that wants none', async () => {
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
    const server = await receiver(silence)
    const upstream = upstreamAt(server, { connections: 1 })
    const first = failureOf(upstream.call({ ...once, deadline_ms: 300 }))
    await expect.poll(() => server.requests.length).toBe(1)
    const second = await failureOf(upstream.call({ ...once, deadline_ms: 50 }))
    expect([second.reason, second.ambiguous]).toEqual(['timeout', false])
    expect((await first).ambiguous).toBe(true)
    expect(server.requests).toHaveLength(1)
  })

  test('are invalid when the answer is no HTTP, breaks off or is too long', async () => {
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
    const upstream = upstreamAt(server, { circuit: { least_calls: 2, open_ms: 50 } })
    await failureOf(upstream.call(once))
    await failureOf(upstream.call(once))
    expect((await failureOf(upstream.call(once))).reason).toBe('circuit_open')
    await expect.poll(() => upstream.circuit()).toBe('half_open')
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

describe('streams', () => {
  const generation: UpstreamCall = { ...once, path: '/generations' }

  test('are handed over piece by piece', async () => {
    const next = Promise.withResolvers<() => void>()
    const server = await receiver(response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
      next.resolve(() => response.end('data: 2\n\n'))
    })
    const { status: code, headers, body } = await upstreamAt(server).stream(generation)
    expect([code, headers['content-type']]).toEqual([200, 'text/event-stream'])
    const pieces: string[] = []
    for await (const piece of body) {
      // The second is only sent when the first has been seen.
      pieces.push(piece.toString())
      ;(await next.promise)()
    }
    expect(pieces).toEqual(['data: 1\n\n', 'data: 2\n\n'])
  })

  test('are tried again before their first byte, never after it', async () => {
    const half: Answering = response => {
      response.write('data: 1\n\n', () => response.socket?.destroy())
    }
    const server = await receiver(inTurn(status(503), half))
    const { body } = await upstreamAt(server).stream({ ...generation, idempotent: true })
    const reading = whole(body)
    expect(await failureOf(reading)).toMatchObject({ reason: 'invalid_response', ambiguous: true })
    expect(server.requests).toHaveLength(2)
  })

  test('end the connection when they are left or aborted', async () => {
    for (const leave of ['break', 'abort'] as const) {
      const closed = Promise.withResolvers<true>()
      const server = await receiver(response => {
        response.on('close', () => closed.resolve(true))
        response.write('data: 1\n\n')
      })
      const stream = await upstreamAt(server).stream(generation)
      if (leave === 'abort') stream.abort()
      else for await (const piece of stream.body) if (piece.length > 0) break
      expect(await closed.promise).toBe(true)
    }
  })

  test('end with the caller, with silence and with the deadline', async () => {
    const server = await receiver(response => response.write('data: 1\n\n'))
    const upstream = upstreamAt(server)
    const stop = new AbortController()
    const { body } = await upstream.stream({ ...generation, signal: stop.signal })
    stop.abort()
    expect((await failureOf(whole(body))).reason).toBe('aborted')
    const quiet = await upstream.stream({ ...generation, idle_timeout_ms: 50 })
    expect((await failureOf(whole(quiet.body))).reason).toBe('timeout')
    const late = await upstream.stream({ ...generation, deadline_ms: 100 })
    expect((await failureOf(whole(late.body))).reason).toBe('timeout')
  })

  test('do not outrun their reader', async () => {
    let written = 0
    const server = await receiver(response => {
      const chunk = Buffer.alloc(64 * 1024)
      const more = () => {
        while (written < 256 * 1024 * 1024) {
          written += chunk.length
          if (!response.write(chunk)) return void response.once('drain', more)
        }
        response.end()
      }
      more()
    })
    const { body, abort } = await upstreamAt(server).stream(generation)
    const reader = body[Symbol.asyncIterator]()
    await reader.next()
    // The server stops by itself, far from the end, because nobody reads on.
    let seen = -1
    await expect
      .poll(
        () => {
          const still = written === seen
          seen = written
          return still
        },
        { interval: 100 },
      )
      .toBe(true)
    expect(written).toBeLessThan(64 * 1024 * 1024)
    abort()
  })
})
