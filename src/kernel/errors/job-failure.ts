/**
 * How the handler of a job type says what a failure means: its stable code, and whether another attempt
 * makes sense. Any other error counts as a fault of ours that may pass, and is tried again.
 */
export class JobFailure extends Error {
  override readonly name = 'JobFailure'
  readonly code: string
  readonly retryable: boolean
  readonly retry_after_seconds: number | undefined

  constructor(
    code: string,
    options: ErrorOptions & { retryable?: boolean; retry_after_seconds?: number } = {},
  ) {
    super(code, options)
    this.code = code
    this.retryable = options.retryable ?? false
    this.retry_after_seconds = options.retry_after_seconds
  }
}
