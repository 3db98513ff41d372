/** A host that is down may answer nothing at all, not even that it refuses. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { openRouter } from '../router.ts'

/** Listens, accepts nothing, and has its queue full: what comes next gets no answer. */
async function openSilent(): Promise<number> {
  const code = `
    const { parentPort } = require('node:worker_threads')
    const server = require('node:net').createServer()
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port)
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
    })`
  const worker = new Worker(code, { eval: true })
  onTestFinished(async () => void (await worker.terminate()))
  const [port] = (await once(worker, 'message')) as [number]
  // The worker stops right after its message. Nothing outside can see that it has.
  await sleep(200)
  for (let count = 0; count < 20; count++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    onTestFinished(() => void socket.destroy())
    const connected = once(socket, 'connect').then(() => true)
    // No answer is the condition itself, so it takes a wait.
    if (!(await Promise.race([connected, sleep(500, false)]))) return port
  }
  throw new Error('the queue does not fill')
}

test('a socket opens in the cell that can be reached', { timeout: 20_000 }, async () => {
  const silent = await openSilent()
  const cell = createServer()
  const sockets = new WebSocketServer({ server: cell })
  cell.listen(0, '127.0.0.1')
  await once(cell, 'listening')
  const { port } = cell.address() as AddressInfo
  const cells = [`http://127.0.0.1:${silent}`, `http://127.0.0.1:${port}`]
  const router = await openRouter({ cells, host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    for (const one of sockets.clients) one.terminate()
    await router.close()
    cell.close()
  })
  const socket = new WebSocket(`ws://127.0.0.1:${router.port}/v1/realtime`)
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  expect(socket.readyState).toBe(WebSocket.OPEN)
})
