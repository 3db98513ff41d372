/**
 * Event streams: one terminal event, real statuses before the first byte, no work for a reader that
 * has disconnected.
 */
import { connect, type Socket } from 'node:net'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, newKey, openWorld, type World } from '../../../../test/world.ts'
import { writeEvents, type SseEvent, type SseOptions } from '../streams/sse.ts'

let world: World
let admin: pg.Client
beforeAll(async () => {
  world = await openWorld({ KERNEL_SSE_HEARTBEAT_SECONDS: '1', KERNEL_SSE_STALL_SECONDS: '2' })
  admin = new pg.Client({ connectionString: world.database_url })
  await admin.connect()
})
afterAll(async () => {
  await admin.end()
  await world.close()
})

function stream(body: Record<string, unknown>, signal?: AbortSignal) {
  const { token } = world.person()
  return world.call('POST', '/v1/relay/words:stream', {
    token,
    body,
    ...(signal ? { signal } : {}),
  })
}

function parse(text: string): EventSourceMessage[] {
  const events: EventSourceMessage[] = []
  const parser = createParser({ onEvent: event => events.push(event) })
  parser.feed(text)
  return events
}

describe('a stream', () => {
  test('is read by an independent parser, with ids, and ends with its terminal event', async () => {
    const answer = await stream({ text: 'one two three' })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-cache')
    expect(answer.headers.get('x-accel-buffering')).toBe('no')
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    const events = parse(answer.text)
    expect(events.map(event => event.event)).toEqual(['word', 'word', 'word', 'completed'])
    expect(events.map(event => event.id)).toEqual(['1', '2', '3', '4'])
  })

  test('fails with a status as long as no byte was sent', async () => {
    const answer = await stream({ text: 'x', fault: 'before' })
    expect([answer.status, answer.body.code]).toEqual([503, 'service_unavailable'])
  })

  test('fails with one error event afterwards, without the cause', async () => {
    const events = parse((await stream({ text: 'x y', fault: 'after' })).text)
    expect(events.map(event => [event.event, event.data])).toEqual([
      ['word', '{"text":"x"}'],
      ['error', '{"code":"internal_error"}'],
    ])
  })

  test('that falls silent is ended, and heartbeats do not hide it', async () => {
    const answer = await stream({ text: 'x y', fault: 'silent' })
    expect(answer.text).toContain(': heartbeat')
    expect(parse(answer.text).at(-1)?.data).toBe('{"code":"upstream_timeout"}')
  })
})

