/**
 * Sends a request to one cell. A long body is sent only once the cell has accepted the head of the
 * request (`100 Continue`), so that another cell can be asked if this one refuses it. If the client
 * leaves, the cell sees that.
 */
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { forwarded } from './forwarded.ts'

const connect_ms_max = 2000

/** No reply came, and the request had no effect: the cell was not reached, or it only reads. */
export class CellDown extends Error {
  override readonly name = 'CellDown'
}

export type Asked = {
  readonly incoming: Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'socket'>
  readonly body: Buffer
  /** What has not arrived yet of a body that is longer than the buffer. */
  readonly rest: IncomingMessage | null
  /** Aborted when the client has left. */
  readonly gone: AbortSignal
}

export type CellReply = {
  readonly reply: IncomingMessage
  /** The rest of a long body went to this cell, so no other one can be asked. */
  readonly final: boolean
}

export function askCell(cell: string, asked: Asked): Promise<CellReply> {
  const { incoming, body, rest, gone } = asked
  const { method = 'GET', url: path, headers, socket } = incoming
  const { expect: _answered, ...kept } = forwarded(headers, socket)
  // The address of the request is passed on as it is. Resolved against that of the cell, one with a
  // host of its own would lead there, with the caller's credential.
  const outgoing = request(cell, {
    method,
    path,
    headers: rest ? { ...kept, expect: '100-continue' } : kept,
    setHost: false,
    signal: gone,
  })
  const isConnected = watchConnecting(outgoing)
  let final = false
  return new Promise((resolve, reject) => {
    outgoing.on('response', reply => resolve({ reply, final }))
    outgoing.on('error', error => {
      const without_effect = !isConnected() || method === 'GET' || method === 'HEAD'
      reject(without_effect && !gone.aborted ? new CellDown(error.message) : error)
    })
    if (!rest) return void outgoing.end(body)
    outgoing.once('continue', () => {
      final = true
      outgoing.write(body)
      pipeline(rest, outgoing).catch(reject)
    })
    outgoing.flushHeaders()
  })
}

/**
 * A host that is down may not even refuse a connection. Returns whether the connection was made at
 * that moment.
 */
export function watchConnecting(outgoing: ClientRequest): () => boolean {
  let connected = false
  outgoing.once('socket', socket => {
    if (!socket.connecting) {
      connected = true
      return
    }
    const late = setTimeout(() => {
      outgoing.destroy(new Error('the cell cannot be reached'))
    }, connect_ms_max)
    socket.once('connect', () => {
      connected = true
    })
    for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(late))
  })
  return () => connected
}
