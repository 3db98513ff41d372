/** A host that is down may answer nothing at all, not even that it refuses. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { openRouter } from '../router.ts'

/** Listens, accepts nothing, and has its queue full: what comes next gets no answer. */
async function openSilent(): Promise<number> {
  const stopped = new Int32Array(new SharedArrayBuffer(4))
  const code = `
    const { parentPort, workerData: stopped } = require('node:worker_threads')
    const server = require('node:net').createServer()
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port)
      setImmediate(() => {
        Atomics.store(stopped, 0, 1)
        Atomics.notify(stopped, 0)
        Atomics.wait(stopped, 0, 1)
      })
    })`
  const worker = new Worker(code, { eval: true, workerData: stopped })
  onTestFinished(async () => void (await worker.terminate()))
  const [port] = (await once(worker, 'message')) as [number]
  await Atomics.waitAsync(stopped, 0, 0).value
  for (let count = 0; count < 20; count++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    onTestFinished(() => void socket.destroy())
    await setImmediate()
    if (await isUnanswered(port)) return port
  }
  throw new Error('the queue does not fill')
}

/** Whether the kernel waits for an answer to a connection; on this machine one comes at once. */
async function isUnanswered(port: number): Promise<boolean> {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const syn_sent = '02'
  return (await readFile('/proc/net/tcp', 'utf8')).split('\n').some(line => {
    const [, , remote = '', state] = line.trim().split(/\s+/)
    return remote.endsWith(end) && state === syn_sent
  })
}

test('a socket opens in the cell that can be reached', async () => {
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
