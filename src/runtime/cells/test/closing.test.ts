/** A router that stops finishes what runs, and ends. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { openRouter } from '../router.ts'

async function openCell() {
  const asked = Promise.withResolvers<ServerResponse>()
  const cell = createServer((_, reply) => asked.resolve(reply))
  const sockets = new WebSocketServer({ server: cell })
  cell.listen(0, '127.0.0.1')
  await once(cell, 'listening')
  onTestFinished(() => {
    for (const one of sockets.clients) one.terminate()
    cell.close()
  })
  const { port } = cell.address() as AddressInfo
  const router = await openRouter({
    cells: [`http://127.0.0.1:${port}`],
    host: '127.0.0.1',
    port: 0,
  })
  return { asked: asked.promise, router, at: `127.0.0.1:${router.port}` }
}

test('a running request gets its reply, and its connection ends with it', async () => {
  const { asked, router, at } = await openCell()
  const running = fetch(`http://${at}/v1/links`, { method: 'POST' })
  const reply = await asked
  const closed = router.close()
  reply.end('made')
  const answer = await running
  expect([await answer.text(), answer.status]).toEqual(['made', 200])
  await closed
  await expect(fetch(`http://${at}/`)).rejects.toThrow()
})

test('an open socket does not keep it', async () => {
  const { router, at } = await openCell()
  const socket = new WebSocket(`ws://${at}/v1/realtime`)
  await once(socket, 'open')
  const closed = once(socket, 'close')
  socket.on('error', () => {})
  await Promise.all([router.close(), closed])
  expect(socket.readyState).toBe(WebSocket.CLOSED)
})

test('a proxy in front may keep its connections for as long as those of the platform', async () => {
  const { asked, router, at } = await openCell()
  const running = fetch(`http://${at}/`)
  ;(await asked).end()
  expect((await running).headers.get('keep-alive')).toBe('timeout=72')
  await router.close()
})
