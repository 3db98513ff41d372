/**
 * The minimal cost of an upload: plain node:http that stores a body with our guarantees (`kept`:
 * hash, sync, rename) or without (`plain`), and serves a file (`download`); @tus/server with
 * defaults (`tus`); and Fastify with pg that runs the statements and file steps of a small upload
 * (`small`).
 */
import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { FileStore } from '@tus/file-store'
import { Server as TusServer } from '@tus/server'
import { keep } from './keep.ts'
import { serveSmall } from './small-rival.ts'

export type Given = {
  readonly kind: 'kept' | 'plain' | 'download' | 'tus' | 'small'
  readonly folder: string
  readonly database_url: string
}

process.once('message', (given: Given) => {
  void start(given).then(port => process.send?.({ port }))
})
process.once('SIGTERM', () => process.exit(0))

async function start({ kind, folder, database_url }: Given): Promise<number> {
  await mkdir(folder, { recursive: true })
  if (kind === 'small') return await serveSmall(folder, database_url)
  const server = createServer(listenerOf(kind, folder))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

function listenerOf(kind: Given['kind'], folder: string): RequestListener {
  if (kind === 'tus') {
    const tus = new TusServer({ path: '/files', datastore: new FileStore({ directory: folder }) })
    return (request, response) => void tus.handle(request, response)
  }
  if (kind === 'download') {
    return (request, response) => {
      const path = join(folder, request.url ?? '')
      void stat(path).then(({ size }) => {
        response.writeHead(200, { 'content-length': size })
        createReadStream(path).pipe(response)
      })
    }
  }
  return (request, response) => {
    void (kind === 'kept' ? keep(request, folder) : keepPlain(request, folder)).then(etag => {
      response.writeHead(200, { etag, 'content-length': 0 })
      response.end()
    })
  }
}

async function keepPlain(request: IncomingMessage, folder: string): Promise<string> {
  const path = join(folder, randomUUID())
  await pipeline(request, createWriteStream(path))
  return path.slice(-36)
}
