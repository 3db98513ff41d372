/**
 * Creates an operation in the caller's transaction. Unless a job will run it later, it also
 * reserves quota and writes the first attempt. So every call that is sent has a row. Its statements
 * are sent with COMMIT, in one packet; the times of the call are known after the commit.
 */
import { Type } from 'typebox'
import { sql, type Sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { countOnOwner } from '../quotas/key-owners.ts'
import { reserve } from '../quotas/reserve.ts'
import { keepTags, tagsOf } from '../quotas/tags.ts'
import { takeApprovals } from '../tools/approvals.ts'
import { readSteps } from '../tools/steps.ts'
import { announceEnd } from './announce-end.ts'
import { isBlocked, type Call } from './call.ts'
import { keepContent } from './contents.ts'
import type { CallDraft } from './draft-call.ts'
import { recordDecisions } from './record-decisions.ts'

const Made = Type.Object({
  created_at: Type.String(),
  deadline_at: Type.String(),
  tags: Type.Array(Type.String()),
})

export type CallKey = { readonly id: string; readonly job_id?: string }

export async function createCall(
  tx: Tx,
  deps: Deps,
  draft: CallDraft,
  { id, job_id }: CallKey,
): Promise<Call> {
  const [first] = draft.candidates
  const started = isBlocked(draft) ? 'blocked' : 'running'
  const state = draft.waits ? 'pending' : started
  const call: Call = {
    ...draft,
    id,
    metadata: draft.metadata ?? null,
    tags: draft.tags ?? [],
    job_id: job_id ?? null,
    first_deployment_id: first.id,
    deployment: first,
    created_at: '',
    deadline_at: '',
    answered: [],
    steps: [],
    in_tools: false,
    run: 1,
    attempts: 0,
  }
  if (draft.content.approvals && !isBlocked(draft))
    Object.assign(call, await answer(tx, deps, call))
  await countOnOwner(tx, deps, call.tenant_id, call.actor_id)
  await keepTags(tx, deps, call.tenant_id, call.tags)
  const made = insertion(draft, call, state)
  // A job is submitted with the deadline of its call.
  if (draft.waits) Object.assign(call, await tx.one(Made, made))
  else tx.atCommit(made, { row: Made, answered: ([row]) => void Object.assign(call, row) })
  if (draft.input) keepContent(tx, call, draft.input)
  if (draft.waits) return call
  recordDecisions(tx, deps, call, 'input', call.decided)
  if (call.in_tools) holdForTools(tx, deps, call, { requests: 1 })
  else takeQuota(tx, deps, call, { requests: 1 })
  if (state === 'blocked') announceEnd(tx, call, { state, error_code: 'content_blocked' }, 1)
  return call
}

/**
 * Reserves quota for the current run and writes its first attempt. A blocked input only counts as a
 * request.
 */
export function takeQuota(
  tx: Tx,
  deps: Deps,
  call: Call,
  { requests }: { readonly requests: 0 | 1 },
): void {
  const sends = !isBlocked(call)
  reserve(tx, deps, {
    tenant_id: call.tenant_id,
    actor_id: call.actor_id,
    operation_id: call.id,
    run: call.run,
    class: call.class,
    deployment: call.deployment,
    input: call.estimated_input,
    output: call.parameters.max_output_tokens,
    requests,
    hold: sends,
    attempt: sends ? call.attempts + 1 : null,
  })
  if (sends) call.attempts++
}

/**
 * Reserves no tokens: the lease of a process that performs what the model called, and a place among the
 * calls that run at one time.
 */
export function holdForTools(
  tx: Tx,
  deps: Deps,
  call: Call,
  { requests }: { readonly requests: 0 | 1 },
): void {
  const { tenant_id, actor_id, id: operation_id, run, class: kind, deployment } = call
  const of = { tenant_id, actor_id, operation_id, run, class: kind, deployment, requests }
  reserve(tx, deps, { ...of, input: 0, output: 0, hold: true, attempt: null })
}

/** The calls of tools that this call answers are performed before its model is asked. */
async function answer(tx: Tx, { kernel }: Deps, call: Call) {
  await takeApprovals(tx, call)
  const { answered } = await readSteps(tx, kernel, call.tenant_id, [call.id])
  return { answered: answered.get(call.id) ?? [], in_tools: true }
}

function insertion(draft: CallDraft, call: Call, state: string): Sql {
  const { key, input } = draft
  const is_blocked = state === 'blocked'
  return sql`
      insert into inference.inference_operations (tenant_id, id, actor_id, idempotency_key,
        request_fingerprint, model, first_deployment_id, model_deployment_id,
        deployment_tenant_id, workload, streamed, state, error_code, input_ref, prompt_version,
        parameters, metadata, store, job_id, parent_id, previous_id, tags, estimated_input, max_output,
        created_at, started_at, completed_at, deadline_at)
      values (${call.tenant_id}, ${call.id}, ${call.actor_id}, ${key?.value ?? null},
        ${key?.fingerprint ?? null}, ${call.model}, ${call.deployment.id}, ${call.deployment.id},
        ${call.deployment.tenant_id}, ${call.workload}, ${call.class === 'stream'}, ${state},
        ${is_blocked ? 'content_blocked' : null}, ${input?.id ?? null}, ${call.prompt},
        ${sql.json(call.parameters)}::jsonb,
        ${call.metadata ? sql.json(call.metadata) : null}::jsonb, ${call.store}, ${call.job_id},
        ${draft.parent_id ?? null}, ${call.previous_id},
        ${tagsOf(call.tenant_id, call.actor_id, call.tags)}, ${call.estimated_input},
        ${call.parameters.max_output_tokens}, kernel.now(),
        case when ${state !== 'pending'} then kernel.now() end,
        case when ${is_blocked} then kernel.now() end,
        kernel.now() + make_interval(secs => ${draft.deadline_ms / 1000}))
      returning created_at, deadline_at, tags`
}
