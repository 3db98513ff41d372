/**
 * Sends each request to the cell of its tenant. It has no directory: it asks the cells. A request
 * goes first where its tenant (or, without a credential, its path) was found before. A cell that does
 * not know the credential or the public path refuses before anything has happened, so the same
 * request goes to the next one; a cell that has moved the tenant names the new one. So the router
 * keeps nothing that could be lost, and any number of them run side by side. A cell that is down is
 * passed over: only what no other cell knows is refused.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { cell_header } from '../../kernel/work/tenant-states.ts'
import { askCell, CellDown, type Asked } from './ask-cell.ts'
import { withoutHops } from './forwarded.ts'
import { Places } from './places.ts'
import { openSockets } from './route-socket.ts'
import { tenantKey } from './tenant-key.ts'
import { StartError } from '#dodeca/kernel'

export type Router = {
  readonly port: number
  /** How many requests were sent to more than one cell. */
  searched(): number
  /** Accepts nothing more and returns once all running requests have their replies. */
  close(): Promise<void>
}

export type RouterOptions = {
  /** The addresses of the cells. New tenants are created in the first one. */
  readonly cells: readonly string[]
  readonly host: string
  readonly port: number
  /** A longer body is sent as it arrives, to the cell that accepts the head of the request. */
  readonly buffer_bytes?: number
  /** Tenants and paths whose cell is remembered. */
  readonly remembered_max?: number
}

/** Those of the platform, so that a proxy in front finds the same. */
const limits = {
  headersTimeout: 20_000,
  keepAliveTimeout: 72_000,
  // The cell limits the time of each body. This is the longest that it can be set to, a day.
  requestTimeout: 86_400_000,
}
/** Event streams have no end. */
const last_replies_ms = 25_000
const buffer_bytes_usual = 1024 * 1024
const remembered_usual = 100_000

export async function openRouter(options: RouterOptions): Promise<Router> {
  const places = new Places(options.cells, options.remembered_max ?? remembered_usual)
  let searched = 0
  const server = createServer(limits, (incoming, outgoing) => {
    route(options, places, incoming, outgoing, () => searched++).catch((error: unknown) => {
      // The cell or the client is gone in the middle of a reply: what was sent cannot be taken back.
      if (outgoing.headersSent) outgoing.destroy(error as Error)
      else refuse(outgoing)
    })
  })
  const sockets = openSockets(places)
  server.on('upgrade', sockets.open)
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
      const closed = new Promise(resolve => server.close(resolve))
      sockets.close()
      const sweeping = setInterval(() => server.closeIdleConnections(), 50)
      const late = setTimeout(() => server.closeAllConnections(), last_replies_ms)
      await closed
      clearInterval(sweeping)
      clearTimeout(late)
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
  const leaving = new AbortController()
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) leaving.abort()
  })
  const asked = { incoming, gone: leaving.signal, ...(await readBody(incoming, buffer_bytes)) }
  const key = keyOf(incoming)
  if (isForAll(asked)) return await askAll(places.orderFor(key), asked, outgoing)
  const asks = dependsOnCaller(incoming) && !places.knows(key)
  if (asks && !(await findCaller(places, key, asked))) return refuse(outgoing)
  const order = places.orderFor(key)
  const known = places.knows(key)
  let first: IncomingMessage | undefined
  let down = false
  for (let at = 0; at < order.length; at++) {
    const cell = order[at] ?? ''
    const last = at === order.length - 1
    const found = await askCell(cell, asked).catch(passOver)
    if (!found) {
      down = true
      continue
    }
    const { reply, final } = found
    const { statusCode: status = 0 } = reply
    const named = places.named(reply.headers[cell_header]?.toString())
    if (named && named !== cell && !last && !final) {
      // Next, if it was not asked yet.
      order.splice(at + 1, order.length, named)
    } else if (final || !isUnknown(incoming, status, known)) {
      if (at > 0) onSearch()
      if (!named && status !== 503 && !isPublic(incoming, first)) places.learn(key, cell)
      first?.destroy()
      return await answer(outgoing, reply, asked)
    }
    if (status === 503 && !named) down = true
    if (first || named) reply.resume()
    else first = reply
  }
  if (order.length > 1) onSearch()
  // A cell that is down may know what the others do not.
  if (first && (!down || first.statusCode === 503)) return await answer(outgoing, first, asked)
  first?.destroy()
  refuse(outgoing)
}

function passOver(error: unknown): undefined {
  if (!(error instanceof CellDown)) throw error
}

/**
 * These are accepted for every tenant and address, so that they reveal nothing: only the cell of the
 * tenant sends a mail.
 */
const for_all = new Set([
  '/v1/password-reset-requests',
  '/v1/email-verification-requests',
  '/account/forgot',
  '/account/send-again',
])

