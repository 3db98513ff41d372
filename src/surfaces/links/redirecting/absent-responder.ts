/**
 * Sends the refusal of an unknown code at a lower cost. The document is the same as everywhere. It
 * is built from constant pieces and the values of the request.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { newId, renderProblem, securityHeaders } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { problem } from '../errors.ts'

/** `path` must have the form of a code. */
export type AbsentResponder = (
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
) => void

export function absentResponder({ public_url }: Pick<Kernel, 'public_url'>): AbsentResponder {
  const document = renderProblem(problem('link_not_found'), {
    public_url,
    path: '{path}',
    request_id: '{id}',
  })
  const [before = '', rest = ''] = document.split('{path}')
  const [between = '', after = ''] = rest.split('{id}')
  // All replies share one list of headers. The server has read the list before the next reply is
  // made.
  const headers = [
    ...Object.entries(securityHeaders).flat(),
    'content-type',
    'application/problem+json',
    'content-length',
    '',
    'x-request-id',
    '',
  ]
  const [length_at, id_at] = [headers.length - 3, headers.length - 1]
  return ({ method }, response, path) => {
    const id = newId()
    const body = before + path + between + id + after
    headers[length_at] = String(body.length)
    headers[id_at] = id
    response.writeHead(404, headers)
    response.end(method === 'HEAD' ? undefined : body)
  }
}
