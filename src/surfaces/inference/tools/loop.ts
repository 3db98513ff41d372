/**
 * A call whose model may call operations of the platform. A step is a run: one commit settles the run and
 * stores its calls, then they are performed, and one commit reserves the next run. Between the two a
 * reservation without tokens is the lease. The result is that of the last run, which the caller of
 * this function settles.
 */
import { Type } from 'typebox'
import { Problem, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { callModel, type EndReason, type Ending, type Result } from '../operations/call-model.ts'
import type { Call } from '../operations/call.ts'
import { takeQuota } from '../operations/create-call.ts'
import { estimateInput } from '../operations/draft-call.ts'
import type { Sink } from '../operations/reading.ts'
import { lockCounters } from '../quotas/reserve.ts'
import { nothing_known, settleRun } from '../quotas/settle.ts'
import { gone, keepStep } from './keep-step.ts'
import { performCalls } from './perform-calls.ts'
import { aroundInput } from './steps.ts'

export async function runCall(
  deps: Deps,
  call: Call,
  signal: AbortSignal,
  sink: Sink,
): Promise<Result> {
  const { operations, approvals } = call.content
  if (!operations && !approvals) return await callModel(deps, call, signal, sink)
  const to = call.in_tools ? await shown(call, sink) : sink
  for (let reader = to; ; reader = withoutStart(sink)) {
    if (call.in_tools) {
      const ending =
        (await performCalls(deps, call, signal, sink)) ??
        stopAfter(deps, call) ??
        (await goOn(deps, call))
      if (ending) return endedIn(call, ending)
    }
    const result = await callModel(deps, call, signal, reader)
    const { ending, tool_calls = [] } = result
    const acts = ending.state === 'succeeded' && tool_calls.some(one => operations?.[one.name])
    if (!acts) return result
    const kept = await keepStep(deps, call, result)
    if (kept) return { ...result, ...kept }
    // What is not done has its result at once.
    for (const one of call.steps.at(-1)?.calls ?? []) {
      if (one.output !== null) await sink.toolResult(one)
    }
  }
}

/** A reader that comes again, or that approved calls, first gets what there is. */
async function shown(call: Call, sink: Sink): Promise<Sink> {
  await sink.started(call.steps.at(-1)?.model_snapshot ?? call.deployment.model_name)
  for (const one of call.answered) if (one.output !== null) await sink.toolResult(one)
  for (const { text, sealed, tool_calls, calls } of call.steps) {
    if (text !== '') await sink.text(text)
    for (const [at, one] of tool_calls.entries()) await sink.toolCall(one, at === 0 ? sealed : [])
    for (const one of calls) if (one.output !== null) await sink.toolResult(one)
  }
  return withoutStart(sink)
}

const withoutStart = (sink: Sink): Sink => ({ ...sink, started: async () => {} })

/** Why the model is not asked again after this step. */
function stopAfter({ kernel: { settings } }: Deps, call: Call): Ending | undefined {
  const { steps, parameters } = call
  const last = steps.at(-1)
  if (!last) return undefined
  if (last.calls.some(one => one.state === 'asked')) return ends('approval_required')
  if (last.calls.length < last.tool_calls.length) return ends('tool_calls')
  const calls = steps.reduce((sum, step) => sum + step.calls.length, 0)
  const steps_max = parameters.max_steps ?? settings['inference.tool_steps']
  const is_over = steps.length >= steps_max || calls >= settings['inference.tool_calls_per_call']
  return is_over ? ends('max_steps') : undefined
}

const ends = (finish_reason: EndReason): Ending => ({ state: 'succeeded', finish_reason })

/** Releases the lease and reserves the next run, in one commit. Returns why the call ends instead. */
async function goOn(deps: Deps, call: Call): Promise<Ending | undefined> {
  const { tenant_id, id: operation_id, content, prompt, parameters, deployment } = call
  const before = { run: call.run, attempts: call.attempts, input: call.estimated_input }
  const around = aroundInput(call)
  const input = await estimateInput(prompt, content, [...around.before, ...around.after])
  if (input + parameters.max_output_tokens > deployment.max_context) return ends('length')
  call.estimated_input = input
  if (await costsTooMuch(deps, call)) return ends('max_cost')
  await deps.kernel.fault('inference.before_next_step')
  try {
    await deps.kernel.db.tx(async tx => {
      await lockCounters(tx, tenant_id)
      const run = { tenant_id, operation_id, run: call.run }
      if (!(await settleRun(tx, run, { ...nothing_known, as: 'released' }))) throw gone
      call.run++
      takeQuota(tx, deps, call, { requests: 0 })
      await tx.run(sql`
        update inference.inference_operations set run = ${call.run}
        where tenant_id = ${tenant_id} and id = ${operation_id} and state = 'running'`)
    })
  } catch (error) {
    Object.assign(call, {
      run: before.run,
      attempts: before.attempts,
      estimated_input: before.input,
    })
    if (error === gone) return lost
    // A failure would be retried, although its effects are there.
    if (error instanceof Problem && error.code === 'quota_exceeded') return ends('max_cost')
    throw error
  }
  await deps.kernel.fault('inference.after_next_step')
  call.in_tools = false
  return undefined
}

/** Another process has ended the run. */
const lost: Ending = { state: 'failed', code: 'service_unavailable', retryable: true }

const Over = Type.Object({ is_over: Type.Boolean() })

async function costsTooMuch({ kernel: { db } }: Deps, call: Call): Promise<boolean> {
  const { tenant_id, id, deployment, parameters, estimated_input } = call
  const { max_cost, max_output_tokens } = parameters
  if (max_cost === undefined) return false
  const { is_over } = await db.one(
    Over,
    sql`
      select coalesce((
          select sum(u.estimated_cost_minor_units) / 100 from inference.generation_usage u
          where u.tenant_id = ${tenant_id} and u.operation_id = ${id}), 0)
        + coalesce((
          select (${estimated_input}::int * p.input + ${max_output_tokens}::int * p.output) / 1000000
          from inference.model_prices p
          where p.tenant_id = ${deployment.tenant_id} and p.deployment_id = ${deployment.id}
            and p.effective_from <= kernel.now()
          order by p.effective_from desc, p.price_version desc limit 1), 0)
        > ${max_cost}::numeric as is_over`,
  )
  return is_over
}

/** Of a call that ends while no model is asked. */
function endedIn(call: Call, ending: Ending): Result {
  const last = ending.state === 'succeeded' ? call.steps.at(-1) : undefined
  const own = last?.tool_calls.filter(one => !last.calls.some(({ id }) => id === one.id)) ?? []
  return {
    ending,
    text: last?.text ?? '',
    ...(own.length > 0 ? { tool_calls: own } : {}),
    ...(last ? { of_step: true } : {}),
    spent: { ...nothing_known, as: 'released', model_snapshot: last?.model_snapshot ?? null },
    response_id: null,
    decided: [],
    attempt: undefined,
  }
}
