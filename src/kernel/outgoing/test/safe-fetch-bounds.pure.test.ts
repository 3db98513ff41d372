/** A request arrives as it was given, and every phase of it has its own end. */
import { Buffer } from 'node:buffer'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openReceiver, openTcpReceiver, type Answering, type Receiver } from './receiver.ts'
import { failureOf, openSafeWorld, reasonOf, type SafeWorld } from './safe-world.ts'

const ok: Answering = response => response.end('ok')

let world: SafeWorld
beforeAll(async () => {
  world = await openSafeWorld()
  world.dns.lay('hooks.test', ['127.0.0.1'])
})
afterAll(() => world.close())

async function receiver(answer: Answering): Promise<Receiver> {
  return world.keep(await openReceiver(answer))
}

async function tcp(serve: (socket: Socket) => void): Promise<Receiver> {
  return world.keep(await openTcpReceiver(serve))
}

function to(server: Receiver, scheme = 'http') {
  return { fetch: world.client([server]), url: `${scheme}://hooks.test:${server.port}/` }
}

/** Sends one byte after another until the client disconnects. */
function drip(socket: Socket, text: string): void {
  let at = 0
  const timer = setInterval(() => socket.write(text[at++ % text.length] ?? ''), 5)
  socket.on('close', () => clearInterval(timer))
}

describe('a request', () => {
  test('arrives as it was given, and tells what its phases took', async () => {
    const server = await receiver((response, { body }) => {
      response.writeHead(201, { 'x-a': 'b' }).end(`got ${body.length}`)
    })
    const { fetch, url } = to(server)
    const headers = { 'Content-Type': 'application/json', 'webhook-id': 'e1' }
    const body = Buffer.from('{"a":"é"}')
    const answer = await fetch(`${url}in?a=1#part`, { method: 'POST', headers, body })
    expect(answer).toMatchObject({ status: 201, truncated: false, address: '127.0.0.1' })
    expect([answer.headers['x-a'], answer.body.toString()]).toEqual(['b', 'got 9'])
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        url: '/in?a=1',
        body: '{"a":"é"}',
        headers: {
          host: `hooks.test:${server.port}`,
          'content-type': 'application/json',
          'content-length': '10',
          'webhook-id': 'e1',
        },
      },
    ])
    const { total_ms, ...phases } = answer.timings
    const spent = Object.values(phases).reduce((sum, ms) => sum + ms, 0)
    expect(spent).toBeGreaterThan(0)
    expect(spent).toBeLessThanOrEqual(total_ms + 1)
  })

  test('cannot name another host or smuggle a header', async () => {
    const server = await receiver(ok)
    const { fetch, url } = to(server)
    for (const headers of [
      { Host: 'other.test' },
      { 'x-a': 'b\r\nx-c: d' },
      { 'bad name': 'x' },
      { 'transfer-encoding': 'chunked' },
      { 'content-length': '99' },
    ]) {
      expect(await reasonOf(fetch(url, { method: 'POST', headers, body: 'x' }))).toBe(
        'invalid_request',
      )
    }
    expect(server.requests).toHaveLength(0)
  })
})

describe('an endpoint that', () => {
  test('refuses the connection', async () => {
    const server = await receiver(ok)
    const { fetch, url } = to(server)
    await server.close()
    const failure = await failureOf(fetch(url))
    expect([failure.reason, failure.phase, failure.address]).toEqual([
      'connect_failed',
      null,
      '127.0.0.1',
    ])
  })

  test('has no DNS that answers', async () => {
    const server = await receiver(ok)
    world.dns.lay('silent.test', 'silent')
    const fetch = world.client([server])
    const url = `http://silent.test:${server.port}/`
    expect(await reasonOf(fetch(url, { dns_timeout_ms: 50 }))).toBe('timeout dns')
    expect(await reasonOf(fetch(url, { deadline_ms: 50 }))).toBe('timeout total')
    expect(server.connections()).toBe(0)
  })

  test('never begins TLS, or uses another protocol', async () => {
    const silent = to(await tcp(() => {}), 'https')
    expect(await reasonOf(silent.fetch(silent.url, { tls_timeout_ms: 50 }))).toBe('timeout tls')
    const plain = to(await tcp(socket => socket.end('220 ready\r\n')), 'https')
    expect(await reasonOf(plain.fetch(plain.url))).toBe('tls_failed')
  })

  test('never reads', async () => {
    const { fetch, url } = to(await tcp(socket => socket.pause()))
    const request = { method: 'POST', body: Buffer.alloc(32 * 1024 * 1024), write_timeout_ms: 100 }
    expect(await reasonOf(fetch(url, request))).toBe('timeout write')
  })

  test('reads slowly, but reads', async () => {
    const server = await receiver((response, { body }) => response.end(String(body.length)))
    const { fetch, url } = to(server)
    const answer = await fetch(url, { method: 'POST', body: Buffer.alloc(8 * 1024 * 1024) })
    expect(answer.body.toString()).toBe(String(8 * 1024 * 1024))
  })

  test('never answers, or drips its headers', async () => {
    const silent = to(await tcp(socket => socket.resume()))
    const patience = { headers_timeout_ms: 100 }
    expect(await reasonOf(silent.fetch(silent.url, patience))).toBe('timeout first_byte')
    const slow = to(
      await tcp(socket => {
        socket.write('HTTP/1.1 200 OK\r\n')
        drip(socket, 'x-a: b\r\n')
      }),
    )
    expect(await reasonOf(slow.fetch(slow.url, patience))).toBe('timeout first_byte')
    expect(await reasonOf(slow.fetch(slow.url, { deadline_ms: 100 }))).toBe('timeout total')
  })

  test('drips its body', async () => {
    const server = await tcp(socket => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      drip(socket, 'x')
    })
    const { fetch, url } = to(server)
    expect(await reasonOf(fetch(url, { body_timeout_ms: 100 }))).toBe('timeout body')
    expect(await reasonOf(fetch(url, { deadline_ms: 100 }))).toBe('timeout total')
  })

  test('hangs up, before or within its answer', async () => {
    const mute = to(await tcp(socket => socket.once('data', () => socket.destroy())))
    expect(await reasonOf(mute.fetch(mute.url))).toBe('reset')
    const cut = to(
      await tcp(socket => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc')),
    )
    expect(await reasonOf(cut.fetch(cut.url))).toBe('reset')
  })

  test('sends invalid or too much HTTP', async () => {
    const garbage = to(await tcp(socket => socket.end('SSH-2.0-OpenSSH_9.2\r\n\r\n')))
    expect(await reasonOf(garbage.fetch(garbage.url))).toBe('invalid_response')
    const header = `x-a: ${'b'.repeat(100_000)}\r\n`
    const wordy = to(await tcp(socket => socket.end(`HTTP/1.1 200 OK\r\n${header}\r\n`)))
    expect(await reasonOf(wordy.fetch(wordy.url))).toBe('invalid_response')
  })

  test('the call ends at its limit', async () => {
    const server = await tcp(socket => socket.resume())
    const { fetch, url } = to(server)
    const stop = new AbortController()
    const call = reasonOf(fetch(url, { signal: stop.signal }))
    await expect.poll(() => server.connections()).toBe(1)
    stop.abort()
    expect(await call).toBe('aborted')
    expect(await reasonOf(fetch(url, { signal: stop.signal }))).toBe('aborted')
    expect(server.connections()).toBe(1)
  })
})
