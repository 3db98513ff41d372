/**
 * Sends each request to the cell of its tenant. It has no directory: it asks the cells. A request
 * goes first where its tenant (or, without a credential, its path) was found before. A cell that does
 * not know the credential or the public path refuses before anything has happened, so the same
 * request goes to the next one; a cell that has moved the tenant names the new one. So the router
 * keeps nothing that could be lost, and any number of them run side by side.
 */
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { cell_header } from '../../kernel/work/tenant-states.ts'
import { forwarded, withoutHops } from './forwarded.ts'
import { Places } from './places.ts'
import { openSockets } from './route-socket.ts'
import { tenantKey } from './tenant-key.ts'
import { StartError } from '../../kernel/errors/start-error.ts'

export type Router = {
  readonly port: number
  /** How many requests were sent to more than one cell. */
  searched(): number
  close(): Promise<void>
}

export type RouterOptions = {
  /** The addresses of the cells. New tenants are created in the first one. */
  readonly cells: readonly string[]
  readonly host: string
  readonly port: number
  /** A longer body goes to one cell only, as it arrives. */
  readonly buffer_bytes?: number
  /** Tenants and paths whose cell is remembered. */
  readonly remembered_max?: number
}

const buffer_bytes_usual = 1024 * 1024
const remembered_usual = 100_000

export async function openRouter(options: RouterOptions): Promise<Router> {
  const places = new Places(options.cells, options.remembered_max ?? remembered_usual)
  let searched = 0
  const server = createServer((incoming, outgoing) => {
    route(options, places, incoming, outgoing, () => searched++).catch((error: unknown) => {
      // The cell or the client is gone in the middle of a reply: what was sent cannot be taken back.
      if (outgoing.headersSent) outgoing.destroy(error as Error)
      else refuse(outgoing)
    })
  })
  server.on('upgrade', openSockets(places))
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: Error) => {
      reject(new StartError(`The router cannot listen: ${error.message}. Give another --port.`))
    })
    server.listen(options.port, options.host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    searched: () => searched,
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

async function route(
  { buffer_bytes = buffer_bytes_usual }: RouterOptions,
  places: Places,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  onSearch: () => void,
): Promise<void> {
  const { body, rest } = await readBody(incoming, buffer_bytes)
  const key = keyOf(incoming)
  const order = places.orderFor(key)
  let first: IncomingMessage | undefined
  for (let at = 0; at < order.length; at++) {
    const cell = order[at] ?? ''
    const reply = await send(cell, incoming, body, rest)
    const named = places.named(reply.headers[cell_header]?.toString())
    const last = at === order.length - 1 || rest !== null
    if (named && named !== cell && !last) {
      // Next, if it was not asked yet.
      order.splice(at + 1, order.length, named)
    } else if (!isUnknown(incoming, reply.statusCode ?? 0)) {
      if (at > 0) onSearch()
      if (!named) places.learn(key, cell)
      first?.destroy()
      return await answer(outgoing, reply)
    } else if (last) {
      if (at > 0) onSearch()
      return await answer(outgoing, first ?? reply)
    }
    if (first || named) reply.resume()
    else first = reply
  }
}

/**
 * Whether another cell may know what this one refuses: the credential, the public path, or the
 * session and the account that a request without a credential names. A tenant that has moved away
 * is still held here (503).
 */
function isUnknown({ headers }: IncomingMessage, status: number): boolean {
  const anonymous = !headers.authorization && !headers.cookie
  return status === 401 || (anonymous && (status === 404 || status === 503))
}

function keyOf({ headers, url = '', method = '' }: IncomingMessage): string {
  const credential = headers.authorization ?? headers.cookie
  if (credential) return tenantKey(credential)
  const path = url.split('?')[0] ?? ''
  return `${headers.host} ${method === 'GET' || method === 'HEAD' ? path : method}`
}

type Body = {
  readonly body: Buffer
  /** What has not arrived yet of a body that is longer than the buffer. */
  readonly rest: IncomingMessage | null
}

async function readBody(incoming: IncomingMessage, limit: number): Promise<Body> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer)
    size += (chunk as Buffer).length
    if (size > limit) return { body: Buffer.concat(chunks), rest: incoming }
  }
  return { body: Buffer.concat(chunks), rest: null }
}

function send(
  cell: string,
  incoming: IncomingMessage,
  body: Buffer,
  rest: IncomingMessage | null,
): Promise<IncomingMessage> {
  const { method, url: path, headers, socket } = incoming
  return new Promise((resolve, reject) => {
    // The address of the request is passed on as it is. Resolved against that of the cell, one with
    // a host of its own would lead there, with the caller's credential.
    const outgoing = request(
      cell,
      { method, path, headers: forwarded(headers, socket), setHost: false },
      resolve,
    )
    outgoing.on('error', reject)
    if (rest) {
      outgoing.write(body)
      pipeline(rest, outgoing).catch(reject)
    } else outgoing.end(body)
  })
}

async function answer(outgoing: ServerResponse, reply: IncomingMessage): Promise<void> {
  outgoing.writeHead(reply.statusCode ?? 502, withoutHops(reply.headers))
  await pipeline(reply, outgoing)
}

function refuse(outgoing: ServerResponse): void {
  outgoing.writeHead(503, { 'content-type': 'application/problem+json', 'retry-after': '1' })
  outgoing.end(
    JSON.stringify({
      type: 'about:blank',
      title: 'The cell does not answer',
      status: 503,
      code: 'service_unavailable',
    }),
  )
}
