/** Event streams: one terminal event, real statuses before the first byte, nobody works for a reader who has gone. */
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, openWorld, type World } from '../../../../test/world.ts'
import { writeEvents, type SseEvent } from '../sse.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ KERNEL_SSE_HEARTBEAT_SECONDS: '1', KERNEL_SSE_STALL_SECONDS: '2' })
})
afterAll(() => world.close())

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

describe('the writer', () => {
  test('ends the upstream when the reader goes', async () => {
    const { createServer } = await import('node:http')
    const upstream = new AbortController()
    const ended = Promise.withResolvers<string>()
    async function* waiting(): AsyncGenerator<SseEvent> {
      yield { event: 'word', data: 'first' }
      await new Promise((_, reject) => upstream.signal.addEventListener('abort', reject))
    }
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      void writeEvents(response, waiting(), {
        heartbeat_ms: 60_000,
        stall_ms: 60_000,
        stopping: new AbortController().signal,
        abort: reason => {
          upstream.abort()
          ended.resolve(reason)
        },
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const socket: Socket = connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    await once(socket, 'data')
    socket.destroy()
    expect(await ended.promise).toBe('gone')
    server.close()
  })

  test('holds a reader that does not read to flat memory, and then lets go', async () => {
    let produced = 0
    let returned = false
    async function* flood(): AsyncGenerator<SseEvent> {
      try {
        for (;;) {
          produced++
          yield { event: 'chunk', data: 'x'.repeat(64 * 1024) }
        }
      } finally {
        returned = true
      }
    }
    const { createServer } = await import('node:http')
    let aborted = ''
    const ended = Promise.withResolvers<unknown>()
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      void writeEvents(response, flood(), {
        heartbeat_ms: 1000,
        stall_ms: 500,
        stopping: new AbortController().signal,
        abort: reason => (aborted = reason),
      }).then(ended.resolve)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const socket: Socket = connect(
      typeof address === 'object' && address ? address.port : 0,
      '127.0.0.1',
    )
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    socket.pause()
    await ended.promise
    await eventually('the upstream was ended', () => returned)
    // What two socket buffers hold, not what half a second of flood would be.
    expect(produced * 64).toBeLessThan(32 * 1024)
    expect(aborted).toBe('gone')
    socket.destroy()
    server.close()
  })
})
