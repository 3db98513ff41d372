/**
 * One commit settles a run, stores the calls of its answer, and takes the lease under which they are
 * performed. A run that another process has ended stores nothing: of two answers, one is performed.
 */
import { cutResult, newId, Problem, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { Ending, Result } from '../operations/call-model.ts'
import type { Call } from '../operations/call.ts'
import { keepContent, sealContent, type Caller } from '../operations/contents.ts'
import { holdForTools } from '../operations/create-call.ts'
import { writeEnd } from '../operations/ledger.ts'
import { recordDecisions } from '../operations/record-decisions.ts'
import type { ToolCall } from '../providers/form.ts'
import { lockCounters } from '../quotas/reserve.ts'
import { settleRun } from '../quotas/settle.ts'
import { principalOf } from './acting.ts'
import { mayWriteUnattended } from './offer.ts'
import type { Performable, Said, Step } from './steps.ts'

/** Thrown where another process has ended the run. */
export const gone = new Error('the run has ended')

/** The result that ends the call instead, if the step could not be stored. */
export async function keepStep(
  deps: Deps,
  call: Call,
  result: Result,
): Promise<Partial<Result> | undefined> {
  const step = await planned(deps, call, result)
  const { run } = call
  await deps.kernel.fault('inference.before_step')
  try {
    await deps.kernel.db.tx(tx => keepIn(tx, deps, call, { result, step }))
  } catch (error) {
    call.run = run
    const { tool_calls: _calls, sealed: _sealed, ...rest } = result
    if (error === gone) {
      const ending: Ending = { state: 'failed', code: 'service_unavailable', retryable: true }
      return { ...rest, ending, tool_calls: [] }
    }
    if (!(error instanceof Problem) || error.code !== 'quota_exceeded') throw error
    const ending: Ending = { state: 'succeeded', finish_reason: 'max_cost' }
    return { ...rest, ending, tool_calls: [] }
  }
  await deps.kernel.fault('inference.after_step')
  call.steps.push(step)
  call.in_tools = true
  return undefined
}

/** What becomes of each call: performed, asked for, or refused because there are too many. */
async function planned(deps: Deps, call: Call, result: Result): Promise<Step> {
  const { text, tool_calls = [], sealed = [], spent } = result
  const { operations = {}, caller } = call.content
  const { settings } = deps.kernel
  const before = call.steps.reduce((sum, step) => sum + step.calls.length, 0)
  const room = Math.min(
    settings['inference.tool_calls_per_step'],
    Math.max(0, settings['inference.tool_calls_per_call'] - before),
  )
  const acting = tool_calls.filter(one => operations[one.name])
  const unattended =
    acting.some(one => operations[one.name] === 'none') &&
    caller !== undefined &&
    (await mayWriteUnattended(deps, principalOf(call, caller)))
  const plan = async (one: ToolCall, at: number): Promise<Performable> => {
    const row = { ...one, row_id: newId(), output: null }
    if (at >= room) return { ...row, state: 'refused', output: too_many }
    const state = stateOf(deps, one, unattended && operations[one.name] === 'none')
    const fault = state === 'asked' && caller ? await faultOf(deps, call, caller, one) : null
    return fault === null ? { ...row, state } : { ...row, state: 'failed', output: fault }
  }
  const calls = await Promise.all(acting.map(plan))
  const { model_snapshot, input, output } = spent
  return { text, sealed, tool_calls, model_snapshot, used: { input, output }, calls }
}

const too_many = 'There were too many calls. This one was not done.'

function stateOf({ kernel }: Deps, { name }: ToolCall, unattended: boolean): 'running' | 'asked' {
  const mode = kernel.tools().get(name)?.mode
  return mode === 'confirm' || (mode === 'write' && !unattended) ? 'asked' : 'running'
}

/** A call that cannot be done as the model wrote it is not asked. A lost right is found after the yes. */
async function faultOf({ kernel }: Deps, call: Call, caller: Caller, one: ToolCall) {
  const refused = await kernel.checkCall({
    operation: one.name,
    arguments: JSON.parse(one.arguments) as Record<string, unknown>,
    principal: principalOf(call, caller),
    ip: caller.ip,
    request_id: call.id,
    signal: AbortSignal.timeout(kernel.settings['inference.tool_read_ms']),
  })
  if (!refused || [401, 403].includes(refused.status) || refused.status >= 500) return null
  return cutResult(refused.body ?? '', kernel.settings['kernel.tool_result_bytes'])
}

type Keeping = { readonly result: Result; readonly step: Step }

async function keepIn(tx: Tx, deps: Deps, call: Call, { result, step }: Keeping): Promise<void> {
  const { tenant_id, id: operation_id, run, store } = call
  const { kernel } = deps
  const { calls, ...said } = step
  await lockCounters(tx, tenant_id)
  if (!(await settleRun(tx, { tenant_id, operation_id, run }, result.spent))) throw gone
  await writeEnd(tx, call, result.attempt)
  recordDecisions(tx, deps, call, 'output', result.decided)
  const content = sealContent(kernel, store, JSON.stringify(said satisfies Said))
  keepContent(tx, call, content)
  const rows = calls.map(({ row_id, id: call_id, name, state, output }, place) => {
    const got = output === null ? undefined : sealContent(kernel, store, output)
    if (got) keepContent(tx, call, got)
    return { id: row_id, place, call_id, name, state, result: got?.id ?? null }
  })
  const shape = {
    id: 'uuid',
    place: 'int',
    call_id: 'text',
    name: 'text',
    state: 'text',
    result: 'uuid',
  } as const
  await tx.run(sql`
    insert into inference.tool_calls (tenant_id, id, operation_id, step, place, call_id, name, state,
      said_ref, result_ref, asked_until, completed_at)
    select ${tenant_id}, r.id, ${operation_id}, ${call.steps.length}, r.place, r.call_id, r.name,
      r.state, ${content.id}, r.result,
      case when r.state = 'asked' then kernel.now()
        + make_interval(mins => ${kernel.settings['inference.tool_approval_minutes']}) end,
      case when r.result is not null then kernel.now() end
    from ${sql.table(rows, shape)} r`)
  call.run = run + 1
  holdForTools(tx, deps, call, { requests: 0 })
  const kept = await tx.run(sql`
    update inference.inference_operations
    set run = ${call.run}, steps = steps + 1,
      reasoning_units = reasoning_units + ${result.spent.reasoning}
    where tenant_id = ${tenant_id} and id = ${operation_id} and run = ${run}
      and state = 'running' and steps = ${call.steps.length}`)
  if (kept === 0) throw gone
}
