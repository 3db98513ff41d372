/**
 * Runs a call in an attempt of its job. On success, one transaction ends the call and the job. On
 * failure, the call is settled immediately and the job's engine decides whether to retry. A refused
 * quota is never retried.
 */
import { JobFailure, Problem, type RunningJob } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { isBlocked, type Call } from '../operations/call.ts'
import type { Result } from '../operations/call-model.ts'
import type { OperationRow } from '../operations/read-operation.ts'
import { no_sink } from '../operations/reading.ts'
import { resumeCall } from '../operations/resume-call.ts'
import { codeOf, isRetryable, settleCall } from '../operations/settle-call.ts'
import { runCall } from '../tools/loop.ts'

/** The work of an attempt: this call, or nothing because the call has ended. */
export async function takeUp(
  deps: Deps,
  operation_id: string,
): Promise<{ readonly call: Call } | { readonly ended: OperationRow }> {
  try {
    const resumed = await resumeCall(deps, operation_id)
    if ('ended' in resumed && resumed.ended.state !== 'succeeded') {
      throw new JobFailure(resumed.ended.error_code ?? 'service_unavailable')
    }
    if ('call' in resumed && isBlocked(resumed.call)) throw new JobFailure('content_blocked')
    return resumed
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const retryable = error.status >= 500 || error.code === 'idempotency_in_progress'
    throw new JobFailure(error.code, { retryable, cause: error })
  }
}

export async function runInJob(
  deps: Deps,
  job: RunningJob,
  operation_id: string,
): Promise<unknown> {
  const taken = await takeUp(deps, operation_id)
  if ('ended' in taken) return { operation_id }
  const { call } = taken
  const cancelled = deps.calls.enter(call.tenant_id, call.id)
  try {
    const signal = AbortSignal.any([job.signal, cancelled])
    const result = await runCall(deps, call, signal, no_sink)
    return await endInJob(deps, job, call, result)
  } finally {
    deps.calls.leave(call.id)
  }
}

/** `bytes` is the result of the job, if it is not the operation's id. */
export async function endInJob(
  deps: Deps,
  job: RunningJob,
  call: Call,
  result: Result,
  store?: () => Promise<void>,
): Promise<undefined> {
  const { db } = deps.kernel
  if (result.ending.state !== 'succeeded') {
    await db.tx(tx => settleCall(tx, deps, call, result))
    job.signal.throwIfAborted()
    throw new JobFailure(codeOf(result.ending) ?? 'service_unavailable', {
      retryable: isRetryable(result.ending),
    })
  }
  const used = [result.spent, ...call.steps.map(one => one.used)]
  const sum = (of: 'input' | 'output') => used.reduce((all, one) => all + one[of], 0)
  await job.usage({ input_units: sum('input'), output_units: sum('output'), unit: 'token' })
  try {
    await store?.()
    await deps.kernel.fault('inference.before_settle')
    await job.commit(async tx => {
      const settled = await settleCall(tx, deps, call, result)
      if (!settled) throw new JobFailure('service_unavailable', { retryable: true })
      return store ? undefined : { operation_id: call.id }
    })
  } catch (error) {
    // The attempt was lost, but its work was not: the next attempt finds the call completed.
    await db.tx(tx => settleCall(tx, deps, call, result))
    throw error
  }
  return undefined
}
