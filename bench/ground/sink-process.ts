/**
 * A receiver of webhooks, for measuring only the sender: a plain server on one port for each
 * endpoint. It replies 204, counts messages, and records when each arrived. On its last ports it
 * can delay every reply.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { nowMs } from './answer-beats.ts'

const ports_count = Number(process.argv[2] ?? 1)
const hanging = Number(process.argv[3] ?? 0)
let count = 0
let last_ms = 0
let arrived: [string, number][] = []

function take(request: IncomingMessage, response: ServerResponse): void {
  const id = request.headers['webhook-id']
  request.on('data', () => {})
  request.on('end', () => {
    count++
    last_ms = nowMs()
    if (typeof id === 'string') arrived.push([id, last_ms])
    response.writeHead(204).end()
  })
}

function keepWaiting(request: IncomingMessage): void {
  request.resume()
}

const ports: number[] = []
for (let index = 0; index < ports_count; index++) {
  const server = createServer(index < ports_count - hanging ? take : keepWaiting)
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ports.push((server.address() as AddressInfo).port)
}

process.on('message', asked => {
  if (asked === 'counts') return void process.send?.({ done: { count, last_ms } })
  const seen = { count, last_ms, arrived }
  count = 0
  arrived = []
  process.send?.({ done: seen })
})
process.once('disconnect', () => process.exit(0))
process.once('SIGTERM', () => process.exit(0))
process.send?.({ ready: { ports } })
