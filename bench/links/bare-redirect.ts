/** The limit of a redirect: node:http alone, with the same status, headers and body as the platform's. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Given = {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: readonly string[]
  readonly body: string
}

process.once('message', ({ status, headers, body }: Given) => {
  const list = [...headers]
  const server = createServer((_request, response) => {
    response.writeHead(status, list)
    if (body === '') response.end()
    else response.end(body)
  })
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ port: (server.address() as AddressInfo).port })
  })
})
process.once('SIGTERM', () => {
  process.exit(0)
})
