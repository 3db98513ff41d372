/** Every phase has its own end, bodies are bounded, and connections are reused only where they belong. */
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

/** Sends one byte after another for as long as anybody listens. */
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

  test('never begins TLS, or speaks something else', async () => {
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

  test('speaks no HTTP, or too much of it', async () => {
    const garbage = to(await tcp(socket => socket.end('SSH-2.0-OpenSSH_9.2\r\n\r\n')))
    expect(await reasonOf(garbage.fetch(garbage.url))).toBe('invalid_response')
    const header = `x-a: ${'b'.repeat(100_000)}\r\n`
    const wordy = to(await tcp(socket => socket.end(`HTTP/1.1 200 OK\r\n${header}\r\n`)))
    expect(await reasonOf(wordy.fetch(wordy.url))).toBe('invalid_response')
  })

  test('nobody waits for any longer', async () => {
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

describe('a body', () => {
  const limit = { max_body_bytes: 1000 }
  const sized =
    (bytes: number): Answering =>
    response =>
      response.end(Buffer.alloc(bytes, 'x'))

  test('is given whole up to the limit and cut after it', async () => {
    const exact = to(await receiver(sized(1000)))
    const whole = await exact.fetch(exact.url, limit)
    expect([whole.body.length, whole.truncated]).toEqual([1000, false])
    const long = to(await receiver(sized(1001)))
    const cut = await long.fetch(long.url, limit)
    expect([cut.body.length, cut.truncated]).toEqual([1000, true])
  })

  test('without an end is cut, and the connection closed', async () => {
    const closed = Promise.withResolvers<true>()
    const server = await receiver(response => {
      const timer = setInterval(() => response.write(Buffer.alloc(500)), 1)
      response.on('close', () => {
        clearInterval(timer)
        closed.resolve(true)
      })
    })
    const { fetch, url } = to(server)
    const { body, truncated } = await fetch(url, limit)
    expect([body.length, truncated]).toEqual([1000, true])
    expect(await closed.promise).toBe(true)
  })

  test('may have to fit', async () => {
    const strict = { ...limit, over_limit: 'fail' } as const
    const said = to(await receiver(sized(1001)))
    expect(await reasonOf(said.fetch(said.url, strict))).toBe('too_large')
    const unsaid = to(
      await receiver(response => {
        response.write(Buffer.alloc(900))
        response.end(Buffer.alloc(900))
      }),
    )
    expect(await reasonOf(unsaid.fetch(unsaid.url, strict))).toBe('too_large')
    const fits = to(await receiver(sized(1000)))
    expect((await fits.fetch(fits.url, strict)).body).toHaveLength(1000)
  })

  test('is not unpacked, and may be empty', async () => {
    const packed = Buffer.from('1f8b080000000000000303000000000000000000', 'hex')
    const server = await receiver((response, { url }) => {
      if (url === '/none') response.writeHead(204).end()
      else response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed)
    })
    const { fetch, url } = to(server)
    expect((await fetch(url)).body).toEqual(packed)
    const none = await fetch(`${url}none`)
    expect([none.status, none.body.length]).toEqual([204, 0])
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, head.body.length]).toEqual([200, 0])
  })
})

describe('connections', () => {
  test('are kept for the same origin and address, and replaced when the other side closed', async () => {
    const server = await receiver(ok)
    const { fetch, url } = to(server)
    const first = await fetch(url)
    const second = await fetch(url)
    expect([first.timings.connect_ms > 0, second.timings.connect_ms]).toEqual([true, 0])
    expect(server.connections()).toBe(1)
    server.disconnect()
    const answers = await Promise.all([fetch(url), fetch(url), fetch(url)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(server.requests).toHaveLength(5)
  })

  test('are not shared by two names of one address', async () => {
    const server = await receiver(ok)
    world.dns.lay('second.test', ['127.0.0.1'])
    const { fetch, url } = to(server)
    await fetch(url)
    await fetch(url.replace('hooks', 'second'))
    expect(server.connections()).toBe(2)
    expect(server.requests.map(({ headers }) => headers.host)).toEqual([
      `hooks.test:${server.port}`,
      `second.test:${server.port}`,
    ])
  })

  test('go to the next address when one refuses', async () => {
    const server = await receiver(ok)
    world.dns.lay('two.test', ['127.0.0.2', '127.0.0.1'])
    const fetch = world.open({
      ports: [],
      allow: [`127.0.0.1:${server.port}`, `127.0.0.2:${server.port}`],
    })
    const answer = await fetch(`http://two.test:${server.port}/`)
    expect([answer.status, answer.address]).toEqual([200, '127.0.0.1'])
  })

  test('that are idle end with the client', async () => {
    const ended = Promise.withResolvers<true>()
    const server = await receiver(response => {
      response.socket?.once('close', () => ended.resolve(true))
      response.end('ok')
    })
    const { fetch, url } = to(server)
    await fetch(url)
    fetch.close()
    expect(await ended.promise).toBe(true)
  })
})
