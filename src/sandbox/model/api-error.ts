/** A refusal, as OpenAI says it. Other vendors make their form of it by its status. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly type: string
  readonly code: string | null
  readonly param: string | null

  constructor(
    status: number,
    message: string,
    fields: { type?: string; code?: string; param?: string } = {},
  ) {
    super(message)
    this.status = status
    this.type = fields.type ?? 'invalid_request_error'
    this.code = fields.code ?? null
    this.param = fields.param ?? null
  }

  body(): object {
    const { message, type, param, code } = this
    return { error: { message, type, param, code } }
  }
}

export function unauthorized(): ApiError {
  return new ApiError(401, 'Incorrect API key provided.', { code: 'invalid_api_key' })
}

export function unknownUrl(method: string, path: string): ApiError {
  return new ApiError(404, `Invalid URL (${method} ${path})`)
}

export function unknownModel(model: string): ApiError {
  return new ApiError(404, `The model '${model}' does not exist.`, {
    code: 'model_not_found',
    param: 'model',
  })
}

export function unknownResponse(id: string): ApiError {
  return new ApiError(404, `Response with id '${id}' not found.`, { param: 'id' })
}

export function rateLimited(): ApiError {
  return new ApiError(429, 'Rate limit reached.', { type: 'requests', code: 'rate_limit_exceeded' })
}

export function contextTooLong(): ApiError {
  return new ApiError(400, 'Your input exceeds the context window of this model.', {
    code: 'context_length_exceeded',
    param: 'input',
  })
}
