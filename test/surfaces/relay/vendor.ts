/**
 * The vendor: a separate server that stores every message by the operation's id, and can be
 * configured to hang, to break the connection before or after it accepted the message, or to be
 * busy.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Trouble = 'hang' | 'drop_before' | 'drop_after' | 'busy' | 'garbage'

export type Vendor = {
  readonly url: string
  /** Texts as they took effect, in order: twice the same operation would be seen here. */
  readonly effects: { operation_id: string; text: string }[]
  /** What happens to the next requests, one each. */
  trouble: Trouble[]
  /** Resolves when the next request has arrived. */
  arrived(): Promise<void>
  close(): Promise<void>
}

export async function startVendor(): Promise<Vendor> {
  const effects: Vendor['effects'] = []
  let arrivals: (() => void)[] = []
  const server = createServer((request, response) => {
    void answer(request, response, vendor, () => {
      for (const notify of arrivals) notify()
      arrivals = []
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const vendor: Vendor = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    effects,
    trouble: [],
    arrived: () => new Promise(resolve => arrivals.push(resolve)),
    close: () => shut(server),
  }
  return vendor
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  vendor: Vendor,
  arrived: () => void,
): Promise<void> {
  const body: Buffer[] = []
  for await (const part of request) body.push(part as Buffer)
  arrived()
  const operation_id = request.url?.split('/').at(-1) ?? ''
  const known = vendor.effects.find(one => one.operation_id === operation_id)
  if (request.method === 'GET')
    return say(response, known ? 200 : 404, { ref: `v-${operation_id}` })
  const trouble = vendor.trouble.shift()
  if (trouble === 'busy') return say(response, 429, {})
  if (trouble === 'drop_before') return void request.socket.destroy()
  if (!known) {
    const { text } = JSON.parse(Buffer.concat(body).toString()) as { text: string }
    if (text === 'forbidden') return say(response, 422, {})
    vendor.effects.push({ operation_id, text })
  }
  if (trouble === 'drop_after') return void request.socket.destroy()
  if (trouble === 'hang') return
  if (trouble === 'garbage') return void response.end('{')
  say(response, 200, { ref: `v-${operation_id}` })
}

function say(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function shut(server: Server): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
