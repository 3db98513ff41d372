/** Refusals of requests that were not executed: their keys can be used again. */
import { ApiError } from './api-error.ts'

export function lockTimeout(): ApiError {
  return new ApiError(
    429,
    { type: 'invalid_request_error', code: 'lock_timeout' },
    'This object cannot be accessed right now because another request is using it.',
    false,
  )
}

export function keyInUse(): ApiError {
  return new ApiError(
    409,
    { type: 'invalid_request_error', code: 'idempotency_key_in_use' },
    'There is currently another in-progress request using this key.',
    false,
  )
}

export function unauthorized(): ApiError {
  const fields = { type: 'invalid_request_error' }
  return new ApiError(401, fields, 'Invalid API Key provided.', false)
}

export function unknownUrl(method: string, path: string): ApiError {
  const fields = { type: 'invalid_request_error', code: 'url_invalid' }
  return new ApiError(404, fields, `Unrecognized request URL (${method}: ${path}).`, false)
}
