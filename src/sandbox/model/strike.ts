/** Faults that happen instead of an ordinary answer. */
import type { ServerResponse } from 'node:http'
import { ApiError, contextTooLong, rateLimited } from './api-error.ts'
import type { FaultRule } from './faults.ts'

/** Returns true if the caller gets no ordinary answer. */
export function strike(response: ServerResponse, fault: FaultRule): boolean {
  switch (fault.action) {
    case 'rate_limit':
      if (fault.retry_after_ms !== undefined) {
        response.setHeader('retry-after-ms', fault.retry_after_ms)
        response.setHeader('retry-after', Math.ceil(fault.retry_after_ms / 1000))
      }
      throw rateLimited()
    case 'status': {
      const { status = 500, code, message = 'The server had an error.' } = fault
      const type = status >= 500 ? 'server_error' : 'invalid_request_error'
      throw new ApiError(status, message, { type, ...(code === undefined ? {} : { code }) })
    }
    case 'context_length':
      throw contextTooLong()
    case 'html_502':
      response.writeHead(502, { 'content-type': 'text/html' })
      response.end('<html><body><h1>502 Bad Gateway</h1></body></html>')
      return true
    case 'connect_reset':
      response.socket?.resetAndDestroy()
      return true
    case 'headers_timeout':
      // Sends nothing until the caller disconnects.
      return true
    default:
      return false
  }
}
