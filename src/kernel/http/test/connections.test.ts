/**
 * Malformed or unfinished requests get a problem document and do not count as platform failures.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProcess } from '../../../../test/process.ts'
import { openWorld, type World } from '../../../../test/world.ts'
import { rawRequest } from './raw-request.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({})
})
afterAll(() => world.close())

test.each([
  ['a malformed request line', 'GARBAGE\r\n\r\n'],
  [
    'a malformed address',
    'GET /v1/notes/%E0%A4%A HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  ],
  [
    'an address too long',
    `GET /${'x'.repeat(9000)} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
  ],
  [
    'headers too large',
    `GET / HTTP/1.1\r\nhost: x\r\nx-a: ${'x'.repeat(20_000)}\r\nconnection: close\r\n\r\n`,
  ],
  ['no Host', 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n'],
])('%s is a problem document', async (_name, text) => {
  const raw = await rawRequest(world.url, text)
  expect(raw).toMatch(/^HTTP\/1.1 400/)
  expect(raw).toContain('application/problem+json')
  expect(raw).toContain('"code":"malformed_request"')
  expect(raw.toLowerCase()).toContain('x-request-id: ')
})

test("reads a proxy's form of an address as its path", async () => {
  const raw = await rawRequest(
    world.url,
    'GET http://elsewhere.test/v1/notes?limit=1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  )
  expect(raw).toMatch(/^HTTP\/1.1 401/)
  expect(raw).toContain('"instance":"/v1/notes"')
})

test('leaves an expectation alone that it does not know', async () => {
  const raw = await rawRequest(
    world.url,
    'GET / HTTP/1.1\r\nhost: x\r\nexpect: wonders\r\nconnection: close\r\n\r\n',
  )
  expect(raw).toMatch(/^HTTP\/1.1 200/)
})

test('who goes before the end of his body has made no failure', async () => {
  const person = world.person()
  await world.grant(person, 'notes.notes.write:*')
  const { url, output, kill } = await startProcess({ ...world.environment, LOG_LEVEL: 'warn' })
  const { hostname, port } = new URL(url)
  const caller = connect(Number(port), hostname)
  caller.write(
    `POST /v1/notes HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\nauthorization: Bearer ${person.token}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n`,
  )
  const [goOn] = (await once(caller, 'data')) as [Buffer]
  expect(String(goOn)).toMatch(/^HTTP\/1.1 100/)
  caller.write('{"title":')
  caller.destroy()
  // A process that stops has first ended every request.
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  await kill('SIGTERM')
  expect(output()).not.toContain('"level":50')
})

test('a connection that asks for nothing, or for half of something, is closed after its time', async () => {
  const { url, kill } = await startProcess({
    ...world.environment,
    KERNEL_HEADERS_SECONDS: '1',
    KERNEL_IDLE_SECONDS: '1',
  })
  const { hostname, port } = new URL(url)
  const ends = ['', 'GET / HTTP/1.1\r\nho', 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'].map(
    async text => {
      const socket = connect(Number(port), hostname)
      let received = ''
      socket.on('data', part => (received += String(part)))
      socket.write(text)
      await once(socket, 'end')
      return received
    },
  )
  const [silent, half, idle] = await Promise.all(ends)
  expect(silent).toMatch(/^HTTP\/1.1 408/)
  expect(half).toMatch(/^HTTP\/1.1 408/)
  expect(half).toContain('"code":"request_timeout"')
  expect(idle).toMatch(/^HTTP\/1.1 200/)
  await kill('SIGTERM')
})

test('no connection that asks for nothing, or sends half a body, holds a stop', async () => {
  const person = world.person()
  await world.grant(person, 'notes.notes.write:*')
  const { url, kill } = await startProcess({ ...world.environment, KERNEL_SHUTDOWN_SECONDS: '10' })
  const { hostname, port } = new URL(url)
  const body = `POST /v1/notes HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${person.token}\r\ncontent-type: application/json\r\nexpect: 100-continue\r\ncontent-length: 100\r\n\r\n`
  const opened = ['', 'GET / HTTP/1.1\r\nho', body].map(async text => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(text)
    // The body was requested, so the request has begun.
    if (text === body) await once(socket, 'data')
  })
  await Promise.all(opened)
  expect(await kill('SIGTERM')).toEqual({ code: 0, signal: null })
})
