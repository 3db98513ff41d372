/** One attempt of a step: its call or its effect, and what a failure of it means. */
import { isUnavailable } from '../database/failures.ts'
import { JobFailure } from '../errors/job-failure.ts'
import { Problem } from '../errors/problem.ts'
import { jitter } from '../ids.ts'
import type { RunningJob, StepFailure, StepLog, StoredStep } from './job-type.ts'
import type { RunOptions, StepCall } from './workflow-step.ts'

const retries_default = 4
const timeout_default = 60
const wait_cap_seconds = 300

export async function writeOnce(
  log: StepLog,
  kind: 'write' | 'undo',
  name: string,
  effect: Parameters<StepLog['write']>[2],
  known: StoredStep | undefined,
): Promise<StoredStep> {
  if (known && !known.is_due) return known
  try {
    return await log.write(kind, name, effect, known)
  } catch (error) {
    const attempts = (known?.attempts ?? 0) + 1
    return await log.failed(kind, name, attempts, whyOf(error, attempts, retries_default))
  }
}

type Attempting = {
  readonly job: RunningJob
  readonly log: StepLog
  readonly kind: 'run' | 'undo'
  readonly name: string
  readonly key: string
  readonly known: StoredStep | undefined
}

export async function attemptCall(
  { job, log, kind, name, key, known }: Attempting,
  call: (call: StepCall) => Promise<unknown>,
  { retries = retries_default, timeout_seconds = timeout_default }: RunOptions<unknown>,
): Promise<StoredStep> {
  if (known && !known.is_due) return known
  const attempts = (known?.attempts ?? 0) + 1
  let result: unknown
  const late = AbortSignal.timeout(timeout_seconds * 1000)
  const signal = AbortSignal.any([job.signal, late])
  try {
    result = await orAborted(call({ key, signal }), signal)
  } catch (error) {
    job.signal.throwIfAborted()
    const why = late.aborted
      ? new JobFailure('step_timed_out', { retryable: true, cause: error })
      : error
    return await log.failed(kind, name, attempts, whyOf(why, attempts, retries))
  }
  return await log.done(kind, name, attempts, result)
}

/** A call that does not listen to its signal is left. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const stop = () => aborted.reject(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Throws what is no failure of the step: the lease is lost, or the database is unavailable. */
function whyOf(error: unknown, attempts: number, retries: number): StepFailure {
  const stopped = error instanceof Error && error.name === 'Stopped'
  if (stopped || isUnavailable(error)) throw error
  const own = error instanceof JobFailure || error instanceof Problem ? error.code : null
  const final =
    error instanceof JobFailure ? !error.retryable : error instanceof Problem && error.status < 500
  const code = own ?? 'step_failed'
  if (final || attempts > retries) return { code, retry_after_seconds: null }
  const asked = error instanceof JobFailure ? (error.retry_after_seconds ?? 0) : 0
  const backoff = Math.min(wait_cap_seconds, 2 ** (attempts - 1)) * (0.5 + jitter() / 2)
  return { code, retry_after_seconds: Math.max(asked, backoff) }
}
