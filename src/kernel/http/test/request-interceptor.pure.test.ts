/** What stands before the framework answers or passes on, and lets a stopping process go. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { openConnections } from '../connections.ts'
import { expect, onTestFinished, test } from 'vitest'
import { openLog } from '../../observability/log.ts'
import { serverBehind, type Front, type Handler } from '../request-interceptor.ts'

const framework: Handler = (request, response) => response.end(`framework ${request.url}`)

async function listen(fronts: readonly Front[], stopping = new AbortController()) {
  const limits = { http: { maxHeaderSize: 1024 }, keepAliveTimeout: 72_000, requestTimeout: 60_000 }
  const log = openLog({ level: 'silent', readable: false })
  const public_url = 'http://here.test'
  const connections = openConnections(public_url)
  const sockets = { paths: [], takes: () => false, upgrade: () => {} }
  const deps = { fronts, stopping: stopping.signal, public_url, log, connections, sockets }
  const server = serverBehind(deps)(framework, limits)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => server[Symbol.asyncDispose]())
  const { port } = server.address() as AddressInfo
  return { server, stopping, url: `http://127.0.0.1:${port}` }
}

const answerOn =
  (path: string, text: string): Front =>
  (request, response, pass) =>
    request.url === path ? void response.end(text) : pass(request, response)

test('the first that does not pass answers', async () => {
  const { url } = await listen([
    answerOn('/a', 'first'),
    answerOn('/a', 'second'),
    answerOn('/b', 'b'),
  ])
  const get = async (path: string) => (await fetch(url + path)).text()
  expect([await get('/a'), await get('/b'), await get('/c')]).toEqual([
    'first',
    'b',
    'framework /c',
  ])
})

test('may pass later', async () => {
  const { url } = await listen([
    (request, response, pass) => setImmediate(() => pass(request, response)),
  ])
  expect(await (await fetch(`${url}/late`)).text()).toBe('framework /late')
})

test('the limits of the framework hold', async () => {
  const { server, url } = await listen([answerOn('/a', 'front')])
  expect([server.keepAliveTimeout, server.requestTimeout]).toEqual([72_000, 60_000])
  const long = await fetch(`${url}/a`, { headers: { 'x-long': 'x'.repeat(2000) } })
  expect(long.status).toBe(431)
})

test('a connection is not kept alive by a process that stops', async () => {
  const { url, stopping } = await listen([answerOn('/a', 'front')])
  const connection = async () => (await fetch(`${url}/a`)).headers.get('connection')
  expect(await connection()).toBe('keep-alive')
  stopping.abort()
  expect(await connection()).toBe('close')
})
