/** The headers of a request as the router passes them on. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { cell_header } from '../../kernel/work/tenant-states.ts'

/** `X-Cell` is for the router itself: it has an address of the inner network. */
const hop_headers = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  cell_header,
])

export function forwarded(headers: IncomingHttpHeaders, { remoteAddress = '' }: Socket) {
  const before = headers['x-forwarded-for']
  return {
    ...withoutHops(headers),
    'x-forwarded-for': before ? `${String(before)}, ${remoteAddress}` : remoteAddress,
  }
}

export function withoutHops(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !hop_headers.has(name))
  return Object.fromEntries(kept)
}
