/**
 * Resumes an operation with the same id, for a retry with the same key or a retry of its job. First
 * it settles the run that a dead process left open. The numbers of attempts continue. An operation
 * that has ended for good is only returned.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Type } from 'typebox'
import { sql, violates, type Reader, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { chooseFrom, findModel } from '../models/find-candidates.ts'
import type { Candidate } from '../models/known-models.ts'
import type { PromptVersion } from '../prompts/prompts.ts'
import { decideOn } from '../safety/policy.ts'
import { readSteps } from '../tools/steps.ts'
import { isBlocked, type Call, type Parameters, type Workload } from './call.ts'
import { readChain } from './chain.ts'
import { readContent, type Content } from './contents.ts'
import { holdForTools, takeQuota } from './create-call.ts'
import { capabilityOf, textOf } from './draft-call.ts'
import { readOperation, type OperationKey, type OperationRow } from './read-operation.ts'
import { recordDecisions } from './record-decisions.ts'
import { settleAbandoned } from './settle-abandoned.ts'

export type Resumed = { readonly call: Call } | { readonly ended: OperationRow }

const Held = Type.Object({ alive: Type.Boolean(), dispatched: Type.Boolean() })
const looks_max = 20
const look_ms = 100

/** By its id alone, because the record of its key, or its job, names it. */
export async function resumeCall(deps: Deps, id: string): Promise<Resumed> {
  const { tenant_id, model } = await deps.kernel.db.one(
    Type.Object({ tenant_id: Type.String(), model: Type.String() }),
    sql`
      -- any tenant: the operation's own id
      select tenant_id, model from inference.inference_operations where id = ${id}`,
  )
  const key = { tenant_id, id }
  for (let looks = 1; ; looks++) {
    const found = await findModel(deps, tenant_id, model)
    const resumed = await deps.kernel.db
      .tx(tx => resumeIn(tx, deps, key, found))
      .catch((error: unknown) => {
        // Another request started the same run.
        if (violates(error, 'quota_reservations_pkey')) return 'running' as const
        throw error
      })
    if (resumed !== 'running') return resumed
    // The earlier run is being settled, or its process died and its lease has not expired yet.
    if (looks === looks_max) {
      throw problem('idempotency_in_progress', { retry_after: 1, headers: { 'retry-after': '1' } })
    }
    await wait(look_ms)
  }
}

async function resumeIn(
  tx: Tx,
  deps: Deps,
  key: OperationKey,
  found: readonly Candidate[],
): Promise<Resumed | 'running'> {
  let row = await readOperation(tx, key)
  if (!row) throw problem('inference_not_found')
  if (row.state === 'running' || row.state === 'reconciling') {
    const { tenant_id, id: operation_id, run } = row
    const held = await tx.maybe(
      Held,
      sql`
        select lease_until > now() as alive, dispatched_at is not null as dispatched
        from inference.quota_reservations
        where tenant_id = ${tenant_id} and operation_id = ${operation_id} and run = ${run}
          and state = 'held'`,
    )
    if (held?.alive) return 'running'
    if (held) await settleAbandoned(tx, { tenant_id, operation_id, run, ...held })
    row = (await readOperation(tx, key)) ?? row
  }
  const may_run = row.state === 'pending' || row.retryable
  if (!may_run) return { ended: row }
  return { call: await beginAgain(tx, deps, row, found) }
}

/** Builds the call of an operation for one run. */
export async function callOf(
  reader: Reader,
  deps: Deps,
  row: OperationRow,
  found: readonly Candidate[],
  run = row.run,
): Promise<Call> {
  const { tenant_id, id, job_id } = row
  const content = await openContent(reader, deps, row)
  const parameters = row.parameters as Parameters
  const before = await readChain(reader, deps.kernel, row, row.previous_id)
  const kind = classOf(row)
  const candidates = chooseFrom(found, {
    capability: capabilityOf({ content, before, parameters, class: kind }),
    input_tokens: row.estimated_input,
    max_output: parameters.max_output_tokens,
    ...(content.caller ? { may: one => one.runs_tools } : {}),
  })
  const acted =
    row.steps > 0 || content.approvals
      ? await readSteps(reader, deps.kernel, tenant_id, [id])
      : undefined
  const steps = [...(acted?.of.get(id) ?? [])]
  const answered = acted?.answered.get(id) ?? []
  return {
    tenant_id,
    id,
    actor_id: row.actor_id,
    model: row.model,
    workload: row.workload as Workload,
    class: kind,
    prompt: row.prompt_version as PromptVersion,
    content,
    previous_id: row.previous_id,
    before,
    parameters,
    store: row.store,
    metadata: row.metadata as Call['metadata'],
    tags: row.tags,
    job_id,
    estimated_input: row.estimated_input,
    candidates,
    first_deployment_id: row.first_deployment_id,
    deadline_at: row.deadline_at,
    created_at: row.created_at,
    decided: decideOn(deps.policy, 'input', textOf(content)),
    answered,
    steps,
    // The model is not asked again for a step that has calls.
    in_tools: steps.length > 0 || answered.length > 0,
    run,
    deployment: candidates.find(one => one.id === row.model_deployment_id) ?? candidates[0],
    attempts: row.attempts,
  }
}

export const nextDeadline = sql`kernel.now()
  + make_interval(secs => (parameters ->> 'deadline_ms')::float8 / 1000)`

/** Reserves quota for another run. If the quota refuses, the operation does not change. */
async function beginAgain(
  tx: Tx,
  deps: Deps,
  row: OperationRow,
  found: readonly Candidate[],
): Promise<Call> {
  const { tenant_id, id } = row
  const run = row.state === 'pending' ? row.run : row.run + 1
  const call = await callOf(tx, deps, row, found, run)
  call.deployment = call.candidates[0]
  recordDecisions(tx, deps, call, 'input', call.decided)
  if (call.in_tools && !isBlocked(call)) holdForTools(tx, deps, call, { requests: 1 })
  else takeQuota(tx, deps, call, { requests: 1 })
  const state = isBlocked(call) ? 'blocked' : 'running'
  const { deadline_at } = await tx.one(
    Type.Object({ deadline_at: Type.String() }),
    sql`
      update inference.inference_operations
      set state = ${state}, run = ${run}, retryable = false,
        error_code = case when ${state} = 'blocked' then 'content_blocked' end,
        completed_at = case when ${state} = 'blocked' then kernel.now() end,
        started_at = coalesce(started_at, kernel.now()), version = version + 1,
        model_deployment_id = ${call.deployment.id},
        deployment_tenant_id = ${call.deployment.tenant_id},
        -- A retry has as much time as the first request had.
        deadline_at = case when job_id is null then ${nextDeadline} else deadline_at end
      where tenant_id = ${tenant_id} and id = ${id} and state = ${row.state}
      returning deadline_at`,
  )
  return { ...call, deadline_at }
}

function classOf({ job_id, streamed }: OperationRow): Call['class'] {
  if (job_id !== null) return 'job'
  return streamed ? 'stream' : 'call'
}

async function openContent(reader: Reader, { kernel }: Deps, row: OperationRow): Promise<Content> {
  const text = await readContent(reader, kernel, row.tenant_id, row.input_ref)
  if (text === undefined) throw problem('inference_not_found')
  return JSON.parse(text) as Content
}
