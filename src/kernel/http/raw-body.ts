/**
 * Reads the exact bytes of a body, and never more of them than the route accepts. Where the limit
 * depends on the path, the route is asked for it before the first byte is read.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { inspect } from './content.ts'
import { problem } from '../errors/problem.ts'

export async function readRaw(request: FastifyRequest, payload: IncomingMessage): Promise<Buffer> {
  const { bodyLimit, config } = request.routeOptions
  const { headers } = request
  const declared = Number(headers['content-length'] ?? 0)
  if (declared > bodyLimit) throw problem('content_too_large')
  // The router fills every parameter of the path.
  const params = request.params as Record<string, string>
  inspect(params, 'path', '', 0)
  const asked = config.compiled?.route.bodyLimitFor?.({ params, headers })
  const limit = Math.min(bodyLimit, (await asked) ?? bodyLimit)
  if (declared > limit) throw problem('content_too_large')
  request.incoming?.goOn()
  const chunks: Buffer[] = []
  let length = 0
  // A body that is too large is not destroyed, so that the refusal can still be sent.
  const bytes: AsyncIterable<Buffer> = payload.iterator({ destroyOnReturn: false })
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > limit) throw problem('content_too_large')
    chunks.push(chunk)
  }
  const [first, ...others] = chunks
  return first && others.length === 0 ? first : Buffer.concat(chunks, length)
}
