/**
 * One attempt of a run: the body from its beginning, with the results of the steps that are over.
 * Where the body can go no further, because each step that it awaits waits, the body is dropped and
 * the job is put off until one of the steps goes on. A body that fails for good is followed by the
 * undos of its steps, in reverse. Until all undos are done, later attempts run the body only to learn
 * them.
 */
import { isUnavailable } from '../database/failures.ts'
import { JobFailure, JobPutOff } from '../errors/job-failure.ts'
import { Problem } from '../errors/problem.ts'
import type { RunningJob } from './job-type.ts'
import { StepFailed, type Step } from './workflow-step.ts'
import { openSteps, StepMisused, type Steps } from './workflow-steps.ts'

type Body = (step: Step) => Promise<unknown>
type Outcome =
  | { readonly end: 'returned'; readonly value: unknown }
  | { readonly end: 'failed'; readonly error: unknown }
  | { readonly end: 'blocked' }

export async function runWorkflow(job: RunningJob, body: Body): Promise<unknown> {
  try {
    const { undoing, ...stored } = await job.steps.load()
    const steps = openSteps(job, stored, { only_known: undoing !== null })
    const outcome = await pass(steps, body)
    if (undoing !== null) return await undoAll(job, steps, undoing)
    if (outcome.end === 'returned') return outcome.value
    if (outcome.end === 'blocked') throw steps.putOff()
    return await fail(job, steps, outcome.error)
  } catch (error) {
    // The step is not the cause, so nothing counts against it.
    if (isUnavailable(error) && !job.signal.aborted) job.again(1)
    throw error
  }
}

/** Runs the body until it ends or can go no further. Steps that still run are awaited. */
async function pass(steps: Steps, body: Body): Promise<Outcome> {
  const run = async (): Promise<Outcome> => {
    try {
      return { end: 'returned', value: await body(steps.step) }
    } catch (error) {
      return { end: 'failed', error }
    }
  }
  const outcome = await Promise.race([
    run(),
    steps.blocked.then(() => ({ end: 'blocked' }) as const),
  ])
  await steps.close()
  const broken = steps.broken()
  if (broken === undefined) return outcome
  return codeOf(broken.error) === null ? Promise.reject(broken.error) : { end: 'failed', ...broken }
}

async function fail(job: RunningJob, steps: Steps, error: unknown): Promise<never> {
  job.signal.throwIfAborted()
  const code = codeOf(error)
  // Nothing is lost by another attempt, because the steps are kept.
  if (code === null && !job.is_last) throw error
  const undoing = steps.undos().length > 0
  await job.steps.failing({ code: code ?? 'handler_failed', step: stepOf(error), undoing })
  if (undoing) return await undoAll(job, steps, code ?? 'handler_failed')
  throw code === null ? error : new JobFailure(code, { cause: error })
}

/** Null if another attempt may succeed. */
function codeOf(error: unknown): string | null {
  if (error instanceof StepFailed || error instanceof StepMisused) return error.code
  if (error instanceof JobFailure) return error.retryable ? null : error.code
  return error instanceof Problem && error.status < 500 ? error.code : null
}

/** The body may have wrapped the failure of the step. */
function stepOf(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof StepFailed) return cause.step
  }
  return null
}

async function undoAll(job: RunningJob, steps: Steps, code: string): Promise<never> {
  for (const undo of steps.undos()) {
    job.signal.throwIfAborted()
    const step = await undo()
    if (step.state === 'retrying') {
      throw new JobPutOff(0, { names: [step.name], wake_at: step.until })
    }
    if (step.state === 'failed') throw new JobFailure('undo_failed')
  }
  throw new JobFailure(code)
}
