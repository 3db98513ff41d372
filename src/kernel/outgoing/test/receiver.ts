/**
 * A server on loopback that counts what reaches it: connections (that is, any packet at all) and whole
 * requests with their bodies. Closing it ends every connection.
 */
import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import type { Certificate } from './certificate.ts'

export type Received = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type Receiver = {
  readonly port: number
  connections(): number
  readonly requests: Received[]
  /** Ends the connections that exist now. */
  disconnect(): void
  close(): Promise<void>
}

export type Answering = (response: ServerResponse, request: Received) => void

export async function openReceiver(
  answer: Answering,
  certificate: Certificate | null = null,
): Promise<Receiver> {
  const requests: Received[] = []
  const server: Server = certificate ? createSecureServer(certificate) : createServer()
  server.on('request', (request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => {}) // the other side may disconnect during the reply
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const received = { method, url, headers, body: Buffer.concat(chunks).toString() }
      requests.push(received)
      answer(response, received)
    })
  })
  return await listening(server, requests)
}

/** Below HTTP: what to do with each connection. */
export function openTcpReceiver(serve: (socket: Socket) => void): Promise<Receiver> {
  return listening(createTcpServer(serve), [])
}

async function listening(
  server: Server | ReturnType<typeof createTcpServer>,
  requests: Received[],
): Promise<Receiver> {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const disconnect = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    requests,
    disconnect,
    close: async () => {
      server.close()
      disconnect()
      await once(server, 'close')
    },
  }
}
