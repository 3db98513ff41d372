/**
 * Creates an operation in the caller's commit: chooses deployments, decides on the input, and, unless a job
 * will run it later, takes the quota and writes the first attempt. So a call that is sent is always there.
 */
import { Type } from 'typebox'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import type { RequestKey } from '../../../kernel/http/route.ts'
import type { Deps } from '../deps.ts'
import { findCandidates } from '../models/find-candidates.ts'
import { prompts, type PromptVersion } from '../prompts/prompts.ts'
import { reserve } from '../quotas/reserve.ts'
import { decideOn } from '../safety/policy.ts'
import { announceEnd } from './announce-end.ts'
import { isBlocked, type Call, type Parameters, type Workload } from './call.ts'
import { storeContent, type Content } from './contents.ts'
import { recordDecisions } from './record-decisions.ts'
import { countTokens } from './tokens.ts'

export type NewCall = {
  readonly id: string
  readonly tenant_id: string
  readonly actor_id: string
  readonly key?: RequestKey | null
  readonly model: string
  readonly content: Content
  readonly parameters: Omit<Parameters, 'max_output_tokens' | 'keyed'> & {
    readonly max_output_tokens?: number
  }
  readonly prompt: PromptVersion
  readonly workload: Workload
  readonly class: Call['class']
  readonly capability?: readonly string[]
  readonly store?: boolean
  readonly metadata?: Readonly<Record<string, string>>
  readonly deadline_ms: number
  readonly job_id?: string
  readonly parent_id?: string
  /** A job runs it later. */
  readonly waits?: true
}

const Made = Type.Object({ created_at: Type.String(), deadline_at: Type.String() })
const max_output_default = 1024

export async function createCall(tx: Tx, deps: Deps, asked: NewCall): Promise<Call> {
  const { tenant_id, id, content, prompt } = asked
  const text = textOf(content)
  const estimated_input = (await countTokens(text)) + (await countTokens(prompts[prompt])) + 16
  const { max_output_tokens: wanted } = asked.parameters
  const candidates = await findCandidates(tx, deps, tenant_id, {
    model: asked.model,
    capability: asked.capability ?? capabilityOf(asked),
    input_tokens: estimated_input,
    max_output: wanted ?? 1,
  })
  const decided = decideOn(deps.policy, 'input', text)
  const [first] = candidates
  const room = first.max_context - estimated_input
  const max_output_tokens = wanted ?? Math.min(max_output_default, first.max_output, room)
  const parameters = { ...asked.parameters, max_output_tokens, keyed: Boolean(asked.key) }
  const store = asked.store ?? true
  const draft = { ...asked, parameters, store, estimated_input, deployment: first }
  const started = isBlocked({ decided }) ? 'blocked' : 'running'
  const state = asked.waits ? 'pending' : started
  const { created_at, deadline_at } = await insertOperation(tx, draft, state)
  const input_ref = await storeContent(tx, deps.kernel, { tenant_id, id, store }, sealable(content))
  await tx.run(sql`
    update inference.inference_operations set input_ref = ${input_ref}
    where tenant_id = ${tenant_id} and id = ${id}`)
  const call: Call = {
    ...draft,
    prompt,
    candidates,
    first_deployment_id: first.id,
    metadata: asked.metadata ?? null,
    job_id: asked.job_id ?? null,
    created_at,
    deadline_at,
    decided,
    run: 1,
    attempts: 0,
  }
  if (asked.waits) return call
  await recordDecisions(tx, deps, call, 'input', decided)
  await takeQuota(tx, deps, call, { requests: 1 })
  if (started === 'blocked')
    announceEnd(tx, call, { state: started, error_code: 'content_blocked' }, 1)
  return call
}

/** Reserves for the present run, and writes its first attempt; a blocked input only counts. */
export async function takeQuota(
  tx: Tx,
  deps: Deps,
  call: Call,
  { requests }: { readonly requests: 0 | 1 },
): Promise<void> {
  const sends = !isBlocked(call)
  await reserve(tx, deps, {
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

type Draft = Omit<NewCall, 'parameters'> & {
  readonly parameters: Parameters
  readonly store: boolean
  readonly estimated_input: number
  readonly deployment: { readonly tenant_id: string; readonly id: string }
}

async function insertOperation(tx: Tx, one: Draft, state: string) {
  return await tx.one(
    Made,
    sql`
      insert into inference.inference_operations (tenant_id, id, actor_id, idempotency_key,
        request_fingerprint, model, first_deployment_id, model_deployment_id, deployment_tenant_id,
        workload, streamed, state, error_code, prompt_version, parameters, metadata, store, job_id,
        parent_id, estimated_input, max_output, started_at, completed_at, deadline_at)
      values (${one.tenant_id}, ${one.id}, ${one.actor_id}, ${one.key?.value ?? null},
        ${one.key?.fingerprint ?? null}, ${one.model}, ${one.deployment.id}, ${one.deployment.id},
        ${one.deployment.tenant_id}, ${one.workload}, ${one.class === 'stream'}, ${state},
        ${state === 'blocked' ? 'content_blocked' : null}, ${one.prompt},
        ${sql.json(one.parameters)}::jsonb,
        ${one.metadata ? sql.json(one.metadata) : null}::jsonb, ${one.store}, ${one.job_id ?? null},
        ${one.parent_id ?? null}, ${one.estimated_input}, ${one.parameters.max_output_tokens},
        case when ${state} = 'pending' then null else kernel.now() end,
        case when ${state} = 'blocked' then kernel.now() end,
        kernel.now() + make_interval(secs => ${one.deadline_ms / 1000}))
      returning created_at, deadline_at`,
  )
}

/** All that a person wrote, for the policy and the count of tokens. */
export function textOf({ input, instructions = '' }: Content): string {
  const said = typeof input === 'string' ? input : input.map(one => one.content).join('\n')
  return instructions === '' ? said : `${instructions}\n${said}`
}

function sealable(content: Content): string {
  return JSON.stringify(content)
}

function capabilityOf({ content, class: kind }: NewCall): string[] {
  const json = content.response_format?.type === 'json_schema' ? ['json_schema'] : []
  return ['text', ...json, ...(kind === 'stream' ? ['stream'] : [])]
}
