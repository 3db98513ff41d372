/**
 * Sends the handshake of a WebSocket to the cells until one accepts it: a handshake has no body and
 * no effect. From then on bytes pass in both directions.
 */
import { request, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { watchConnecting } from './ask-cell.ts'
import { forwarded } from './forwarded.ts'
import type { Places } from './places.ts'
import { tenantKey } from './tenant-key.ts'

const unavailable =
  'HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n\r\n'

type Accepted = {
  readonly reply: IncomingMessage
  readonly socket?: Duplex
  readonly head?: Buffer
}

export function openSockets(places: Places) {
  const clients = new Set<Duplex>()
  return {
    open: (incoming: IncomingMessage, client: Duplex, head: Buffer): void => {
      clients.add(client)
      client.on('error', () => client.destroy())
      client.on('close', () => clients.delete(client))
      connect(places, incoming, client, head).catch(() => client.destroy())
    },
    /** Clients open their sockets again through another router. */
    close: () => {
      for (const client of clients) client.destroy()
    },
  }
}

async function connect(
  places: Places,
  incoming: IncomingMessage,
  client: Duplex,
  head: Buffer,
): Promise<void> {
  const key = tenantKey(incoming.headers.authorization ?? incoming.url ?? '')
  let refused: IncomingMessage | undefined
  let down = false
  for (const cell of places.orderFor(key)) {
    if (client.destroyed) return
    const accepted = await handshake(cell, incoming, client).catch(() => undefined)
    if (!accepted) {
      down = true
      continue
    }
    const { reply, socket, head: begun } = accepted
    if (!socket) {
      reply.resume()
      refused ??= reply
      continue
    }
    places.learn(key, cell)
    client.write(headOf(reply))
    if (begun && begun.length > 0) client.write(begun)
    if (head.length > 0) socket.write(head)
    socket.on('error', () => client.destroy()).on('close', () => client.destroy())
    client.on('close', () => socket.destroy())
    socket.pipe(client).pipe(socket)
    return
  }
  // A cell that is down may know what the others do not.
  client.end(refused && !down ? headOf(refused, 'connection: close') : unavailable)
}

function handshake(cell: string, incoming: IncomingMessage, client: Duplex): Promise<Accepted> {
  const { url: path, headers, socket } = incoming
  return new Promise((resolve, reject) => {
    const upgrade = { connection: 'Upgrade', upgrade: headers.upgrade ?? 'websocket' }
    const outgoing = request(cell, {
      path,
      headers: { ...forwarded(headers, socket), ...upgrade },
      setHost: false,
    })
    watchConnecting(outgoing)
    const leave = () => outgoing.destroy()
    client.once('close', leave)
    outgoing.once('close', () => client.off('close', leave))
    outgoing.on('upgrade', (reply, opened, head) => resolve({ reply, socket: opened, head }))
    outgoing.on('response', reply => resolve({ reply }))
    outgoing.on('error', reject)
    outgoing.end()
  })
}

function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage, more = ''): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`)
  }
  if (more) lines.push(more)
  return `${lines.join('\r\n')}\r\n\r\n`
}
