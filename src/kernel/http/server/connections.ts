/**
 * The connections of one server. A request that cannot be parsed as HTTP still gets a reply with
 * the reason. A server that stops closes idle connections immediately. Node closes idle connections
 * too, except those that sent no request or only half of one. Such a connection would delay a stop
 * for its whole time limit.
 */
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { problem, renderProblem } from '../../errors/problem.ts'
import { newId } from '../../ids.ts'
import type { IncomingBody } from './incoming-body.ts'

/** The time that a body gets if it is still arriving when the process stops. */
const last_bodies_ms = 2000

export type Connections = {
  /** Tracks all sockets of a server, from the first one on. */
  watch(server: Server): void
  /** Call it with each request. A connection is idle once its last request has a reply. */
  seen(request: IncomingMessage, response: ServerResponse): void
  /** The socket is a WebSocket now. Other code closes it. */
  upgraded(socket: Duplex): void
  /** Bodies that have not arrived yet. */
  readonly pending: Set<IncomingBody>
  /** Closes idle connections repeatedly until `close` has ended. */
  closeWith(close: () => Promise<unknown>): Promise<void>
  refuse(error: Error & { code?: string }, socket: Socket): void
}

export function openConnections(public_url: string): Connections {
  const answers = new Map<Socket, ServerResponse | null>()
  const pending = new Set<IncomingBody>()
  const isIdle = (response: ServerResponse | null) =>
    response === null || response.writableFinished || response.destroyed
  const sweep = () => {
    for (const [socket, response] of answers) {
      // A connection that still drops the rest of a body ends by itself. If we reset it, the reset
      // would arrive before the reply.
      if (isIdle(response) && !socket.writableEnded) socket.destroy()
    }
  }
  return {
    pending,
    watch: server => {
      server.on('connection', socket => {
        answers.set(socket, null)
        socket.once('close', () => answers.delete(socket))
      })
    },
    seen: ({ socket }, response) => {
      if (answers.has(socket)) answers.set(socket, response)
    },
    upgraded: socket => void answers.delete(socket as Socket),
    closeWith: async close => {
      const sweeping = setInterval(sweep, 50)
      const late = setTimeout(() => {
        for (const body of pending) body.end(problem('shutting_down'))
      }, last_bodies_ms)
      try {
        await close()
      } finally {
        clearInterval(sweeping)
        clearTimeout(late)
      }
    },
    refuse: (error, socket) => {
      // A reply that has begun cannot be sent a second time.
      const answering = answers.get(socket)
      const busy = answering?.headersSent === true && !answering.writableFinished
      if (error.code === 'ECONNRESET' || !socket.writable || busy) return void socket.destroy()
      refuseSocket(public_url, error, socket)
    },
  }
}

/** A request that cannot be parsed as HTTP still gets a problem document. */
function refuseSocket(public_url: string, error: Error & { code?: string }, socket: Socket): void {
  const timeout = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const refusal = problem(timeout ? 'request_timeout' : 'malformed_request')
  const request_id = newId()
  const body = renderProblem(refusal, { public_url, path: '/', request_id })
  const text = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${request_id}`,
    'cache-control: no-store',
    'connection: close',
    '',
    body,
  ].join('\r\n')
  socket.end(text, () => socket.destroy())
}
