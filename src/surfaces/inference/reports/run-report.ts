/**
 * Writes a report in an attempt of its job. If the provider works in the background, its response
 * is polled until it ends, and immediately when a webhook names it. An attempt after a crash
 * continues to poll the same response. If the reply to the create was lost, the state is
 * `reconciling`: the provider's webhook names our operation.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Type } from 'typebox'
import { JobFailure, sql, type RunningJob } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { endInJob, takeUp } from '../jobs/run-in-job.ts'
import type { Call } from '../operations/call.ts'
import { callModel, requestOf, type Result } from '../operations/call-model.ts'
import { openLedger } from '../operations/ledger.ts'
import { no_sink } from '../operations/reading.ts'
import { readOperationOfJob } from '../operations/read-operation.ts'
import { findModel } from '../models/find-candidates.ts'
import { callOf } from '../operations/resume-call.ts'
import { readOutput } from '../operations/contents.ts'
import { ProviderFailure, type Provider, type ProviderResponse } from '../providers/provider.ts'
import { failed, resultOf } from './make-result.ts'

export const response_topic = 'inference.responses'
const poll_ms = 2000
const cancel_ms = 10_000
const media_type = 'text/markdown'

type Begun = {
  readonly call: Call
  /** The response of the run before has ended, so this run asks for another one. */
  readonly is_next: boolean
}

export async function runReport(
  deps: Deps,
  job: RunningJob,
  operation_id: string,
): Promise<unknown> {
  const begun = (await callUnderWay(deps, job)) ?? (await beginCall(deps, job, operation_id))
  if (!begun) return undefined
  const { call } = begun
  const provider = deps.providers.of(call.deployment)
  const store = (result: Result) => () => job.store(media_type, Buffer.from(result.text))
  const cancelled = deps.calls.enter(call.tenant_id, call.id)
  const signal = AbortSignal.any([job.signal, cancelled])
  try {
    const result = provider?.has_background
      ? await inBackground(deps, provider, begun, signal)
      : await callModel(deps, call, signal, no_sink)
    return await endInJob(deps, job, call, result, store(result))
  } finally {
    deps.calls.leave(call.id)
  }
}

/** The response of an earlier attempt is still running at the provider. */
async function callUnderWay(deps: Deps, job: RunningJob): Promise<Begun | undefined> {
  const { db } = deps.kernel
  const row = await readOperationOfJob(db, { tenant_id: job.tenant_id, job_id: job.id })
  if (!row || (row.state !== 'running' && row.state !== 'reconciling')) return undefined
  const is_there = row.state === 'reconciling' || row.provider_response_id !== null
  if (!is_there) return undefined
  const found = await findModel(deps, row.tenant_id, row.model)
  return { call: await callOf(db, deps, row, found), is_next: false }
}

/** Undefined if the report was written before, and only its result is missing. */
async function beginCall(
  deps: Deps,
  job: RunningJob,
  operation_id: string,
): Promise<Begun | undefined> {
  const taken = await takeUp(deps, operation_id)
  if ('call' in taken) {
    const { call } = taken
    return { call, is_next: await forgetResponse(deps, call) }
  }
  const { db } = deps.kernel
  const output = await readOutput(db, deps.kernel, taken.ended)
  if (output === undefined) throw new JobFailure('result_expired')
  await job.store(media_type, Buffer.from(output.text))
  return undefined
}

const Before = Type.Object({ has_ended: Type.Boolean() })

/**
 * The response of an earlier run has failed, so a new run must not follow it. Returns false if the
 * earlier run was interrupted: its response may still be running under the same key.
 */
async function forgetResponse({ kernel: { db } }: Deps, { tenant_id, id, run }: Call) {
  const forgotten = await db.run(sql`
    update inference.inference_operations set provider_response_id = null
    where tenant_id = ${tenant_id} and id = ${id} and run = ${run} and state = 'running'
      and provider_response_id is not null`)
  if (forgotten > 0) return true
  const before = await db.maybe(
    Before,
    sql`
      select state not in ('started', 'ambiguous') as has_ended
      from inference.inference_attempts
      where tenant_id = ${tenant_id} and operation_id = ${id} and run < ${run}
      order by attempt desc limit 1`,
  )
  return before?.has_ended ?? false
}

