/**
 * A proxy that passes every request on and then does with the answer what a bad network or a busy
 * platform would: it loses the answer after the effect, or answers in the platform's place.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Trouble =
  'lose_answer' | { readonly status: number; readonly code: string; readonly retry_after?: number }

export type Proxy = {
  readonly url: string
  /** What happens to the next requests, one each; later ones pass. */
  readonly trouble: Trouble[]
  /** The Idempotency-Key of every request, in order. */
  readonly keys: (string | undefined)[]
  close(): Promise<void>
}

export async function openProxy(upstream: string): Promise<Proxy> {
  const trouble: Trouble[] = []
  const keys: (string | undefined)[] = []
  const server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key'] as string | undefined)
    void pass(upstream, trouble.shift(), request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    trouble,
    keys,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function pass(
  upstream: string,
  trouble: Trouble | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (typeof trouble === 'object') return refuse(trouble, response)
  const body: Buffer[] = []
  for await (const part of request) body.push(part as Buffer)
  const { authorization, 'idempotency-key': key, 'content-type': type } = request.headers
  const answer = await fetch(upstream + request.url, {
    method: request.method ?? 'GET',
    headers: {
      ...(authorization ? { authorization } : {}),
      ...(key ? { 'idempotency-key': key as string } : {}),
      ...(type ? { 'content-type': type } : {}),
    },
    ...(body.length > 0 ? { body: Buffer.concat(body) } : {}),
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  if (trouble === 'lose_answer') return void request.socket.destroy()
  const kept = ['content-type', 'idempotent-replayed', 'location', 'x-request-id']
  for (const name of kept) {
    const value = answer.headers.get(name)
    if (value !== null) response.setHeader(name, value)
  }
  response.writeHead(answer.status).end(bytes)
}

function refuse(trouble: Exclude<Trouble, string>, response: ServerResponse): void {
  const { status, code, retry_after } = trouble
  const asked = retry_after === undefined ? {} : { 'retry-after': String(retry_after) }
  response
    .writeHead(status, { 'content-type': 'application/problem+json', ...asked })
    .end(JSON.stringify({ status, code, title: 'From the proxy' }))
}