describe('a route that answers by JSON or by events', () => {
  let token: string
  beforeAll(() => {
    token = world.person().token
  })
  const say = (body: Record<string, unknown>, key = newKey(), accept = '*/*') =>
    world.call('POST', '/v1/relay/sayings', { token, key, body, headers: { accept } })

  test('is decided by the body, and a retry gets the same kind again', async () => {
    const [plain, streamed] = [newKey(), newKey()]
    const whole = await say({ text: 'all' }, plain)
    expect([whole.status, whole.body.text]).toEqual([200, 'all'])
    const again = await say({ text: 'all' }, plain)
    expect([again.status, again.body]).toEqual([200, whole.body])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const events = parse((await say({ text: 'part', stream: true }, streamed)).text)
    expect(events.map(event => event.event)).toEqual(['word', 'completed'])
    const replayed = await say({ text: 'part', stream: true }, streamed)
    expect(parse(replayed.text).map(event => event.event)).toEqual(['word', 'completed'])
    expect(replayed.headers.get('idempotent-replayed')).toBe('true')
    expect((await say({ text: 'part' }, streamed)).body.code).toBe('idempotency_key_reused')
  })

  test('refuses an Accept header that allows only the other kind', async () => {
    const json = await say({ text: 'x', stream: true }, newKey(), 'application/json')
    expect([json.status, json.body.code]).toEqual([406, 'not_acceptable'])
    const events = await say({ text: 'x' }, newKey(), 'text/event-stream')
    expect([events.status, events.body.code]).toEqual([406, 'not_acceptable'])
    expect((await say({ text: 'x' }, newKey(), 'application/json')).status).toBe(200)
  })

  test('keeps the lease of an operation that lasts longer, and silent work is no stall', async () => {
    const key = newKey()
    const running = say({ text: 'slowly', stream: true }, key)
    await wait(1500)
    const second = await say({ text: 'slowly', stream: true }, key)
    expect([second.status, second.body.code]).toEqual([409, 'idempotency_in_progress'])
    expect(parse((await running).text).map(event => event.event)).toEqual(['word', 'completed'])
  })

  test('writes the ending of the kernel in its own form', async () => {
    const events = parse((await say({ text: 'for ever', stream: true })).text)
    expect(events.map(event => event.event)).toEqual(['word', 'broken'])
    expect(events[1]?.id).toBe('last')
    expect(JSON.parse(events[1]?.data ?? '')).toEqual({
      code: 'upstream_timeout',
      operation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  test('ends a call without a key when its caller leaves', async () => {
    const leaving = new AbortController()
    const text = `for ever ${newKey()}`
    const left = world
      .call('POST', '/v1/relay/sayings', { token, body: { text }, signal: leaving.signal })
      .catch((error: unknown) => error)
    const state = async () => {
      const { rows } = await admin.query('select state from relay.messages where text = $1', [text])
      return rows[0]?.state
    }
    await eventually('it is called', async () => (await state()) === 'pending')
    leaving.abort()
    expect(await left).toBeInstanceOf(Error)
    await eventually('the call has ended', async () => (await state()) === 'refused')
  })
})

describe('the writer', () => {
  test('ends the upstream when the reader goes', async () => {
    const upstream = new AbortController()
    async function* waiting(): AsyncGenerator<SseEvent> {
      yield { event: 'word', data: 'first' }
      await new Promise((_, reject) => upstream.signal.addEventListener('abort', reject))
    }
    const served = await serve(waiting(), {}, () => upstream.abort())
    await once(served.socket, 'data')
    served.socket.destroy()
    await served.ended
    expect(served.aborted()).toBe('gone')
    served.close()
  })

  test('holds a reader that does not read to flat memory, and tells it so when it reads again', async () => {
    const source = flood()
    // For this long, too, the reader may take what is written: a busy machine stands still.
    const served = await serve(source.events, { stall_ms: 5000 })
    served.socket.pause()
    await served.ended
    await eventually('the upstream was ended', source.returned)
    // What two socket buffers hold, not what seconds of flood would be.
    expect(source.produced() * 64).toBeLessThan(32 * 1024)
    expect(served.aborted()).toBe('slow_consumer')
    let text = ''
    served.socket.on('data', part => (text = (text + String(part)).slice(-200)))
    served.socket.resume()
    await eventually('the last event came', () => text.includes('event: error'))
    expect(text).toContain('data: {"code":"slow_consumer"}')
    served.close()
  })

  test('ends the stream of a reader that never reads again', async () => {
    const served = await serve(flood().events, { stall_ms: 200 })
    served.socket.pause()
    await served.ended
    expect(await eventually('the connection was closed', served.closed)).toBe(true)
    served.close()
  })

  test('takes the silence of what is watched for nothing else, and opens it at once', async () => {
    const happens = Promise.withResolvers<null>()
    async function* quiet(): AsyncGenerator<SseEvent> {
      await happens.promise
      yield { event: 'job.done', data: {}, terminal: true }
    }
    const served = await serve(quiet(), { stall_ms: 50, heartbeat_ms: 20, may_be_quiet: true })
    let text = ''
    served.socket.on('data', part => (text += String(part)))
    await eventually('it is open', () => text.startsWith('HTTP/1.1 200'))
    await eventually('silence lasted', () => text.split(': heartbeat').length > 5)
    expect(text).not.toContain('event:')
    happens.resolve(null)
    await eventually('it has ended', () => text.includes('event: job.done'))
    served.close()
  })
})

describe('a reader whose credential has ended', () => {
  /** Gives events; before the second one the process stands still for longer than between checks. */
  async function* standingStill(): AsyncGenerator<SseEvent> {
    yield { event: 'chunk', data: 'before' }
    const until = performance.now() + 1200
    while (performance.now() < until);
    yield { event: 'chunk', data: 'after' }
  }
  const read = async (stands: () => boolean | Promise<boolean>) => {
    const { socket, ended, close } = await serve(standingStill(), { stands })
    let text = ''
    socket.on('data', part => (text += String(part)))
    await ended
    await once(socket, 'end')
    close()
    return text
  }

  test('gets no event after the process stood still', async () => {
    const text = await read(() => false)
    expect(text).toContain('before')
    expect(text).not.toContain('after')
    expect(text).toContain('invalid_token')
  })

  test('gets the next event once a check that failed has succeeded', async () => {
    let checks = 0
    const text = await read(async () => {
      if (++checks === 1) throw new Error('the database restarts')
      return true
    })
    expect(text).toContain('after')
    expect(checks).toBeGreaterThan(1)
  })
})

function flood() {
  let produced = 0
  let returned = false
  async function* events(): AsyncGenerator<SseEvent> {
    try {
      for (;;) {
        produced++
        yield { event: 'chunk', data: 'x'.repeat(64 * 1024) }
      }
    } finally {
      returned = true
    }
  }
  return { events: events(), produced: () => produced, returned: () => returned }
}

/** One response that writes these events, and a socket that requested it. */
async function serve(
  events: AsyncIterable<SseEvent>,
  options: Partial<SseOptions> = {},
  abort: () => void = () => {},
) {
  let aborted = ''
  let closed = false
  const ended = Promise.withResolvers<unknown>()
  const server = createServer((_request, response) => {
    response.once('close', () => (closed = true))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    void writeEvents(response, events, {
      heartbeat_ms: 60_000,
      stall_ms: 60_000,
      stopping: new AbortController().signal,
      abort: reason => {
        aborted = reason
        abort()
      },
      ...options,
    }).then(ended.resolve)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const socket: Socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  const close = () => {
    socket.destroy()
    server.close()
  }
  return { socket, ended: ended.promise, aborted: () => aborted, closed: () => closed, close }
}
