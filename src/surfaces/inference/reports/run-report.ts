/**
 * Writes a report in an attempt of its job. If the provider works in the background, its response
 * is polled until it ends, and immediately when a webhook names it. An attempt after a crash
 * continues to poll the same response. If the reply to the create was lost, the state is
 * `reconciling`: the provider's webhook names our operation.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Type } from 'typebox'
import { JobFailure } from '../../../kernel/errors/job-failure.ts'
import { sql } from '../../../kernel/database/sql.ts'
import type { RunningJob } from '../../../kernel/surface.ts'
import type { Deps } from '../deps.ts'
import { endInJob, takeUp } from '../jobs/run-in-job.ts'
import type { Call } from '../operations/call.ts'
import { callModel, requestOf, type Result } from '../operations/call-model.ts'
import { openLedger } from '../operations/ledger.ts'
import { readOperationOfJob } from '../operations/read-operation.ts'
import { findModel } from '../models/find-candidates.ts'
import { callOf } from '../operations/resume-call.ts'
import { readContent } from '../operations/contents.ts'
import { countTokens } from '../operations/tokens.ts'
import { ProviderFailure, type Provider, type ProviderResponse } from '../providers/provider.ts'
import type { Spent } from '../quotas/settle.ts'
import { OutputScanner } from '../safety/scanner.ts'

export const response_topic = 'inference.responses'
const poll_ms = 2000
const media_type = 'text/markdown'

export async function runReport(
  deps: Deps,
  job: RunningJob,
  operation_id: string,
): Promise<unknown> {
  const call = (await callUnderWay(deps, job)) ?? (await beginCall(deps, job, operation_id))
  if (!call) return undefined
  const provider = deps.providers.find(call.deployment.provider)
  const store = (result: Result) => () => job.store(media_type, Buffer.from(result.text))
  const cancelled = deps.calls.enter(call.tenant_id, call.id)
  const signal = AbortSignal.any([job.signal, cancelled])
  try {
    const result = provider?.has_background
      ? await inBackground(deps, provider, call, signal)
      : await callModel(deps, call, signal, {
          started: async () => {},
          text: async () => {},
        })
    return await endInJob(deps, job, call, result, store(result))
  } finally {
    deps.calls.leave(call.id)
  }
}

/** The response of an earlier attempt is still running at the provider. */
async function callUnderWay(deps: Deps, job: RunningJob): Promise<Call | undefined> {
  const { db } = deps.kernel
  const row = await readOperationOfJob(db, { tenant_id: job.tenant_id, job_id: job.id })
  if (!row || (row.state !== 'running' && row.state !== 'reconciling')) return undefined
  const is_there = row.state === 'reconciling' || row.provider_response_id !== null
  if (!is_there) return undefined
  const found = await findModel(deps, row.tenant_id, row.model)
  return await callOf(db, deps, row, found)
}

/** Undefined if the report was written before, and only its result is missing. */
async function beginCall(
  deps: Deps,
  job: RunningJob,
  operation_id: string,
): Promise<Call | undefined> {
  const taken = await takeUp(deps, operation_id)
  if ('call' in taken) return taken.call
  const { db } = deps.kernel
  const { tenant_id, output_ref } = taken.ended
  const text = await readContent(db, deps.kernel, tenant_id, output_ref)
  if (text === undefined) throw new JobFailure('result_expired')
  await job.store(media_type, Buffer.from(text))
  return undefined
}

