/** The router sends to its cells and nowhere else, whatever address a request names. */
import { once } from 'node:events'
import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openRouter, type Router } from '../router.ts'

const seen: { name: string; url: string | undefined; credential: string | undefined }[] = []

function openServer(name: string) {
  const server = createServer((asked, answer) => {
    seen.push({ name, url: asked.url, credential: asked.headers.authorization })
    // The address of another cell, which is not to be reached from outside.
    answer.setHeader('x-cell', 'http://10.0.1.5:8080').end(name)
  })
  server.on('upgrade', (asked: IncomingMessage, socket) => {
    seen.push({ name, url: asked.url, credential: asked.headers.authorization })
    socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n')
  })
  return server.listen(0, '127.0.0.1')
}

const servers = [openServer('cell'), openServer('outside')] as const
const portOf = (server: (typeof servers)[number]) => (server.address() as AddressInfo).port
let router: Router
beforeAll(async () => {
  for (const one of servers) if (!one.listening) await once(one, 'listening')
  const cells = [`http://127.0.0.1:${portOf(servers[0])}`]
  router = await openRouter({ cells, host: '127.0.0.1', port: 0 })
})
beforeEach(() => void seen.splice(0))
afterAll(async () => {
  await router.close()
  for (const server of servers) server.close()
})

async function ask(path: string, headers: Record<string, string> = {}): Promise<string> {
  const authorization = 'Bearer secret'
  const asked = request({
    host: '127.0.0.1',
    port: router.port,
    path,
    headers: { authorization, ...headers },
  }).end()
  const [reply] = (await once(asked, 'response')) as [IncomingMessage]
  expect(reply.headers['x-cell']).toBeUndefined()
  const chunks = await reply.toArray()
  return Buffer.concat(chunks as Buffer[]).toString()
}

test.for(['//127.0.0.1:{port}/data', 'http://127.0.0.1:{port}/data', '/v1/../data', '/a?b=c'])(
  'a request for %s',
  async target => {
    const path = target.replace('{port}', String(portOf(servers[1])))
    expect(await ask(path)).toBe('cell')
    expect(seen).toEqual([{ name: 'cell', url: path, credential: 'Bearer secret' }])
  },
)

test('the handshake of a socket', async () => {
  const path = `//127.0.0.1:${portOf(servers[1])}/v1/realtime`
  await ask(path, { connection: 'Upgrade', upgrade: 'websocket' })
  expect(seen).toEqual([{ name: 'cell', url: path, credential: 'Bearer secret' }])
})