function isForAll({ incoming: { method, url = '' }, rest }: Asked): boolean {
  return method === 'POST' && rest === null && for_all.has(url.split('?')[0] ?? '')
}

/**
 * Every cell accepts the request, also one that does not have the tenant. So it is accepted only once
 * each cell has replied: one that is down, or that holds the tenant for a move, may be the one that
 * would have sent the mail. Otherwise the reply is that of the first cell that accepts.
 */
async function askAll(cells: readonly string[], asked: Asked, outgoing: ServerResponse) {
  let first: IncomingMessage | undefined
  let down = false
  for (const cell of cells) {
    const reply = (await askCell(cell, asked).catch(passOver))?.reply
    if (!reply) {
      down = true
      continue
    }
    if (first && mailRank(first) <= mailRank(reply)) {
      reply.resume()
      continue
    }
    first?.resume()
    first = reply
  }
  if (first && !(down && mailRank(first) > 0)) return await answer(outgoing, first, asked)
  first?.resume()
  refuse(outgoing)
}

/** The reply with the lowest rank is sent: a failure, an acceptance, a refusal. */
function mailRank({ statusCode = 0 }: IncomingMessage): number {
  if (statusCode >= 500) return 0
  return statusCode < 400 ? 1 : 2
}

/**
 * Public operations whose reply depends on a credential. A cell that does not know it would serve the
 * caller as anonymous, and refuse nothing.
 */
export const for_callers = [
  /^\/v1\/oidc\/[^/]+\/authorizations$/,
  /^\/v1\/(products|product-collections)(\/[^/]+)?$/,
  /^\/v1\/payment-options$/,
]

function dependsOnCaller({ headers, url = '' }: IncomingMessage): boolean {
  const path = url.split('?')[0] ?? ''
  return Boolean(headers.authorization ?? headers.cookie) && for_callers.some(one => one.test(path))
}

/**
 * Asks the cells whose caller it is. If no cell knows the credential, the caller is anonymous. Returns
 * false if a cell that is down may know it.
 */
async function findCaller(
  places: Places,
  key: string,
  { incoming, gone }: Asked,
): Promise<boolean> {
  const { authorization, cookie, host } = incoming.headers
  const headers = {
    ...(host === undefined ? {} : { host }),
    ...(authorization === undefined ? {} : { authorization }),
    ...(cookie === undefined ? {} : { cookie }),
  }
  const request = { method: 'GET', url: '/v1/me', headers, socket: incoming.socket }
  const asked = { incoming: request, body: Buffer.alloc(0), rest: null, gone }
  let down = false
  for (const cell of places.orderFor(key)) {
    const reply = (await askCell(cell, asked).catch(passOver))?.reply
    reply?.resume()
    if (!reply) down = true
    if (!reply || reply.statusCode === 401) continue
    places.learn(key, places.named(reply.headers[cell_header]?.toString()) ?? cell)
    return true
  }
  return !down
}

/**
 * Whether another cell may know what this one refuses: the credential, the public path, or the
 * session and the account that a request without a credential names. A cell that is overloaded or
 * stops refuses before it looks at the credential (503). A tenant that has moved away is still held
 * here (503). A signed URL of another cell is not valid here (403). A browser sends its cookies also
 * to public paths, such as a short link.
 */
function isUnknown({ headers, method }: IncomingMessage, status: number, known: boolean): boolean {
  if (status === 401 || (status === 503 && !known)) return true
  if (headers.authorization) return false
  if (headers.cookie) return status === 404 && (method === 'GET' || method === 'HEAD')
  return status === 403 || status === 404 || status === 503
}

/** Whether the path was found elsewhere, which says nothing about the cell of the cookies. */
function isPublic({ headers }: IncomingMessage, first: IncomingMessage | undefined): boolean {
  return headers.cookie !== undefined && first?.statusCode === 404
}

function keyOf({ headers, url = '', method = '' }: IncomingMessage): string {
  const credential = headers.authorization ?? headers.cookie
  if (credential) return tenantKey(credential)
  const path = url.split('?')[0] ?? ''
  return `${headers.host} ${method === 'GET' || method === 'HEAD' ? path : method}`
}

async function readBody(
  incoming: IncomingMessage,
  limit: number,
): Promise<Pick<Asked, 'body' | 'rest'>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer)
    size += (chunk as Buffer).length
    if (size > limit) return { body: Buffer.concat(chunks), rest: incoming }
  }
  return { body: Buffer.concat(chunks), rest: null }
}

async function answer(
  outgoing: ServerResponse,
  reply: IncomingMessage,
  { rest }: Pick<Asked, 'rest'>,
): Promise<void> {
  // What is left of a body that was refused would be read as the next request.
  if (rest && !rest.complete) outgoing.shouldKeepAlive = false
  outgoing.writeHead(reply.statusCode ?? 502, withoutHops(reply.headers))
  await pipeline(reply, outgoing)
  rest?.resume()
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