async function inBackground(
  deps: Deps,
  provider: Provider,
  { call, is_next }: Begun,
  signal: AbortSignal,
): Promise<Result> {
  const began_ms = performance.now()
  const ledger = openLedger(deps, call)
  const { sent } = await stateOf(deps, call)
  if (!sent) {
    const options = { signal, ledger, deadline: new Date(call.deadline_at) }
    const request = requestOf(deps, call)
    // For the same key the provider returns the same response.
    const provider_key = is_next ? `${request.provider_key}.${call.run}` : request.provider_key
    let response_id: string | null = null
    try {
      ;({ response_id } = await provider.background({ ...request, provider_key }, options))
    } catch (error) {
      const is_lost = error instanceof ProviderFailure && error.ambiguous
      if (!is_lost) return failed(ledger, error, began_ms)
    }
    await deps.kernel.fault('inference.after_background')
    await noteSent(deps, call, response_id)
  }
  const ended = await follow(deps, provider, call, signal)
  return await resultOf(deps, call, ledger, ended, began_ms)
}

const Sent = Type.Object({
  state: Type.String(),
  provider_response_id: Type.Union([Type.String(), Type.Null()]),
})

async function stateOf({ kernel: { db } }: Deps, { tenant_id, id }: Call) {
  const { state, provider_response_id } = await db.one(
    Sent,
    sql`
      select state, provider_response_id from inference.inference_operations
      where tenant_id = ${tenant_id} and id = ${id}`,
  )
  return { sent: state === 'reconciling' || provider_response_id !== null, provider_response_id }
}

/**
 * From now on the response can continue without this process: its reservation is kept until the
 * deadline.
 */
async function noteSent({ kernel: { db } }: Deps, call: Call, response_id: string | null) {
  const { tenant_id, id, run } = call
  await db.tx(async tx => {
    await tx.run(sql`
      update inference.inference_operations
      set provider_response_id = coalesce(${response_id}, provider_response_id),
        state = case when ${response_id}::text is null then 'reconciling' else 'running' end,
        version = version + 1
      where tenant_id = ${tenant_id} and id = ${id} and state in ('running', 'reconciling')`)
    await tx.run(sql`
      update inference.quota_reservations r
      set lease_until = now() + (o.deadline_at - kernel.now()) + interval '1 minute'
      from inference.inference_operations o
      where r.tenant_id = ${tenant_id} and r.operation_id = ${id} and r.run = ${run}
        and r.state = 'held' and o.tenant_id = r.tenant_id and o.id = r.operation_id`)
  })
}

/**
 * Polls until it ends; undefined at the deadline. An attempt that only stops leaves the response
 * running.
 */
async function follow(
  deps: Deps,
  provider: Provider,
  call: Call,
  signal: AbortSignal,
): Promise<ProviderResponse | undefined> {
  const { kernel } = deps
  let wake = () => {}
  const stopListening = kernel.onWake(() => wake(), [response_topic])
  try {
    for (;;) {
      const { provider_response_id: id } = await stateOf(deps, call)
      if (isCancelled(signal) && id !== null) {
        return await provider.cancel(id, AbortSignal.timeout(cancel_ms))
      }
      signal.throwIfAborted()
      const response = id === null ? undefined : await lookAt(provider, id, signal)
      if (response?.outcome) return response
      if (kernel.clock.nowMs() > Date.parse(call.deadline_at)) {
        return id === null ? undefined : await stopLate(deps, provider, call, id)
      }
      const woken = Promise.withResolvers<undefined>()
      wake = () => woken.resolve(undefined)
      await Promise.race([woken.promise, wait(poll_ms, undefined, { signal }).catch(() => {})])
    }
  } finally {
    stopListening()
  }
}

/**
 * Nothing reads the response any more, so the provider must not go on with it. A response that
 * ended meanwhile is used.
 */
async function stopLate(
  { kernel: { log } }: Deps,
  provider: Provider,
  { id: operation_id }: Call,
  response_id: string,
): Promise<ProviderResponse | undefined> {
  try {
    const response = await provider.cancel(response_id, AbortSignal.timeout(cancel_ms))
    return response.outcome && response.status !== 'cancelled' ? response : undefined
  } catch (error) {
    log.warn({ operation_id, err: error }, 'a late response could not be cancelled')
    return undefined
  }
}

/** A provider that fails now is asked again until the deadline: its response goes on. */
async function lookAt(
  provider: Provider,
  response_id: string,
  signal: AbortSignal,
): Promise<ProviderResponse | undefined> {
  try {
    return await provider.retrieve(response_id, signal)
  } catch (error) {
    const passes = error instanceof ProviderFailure && error.retryable
    if (passes && error.reason !== 'http_404') return undefined
    throw error
  }
}

/** The job's own signal distinguishes a cancel from a stopping process. */
function isCancelled({ aborted, reason }: AbortSignal): boolean {
  const { reason: why, name } = (reason ?? {}) as { reason?: string; name?: string }
  return aborted && (why === 'cancelled' || why === 'deadline' || name === 'CallCancelled')
}
