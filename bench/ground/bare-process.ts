/**
 * The upper limit of HTTP: the same bytes as the platform's reply, from plain node:http or from
 * Fastify with defaults. `fastify-pg` reads one row by its id and returns it.
 */
import { createServer } from 'node:http'
import Fastify, { type FastifyInstance } from 'fastify'
import pg from 'pg'

export type Given = {
  readonly kind: 'node' | 'fastify' | 'fastify-pg'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly database_url: string
  readonly tenant_id: string
}

process.once('message', (given: Given) => void serve(given))
process.once('SIGTERM', () => {
  process.exit(0)
})

async function serve(given: Given): Promise<void> {
  process.send?.({ port: await (given.kind === 'node' ? serveNode(given) : serveFastify(given)) })
}

function serveNode({ headers, body }: Given): Promise<number> {
  const length = Buffer.byteLength(body)
  const server = createServer((_request, response) => {
    response.writeHead(200, { ...headers, 'content-length': length })
    response.end(body)
  })
  return new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
}

async function serveFastify(given: Given): Promise<number> {
  const app = Fastify({ logger: false })
  if (given.kind === 'fastify-pg') readById(app, given)
  else app.all('/*', (_request, reply) => reply.headers(given.headers).send(given.body))
  return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
}

function readById(app: FastifyInstance, { database_url, tenant_id, headers }: Given): void {
  const pool = new pg.Pool({ connectionString: database_url, max: 10 })
  const text = `select id, name, balance_minor, version from book.accounts
    where tenant_id = $1 and id = $2`
  const schema = {
    response: {
      200: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          name: { type: 'string' },
          balance_minor: { type: 'integer' },
          version: { type: 'integer' },
        },
      },
    },
  }
  app.get<{ Params: { id: string } }>(
    '/v1/book/accounts/:id',
    { schema },
    async (request, reply) => {
      const { rows } = await pool.query({
        name: 'by-id',
        text,
        values: [tenant_id, request.params.id],
      })
      return reply.headers(headers).send(rows[0])
    },
  )
}
