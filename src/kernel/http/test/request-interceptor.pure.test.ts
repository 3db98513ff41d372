/** What stands before the pipeline answers or passes on, and lets a stopping process go. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { openConnections } from '../server/connections.ts'
import { expect, onTestFinished, test } from 'vitest'
import { openLog } from '../../observability/log.ts'
import { serverBehind, type Front, type Handler } from '../server/request-interceptor.ts'

const pipeline: Handler = (request, response) => response.end(`pipeline ${request.url}`)

async function listen(fronts: readonly Front[], stopping = new AbortController()) {
  const limits = { header_bytes: 1024, headers_ms: 60_000, request_ms: 60_000, idle_ms: 72_000 }
  const log = openLog({ level: 'silent', readable: false })
  const public_url = 'http://here.test'
  const connections = openConnections(public_url)
  const sockets = { paths: [], takes: () => false, upgrade: () => {} }
  const deps = { fronts, stopping: stopping.signal, public_url, log, connections, sockets, limits }
  const server = serverBehind(deps, pipeline)
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
  expect([await get('/a'), await get('/b'), await get('/c')]).toEqual(['first', 'b', 'pipeline /c'])
})

test('may pass later', async () => {
  const { url } = await listen([
    (request, response, pass) => setImmediate(() => pass(request, response)),
  ])
  expect(await (await fetch(`${url}/late`)).text()).toBe('pipeline /late')
})

test('the limits of the server hold', async () => {
  const { server, url } = await listen([answerOn('/a', 'front')])
  expect([server.keepAliveTimeout, server.requestTimeout]).toEqual([72_000, 60_000])
  const long = await fetch(`${url}/a`, { headers: { 'x-long': 'x'.repeat(2000) } })
  expect(await long.json()).toMatchObject({ status: 400, code: 'malformed_request' })
})

test('a connection is not kept alive by a process that stops', async () => {
  const { url, stopping } = await listen([answerOn('/a', 'front')])
  const connection = async () => (await fetch(`${url}/a`)).headers.get('connection')
  expect(await connection()).toBe('keep-alive')
  stopping.abort()
  expect(await connection()).toBe('close')
})
