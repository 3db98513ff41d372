/** What a handler of a job type throws. */
import { Problem } from './problem.ts'

/**
 * A handler of a job type throws this to report a failure: its stable code, and whether another
 * attempt makes sense. Any other error counts as a temporary fault of the platform, and the job is
 * retried.
 */
/**
 * `RunningJob.again` throws this. The attempt ends, and the job continues after this many seconds.
 * A workflow names the steps for which it waits instead.
 */
export class JobPutOff extends Error {
  override readonly name = 'JobPutOff'
  readonly after_seconds: number
  readonly waits: StepWaits | undefined

  constructor(after_seconds: number, waits?: StepWaits) {
    super(waits ? 'waits for its steps' : `put off for ${after_seconds} s`)
    this.after_seconds = after_seconds
    this.waits = waits
  }
}

/** The steps for which a workflow waits, and when it goes on in any case. Null: only when woken. */
export type StepWaits = { readonly names: readonly string[]; readonly wake_at: string | null }

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

/**
 * What a job throws that does what an operation does: a refusal of it is final, unless a later try may
 * succeed.
 */
export function jobFailureOf(error: unknown): unknown {
  if (!(error instanceof Problem) || error.retryable) return error
  const code = error.code === 'permission_denied' ? 'owner_revoked' : error.code
  return new JobFailure(code, { cause: error })
}
