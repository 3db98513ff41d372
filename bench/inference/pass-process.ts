/** The limit that Node itself sets: requests are passed to the provider and answers back, and nothing else. */
import { createServer } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { Pool } from 'undici'

process.once('message', ({ origin }: { origin: string }) => {
  const pool = new Pool(origin, { connections: 256 })
  const server = createServer((request, response) => {
    const { host: _host, connection: _connection, ...headers } = request.headers
    pool
      .request({
        method: 'POST',
        path: request.url ?? '/',
        headers: headers as Record<string, string>,
        body: request,
      })
      .then(async ({ statusCode, headers: given, body }) => {
        response.writeHead(statusCode, given as Record<string, string>)
        await pipeline(body, response)
      })
      .catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    process.send?.({ port: typeof address === 'object' && address ? address.port : 0 })
  })
})
process.once('disconnect', () => process.exit(0))
process.once('SIGTERM', () => process.exit(0))
