/**
 * A subscriber's endpoint on loopback: real sockets, every request kept with its exact bytes, challenges
 * answered as a subscriber would, and everything else as the test says.
 */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export type Received = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly id: string
  readonly type: string
  readonly attempt: number
  readonly at_ms: number
}

export type Receiver = {
  readonly port: number
  /** What came, but for challenges. */
  readonly received: Received[]
  readonly challenges: Received[]
  connections(): number
  /** Answers from now on. */
  answer(how: Answering): void
  /** Answers challenges from now on, which it otherwise echoes. */
  greet(how: Answering): void
  of(path: string): Received[]
  /** Requests that are being answered at this moment. */
  open(): number
  close(): Promise<void>
}

export type Answering = (response: ServerResponse, request: Received) => void

export const fine: Answering = response => void response.writeHead(204).end()
export const status =
  (code: number, headers: Record<string, string> = {}): Answering =>
  response =>
    void response.writeHead(code, headers).end(`status ${code}`)

export const tokenOf = ({ body }: Pick<Received, 'body'>): string =>
  (JSON.parse(body.toString()) as { data: { challenge: string } }).data.challenge
const echo: Answering = (response, one) =>
  void response.end(JSON.stringify({ challenge: tokenOf(one) }))

export async function openReceiver(host = '127.0.0.1'): Promise<Receiver> {
  const received: Received[] = []
  const challenges: Received[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  let open = 0
  let how = fine
  let greet = echo
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => {}) // the other side may leave while it speaks
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { headers, url: path = '' } = request
      const one: Received = {
        path,
        headers,
        body: Buffer.concat(chunks),
        id: String(headers['webhook-id']),
        type: String(headers['webhook-event-type']),
        attempt: Number(headers['webhook-attempt']),
        at_ms: performance.now(),
      }
      if (one.type === 'webhook_subscription.challenged') {
        challenges.push(one)
        greet(response, one)
        return
      }
      received.push(one)
      open++
      response.once('close', () => open--)
      how(response, one)
    })
  })
  server.on('connection', socket => {
    connections++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    received,
    challenges,
    connections: () => connections,
    answer: next => {
      how = next
    },
    greet: next => {
      greet = next
    },
    of: path => received.filter(one => one.path === path),
    open: () => open,
    close: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