async function inBackground(
  deps: Deps,
  provider: Provider,
  call: Call,
  signal: AbortSignal,
): Promise<Result> {
  const began_ms = performance.now()
  const ledger = openLedger(deps, call)
  let response = await stateOf(deps, call)
  if (!response.sent) {
    const options = { signal, ledger, deadline: new Date(call.deadline_at) }
    try {
      const { response_id } = await provider.background(requestOf(deps, call), options)
      await deps.kernel.fault('inference.after_background')
      await noteSent(deps, call, response_id)
    } catch (error) {
      const is_lost = error instanceof ProviderFailure && error.ambiguous
      if (!is_lost) return failed(call, ledger, error, began_ms)
      await noteSent(deps, call, null)
    }
    response = await stateOf(deps, call)
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
      set provider_response_id = coalesce(provider_response_id, ${response_id}),
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
        return await provider.cancel(id, AbortSignal.timeout(10_000))
      }
      signal.throwIfAborted()
      const response = id === null ? undefined : await lookAt(provider, id, signal)
      if (response?.outcome) return response
      if (kernel.clock.nowMs() > Date.parse(call.deadline_at)) return undefined
      const woken = Promise.withResolvers<undefined>()
      wake = () => woken.resolve(undefined)
      await Promise.race([woken.promise, wait(poll_ms, undefined, { signal }).catch(() => {})])
    }
  } finally {
    stopListening()
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

const none = {
  cached_input: 0,
  reasoning: 0,
  source: 'estimated' as const,
  model_snapshot: null,
  provider_request_id: null,
}

function failed(
  _call: Call,
  ledger: ReturnType<typeof openLedger>,
  error: unknown,
  began_ms: number,
): Result {
  const failure = error instanceof ProviderFailure ? error : undefined
  const compute_ms = Math.round(performance.now() - began_ms)
  const as = ledger.sent() ? 'failed' : 'released'
  const spent: Spent = { ...none, input: 0, output: 0, compute_ms, as }
  const code = failure && failure.code !== 'aborted' ? failure.code : 'service_unavailable'
  return {
    ending:
      code === 'content_blocked'
        ? { state: 'blocked' }
        : { state: 'failed', code, retryable: failure?.retryable ?? true },
    text: '',
    spent,
    response_id: null,
    decided: [],
    attempt: ledger.last(),
  }
}

async function resultOf(
  deps: Deps,
  call: Call,
  ledger: ReturnType<typeof openLedger>,
  ended: ProviderResponse | undefined,
  began_ms: number,
): Promise<Result> {
  const compute_ms = Math.round(performance.now() - began_ms)
  const attempt = ledger.last()
  if (!ended) {
    const spent: Spent = { ...none, input: 0, output: 0, compute_ms, as: 'ambiguous' }
    const ending = { state: 'failed', code: 'upstream_timeout', retryable: false } as const
    return { ending, text: '', spent, response_id: null, decided: [], attempt }
  }
  const scanner = new OutputScanner(deps.policy)
  const begun = scanner.push(ended.text)
  const rest = begun.blocked ? begun : scanner.end()
  const text = begun.blocked ? begun.text : begun.text + rest.text
  const ending = begun.blocked || rest.blocked ? ({ state: 'blocked' } as const) : endingOf(ended)
  const { usage, model_snapshot, response_id } = ended
  const as = ending.state
  const spent: Spent = usage
    ? { ...none, ...usage, source: 'provider', model_snapshot, compute_ms, as }
    : {
        ...none,
        input: call.estimated_input,
        output: await countTokens(ended.text),
        model_snapshot,
        compute_ms,
        as,
      }
  return { ending, text, spent, response_id, decided: scanner.decided, attempt }
}

function endingOf({ status, outcome }: ProviderResponse): Result['ending'] {
  if (status === 'cancelled') {
    return { state: 'cancelled', code: 'inference_cancelled', retryable: false }
  }
  if (outcome && !(outcome instanceof ProviderFailure)) {
    return { state: 'succeeded', finish_reason: outcome.ended }
  }
  if (outcome?.blocked || outcome?.code === 'content_blocked') return { state: 'blocked' }
  const code =
    outcome && outcome.code !== 'aborted' ? outcome.code : ('service_unavailable' as const)
  return {
    state: 'failed',
    code,
    retryable: outcome?.retryable ?? true,
  }
}
