/** Bodies while they arrive: streams, `100-continue`, deadlines, and answers before the end of a body. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../../../../test/world.ts'
import { file_bytes_max } from '../../../../test/surfaces/notes/notes/digest-file.ts'
import { newId } from '../../ids.ts'

const sockets = new Set<Socket>()
let world: World
beforeAll(async () => {
  world = await openWorld({ KERNEL_BODY_SECONDS: '1' })
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await world.close()
})

async function writer() {
  const person = world.person()
  await world.grant(person, 'notes.notes.write:*')
  const { token } = person
  const { body } = await world.call('POST', '/v1/notes', { token, body: { title: 'x' } })
  return { token, path: `/v1/notes/${body.id}/file-digest` }
}

async function open(): Promise<{
  socket: Socket
  received: () => string
  ended: Promise<unknown>
}> {
  const { hostname, port } = new URL(world.url)
  const socket = connect(Number(port), hostname)
  sockets.add(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  let text = ''
  socket.on('data', part => (text += String(part)))
  const ended = new Promise(resolve => socket.once('end', resolve).once('close', resolve))
  return { socket, received: () => text, ended }
}

function head(method: string, path: string, headers: Record<string, string | number>): string {
  const lines = Object.entries({ host: 'x', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`
}

/** Sends a head and waits for the first answer. */
async function expectFirst(text: string) {
  const { socket, received, ended } = await open()
  socket.write(text)
  await once(socket, 'data')
  return { socket, received, ended, first: received() }
}

describe.concurrent('a stream', () => {
  test('reaches the handler while it arrives, of any media type', async () => {
    const { token, path } = await writer()
    const bytes = Buffer.alloc(file_bytes_max, 'ab')
    const answer = await fetch(world.url + path, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'image/png' },
      body: bytes,
    })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({
      size_bytes: file_bytes_max,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })
    const empty = await world.call('PUT', path, { token })
    expect(empty.body.size_bytes).toBe(0)
  })

  test('is refused by its length before a byte of it is read', async () => {
    const { token, path } = await writer()
    const headers = { authorization: `Bearer ${token}`, 'content-length': file_bytes_max + 1 }
    const { first, ended } = await expectFirst(head('PUT', path, headers))
    expect(first).toMatch(/^HTTP\/1.1 413/)
    expect(first.toLowerCase()).toContain('connection: close')
    await ended
  })

  test('is counted where it has no length, and the refusal is never lost', async () => {
    const { token, path } = await writer()
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
    for (let round = 0; round < 5; round++) {
      const { socket, received, ended } = await open()
      const authorization = `Bearer ${token}`
      socket.write(head('PUT', path, { authorization, 'transfer-encoding': 'chunked' }))
      // Twice the limit, and the client does not read before it has written everything.
      socket.pause()
      for (let sent = 0; sent < 2 * file_bytes_max; sent += 0x10000) socket.write(chunk)
      socket.write('0\r\n\r\n')
      await turn()
      socket.resume()
      await ended
      expect(received()).toMatch(/^HTTP\/1.1 413/)
      expect(received()).toContain('"code":"content_too_large"')
    }
  })

  test('that its client abandons is not a platform failure', async () => {
    const { token, path } = await writer()
    const { socket } = await expectFirst(
      head('PUT', path, {
        authorization: `Bearer ${token}`,
        'content-length': 100,
        expect: '100-continue',
      }),
    )
    socket.destroy()
    expect((await world.call('GET', '/healthz')).status).toBe(200)
  })
})

describe.concurrent('a client that expects 100-continue', () => {
  const expecting = (bytes: number, token?: string) => ({
    expect: '100-continue',
    'content-length': bytes,
    ...(token ? { authorization: `Bearer ${token}` } : {}),
  })

  test('gets the refusal of a stream first: 401, 403, 404, 413', async () => {
    const { token, path } = await writer()
    const absent = `/v1/notes/${newId()}/file-digest`
    const denied = world.person().token
    const statuses = []
    for (const [where, headers] of [
      [path, expecting(10)],
      [path, expecting(10, denied)],
      [absent, expecting(10, token)],
      [path, expecting(file_bytes_max + 1, token)],
      ['/v1/nowhere', expecting(10, token)],
    ] as const) {
      const { first, ended } = await expectFirst(head('PUT', where, headers))
      statuses.push(first.slice(9, 12))
      await ended
    }
    expect(statuses).toEqual(['401', '403', '404', '413', '404'])
  })

  test('gets 100 Continue once all checks have passed', async () => {
    const { token, path } = await writer()
    const { socket, first, received } = await expectFirst(head('PUT', path, expecting(3, token)))
    expect(first).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    socket.write('abc')
    await once(socket, 'data')
    expect(received()).toContain('HTTP/1.1 200')
    expect(received()).toContain('"size_bytes":3')
  })

  test('gets the refusal of JSON first, and 100 Continue otherwise', async () => {
    const { token } = await writer()
    const json = { 'content-type': 'application/json' }
    const refused = await expectFirst(head('POST', '/v1/notes', { ...json, ...expecting(13) }))
    expect(refused.first).toMatch(/^HTTP\/1.1 401/)
    const large = expecting(2_000_000, token)
    const larger = await expectFirst(head('POST', '/v1/notes', { ...json, ...large }))
    expect(larger.first).toMatch(/^HTTP\/1.1 413/)
    const asked = await expectFirst(head('POST', '/v1/notes', { ...json, ...expecting(13, token) }))
    expect(asked.first).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    asked.socket.write('{"title":"x"}')
    await once(asked.socket, 'data')
    expect(asked.received()).toContain('HTTP/1.1 201')
  })
})

describe.concurrent('a body that is late is 408 and the connection closes', () => {
  test.each([
    ['JSON', 'POST', () => '/v1/notes'],
    ['bytes', 'POST', () => '/v1/providers/vendor/webhooks'],
    ['a stream, by the time of its route', 'PUT', (path: string) => path],
  ] as const)('%s', async (_name, method, pathOf) => {
    const { token, path } = await writer()
    const { socket, received, ended } = await open()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    socket.write(head(method, pathOf(path), { ...headers, 'content-length': 1000 }))
    const drip = setInterval(() => socket.write(' '), 50)
    await ended
    clearInterval(drip)
    expect(received()).toMatch(/^HTTP\/1.1 408/)
    expect(received()).toContain('"code":"request_timeout"')
  })

  test('one that an answer did not wait for holds no connection either', async () => {
    const { socket, received, ended } = await open()
    const headers = { 'content-type': 'application/json', 'content-length': 1000 }
    socket.write(head('POST', '/v1/notes', headers))
    const drip = setInterval(() => socket.write(' '), 50)
    await ended
    clearInterval(drip)
    expect(received()).toMatch(/^HTTP\/1.1 401/)
  })
})
