/**
 * A refusal in Stripe's own format. `stored` is false if the request was not executed, so its key
 * stays free.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly fields: { type: string; code?: string; [member: string]: unknown }
  readonly stored: boolean
  constructor(
    status: number,
    fields: { type: string; code?: string; [member: string]: unknown },
    message: string,
    stored = true,
  ) {
    super(message)
    this.status = status
    this.fields = fields
    this.stored = stored
  }

  body(): object {
    return { error: { message: this.message, ...this.fields } }
  }
}

export function invalidRequest(code: string, message: string, more: object = {}): ApiError {
  return new ApiError(400, { type: 'invalid_request_error', code, ...more }, message)
}

export function missing(object: string, id: string, param = 'id'): ApiError {
  const fields = { type: 'invalid_request_error', code: 'resource_missing', param }
  return new ApiError(404, fields, `No such ${object}: '${id}'`)
}

export function malformed(code: string, param: string, message: string): ApiError {
  return new ApiError(400, { type: 'invalid_request_error', code, param }, message, false)
}
