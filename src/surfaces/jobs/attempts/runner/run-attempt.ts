/**
 * One attempt, from the call of its handler to its end. The handler accesses its job through
 * `RunningJob`. The lease is checked for all writes of the handler. The signal is aborted as soon
 * as the work can have no effect any more.
 */
import { JobFailure, JobPutOff, sql } from '#dodeca/kernel'
import type { Db, Log, RunningJob, StepLog, Tx } from '#dodeca/kernel'
import type { Kernel } from '../../settings.ts'
import type { Ending } from '../ends/decide-end.ts'
import { commitAttempt, type FinalizeDeps } from '../ends/finish-attempts.ts'
import { jsonResult, ResultTooLarge, type Result } from '../ends/result.ts'
import { stopAttempt, Stopped, type Attempt } from './attempt.ts'
import { storeResult } from '../../results/store-result.ts'
import type { Ended, Lease } from '../../steps/record-step.ts'
import { holdAttempt } from '../ends/hold-attempts.ts'
import type { HeldLease } from './heartbeat.ts'
import { noteProgress } from './progress.ts'
import { openProgressLine, type ProgressLine } from './progress-line.ts'

export type RunDeps = FinalizeDeps & {
  readonly log: Log
  readonly progress_kept: number
  now(): number
  readonly traced: Kernel['traced']
  readonly kernel: Pick<Kernel, 'db' | 'objects' | 'fault'>
  /** The stored steps of a workflow. */
  openSteps(lease: Lease, ended: Ended): StepLog
  /** Throws if the result does not match the schema of its type. */
  checkResult(attempt: Attempt, value: unknown): void | Promise<void>
}

export type Run = { readonly ending: Ending; readonly result: Result | null }

/**
 * Undefined if nothing is left to report, because the handler has ended its job itself or has lost
 * it.
 */
export async function runAttempt(deps: RunDeps, attempt: Attempt): Promise<Run | undefined> {
  const { job, line, committed, stored } = runningJob(deps, attempt)
  try {
    const value = await inItsTrace(deps, attempt, () => attempt.handler.run(job))
    await line.flush()
    if (committed()) return undefined
    await deps.checkResult(attempt, value)
    return { ending: { outcome: 'succeeded' }, result: jsonResult(value) ?? stored() }
  } catch (error) {
    if (error instanceof JobPutOff && !committed()) await line.flush().catch(() => {})
    if (committed() || attempt.stopped === 'lease_lost') {
      if (!(error instanceof Stopped)) {
        deps.log.warn({ ...names(attempt), err: error }, 'a handler failed after its job was over')
      }
      return undefined
    }
    return { ending: endingOf(deps, attempt, error), result: null }
  } finally {
    line.close()
  }
}

/** The handler's calls and events continue the trace in which its job was submitted. */
function inItsTrace<T>({ traced }: RunDeps, { lease }: Attempt, run: () => Promise<T>): Promise<T> {
  const { job_id, tenant_id, type, attempt_no, traceparent } = lease
  return traced(
    {
      name: `run ${type}`,
      kind: 'consumer',
      traceparent,
      about: [tenant_id, job_id],
      attributes: { 'dodeca.job_id': job_id, 'dodeca.attempt_no': attempt_no },
    },
    run,
  )
}

function names({ lease }: Attempt) {
  return { job_id: lease.job_id, type: lease.type, attempt_no: lease.attempt_no }
}

function endingOf({ log }: RunDeps, attempt: Attempt, error: unknown): Ending {
  if (error instanceof JobPutOff && attempt.stopped === null) {
    const { after_seconds, waits } = error
    return { outcome: 'released', after_seconds, ...(waits && { waits }) }
  }
  if (error instanceof JobFailure) {
    const { code, retryable, retry_after_seconds } = error
    const after = retry_after_seconds === undefined ? {} : { retry_after_seconds }
    return { outcome: 'failed', error: { code, retryable, ...after } }
  }
  if (attempt.stopped === 'timeout') return { outcome: 'timed_out' }
  if (attempt.stopped === 'stopping') return { outcome: 'released' }
  if (attempt.stopped !== null) return { outcome: 'cancelled' }
  if (error instanceof ResultTooLarge) {
    return { outcome: 'failed', error: { code: 'result_too_large', retryable: false } }
  }
  log.error({ ...names(attempt), err: error }, 'a job failed')
  return { outcome: 'failed', error: { code: 'handler_failed', retryable: true } }
}

type Opened = {
  job: RunningJob
  line: ProgressLine
  committed(): boolean
  stored(): Result | null
}

function runningJob(deps: RunDeps, attempt: Attempt): Opened {
  const { lease, controller } = attempt
  let committed = false
  let stored: Result | null = null
  const lose = (): Stopped => {
    stopAttempt(attempt, 'lease_lost')
    return new Stopped('lease_lost')
  }
  const cancelled = (): Stopped => {
    stopAttempt(attempt, 'cancelled')
    return new Stopped('cancelled')
  }
  const line = openProgressLine(
    async step => {
      const noted = await noteProgress(deps.db, lease, step, deps.progress_kept)
      if (!noted) throw lose()
      attempt.version = Math.max(attempt.version, noted.version)
      if (noted.cancel_requested) stopAttempt(attempt, 'cancelled')
    },
    deps.now,
    error => deps.log.warn({ ...names(attempt), err: error }, 'progress was not written'),
  )
  const commit: RunningJob['commit'] = async effect => {
    if (committed) throw new Error('a job is committed once')
    await line.flush()
    for (;;) {
      const { attempt_id, token_hash } = lease
      const shown = { attempt_id, token_hash, version: attempt.version }
      const finished = await commitAttempt(deps, shown, effect, stored)
      if (finished.said === 'version_conflict') attempt.version = finished.current_version
      else if (finished.said === 'done') {
        committed = true
        return
      } else throw lose()
    }
  }
  let steps: StepLog | undefined
  const job: RunningJob = {
    id: lease.job_id,
    tenant_id: lease.tenant_id,
    type: lease.type,
    schema_version: lease.schema_version,
    principal_id: lease.principal_id,
    session_id: lease.session_id,
    attempt_no: lease.attempt_no,
    is_last: lease.is_last,
    get steps() {
      return (steps ??= deps.openSteps(lease, { lost: lose, cancelled }))
    },
    parameters: lease.parameters ?? {},
    checkpoint: lease.checkpoint,
    signal: controller.signal,
    progress: step => line.say(step),
    again: after_seconds => {
      throw new JobPutOff(after_seconds)
    },
    commit,
    store: async (media_type, bytes) => {
      const hold = async (tx: Tx) => (await holdAttempt(tx, lease)) ?? Promise.reject(lose())
      const { result_ref } = await storeResult(deps.kernel, hold, media_type, bytes)
      stored = { id: result_ref, body: null }
    },
    usage: async usage => {
      if (!(await noteUsage(deps.db, lease, usage))) throw lose()
    },
  }
  return { job, line, committed: () => committed, stored: () => stored }
}

/** For the view of the job, under the lease of its attempt. False if the lease is lost. */
async function noteUsage(
  db: Db,
  { attempt_id, token_hash }: HeldLease,
  usage: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const written = await db.run(sql`
    -- any tenant: a lease token is for one attempt
    update jobs.jobs j set usage = ${sql.json(usage)}
    from jobs.job_attempts a
    where a.id = ${attempt_id} and a.lease_token = ${token_hash}
      and a.state = 'running' and a.leased_until > now()
      and j.tenant_id = a.tenant_id and j.id = a.job_id`)
  return written === 1
}
