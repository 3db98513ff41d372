/** Reads an operation with its usage and its policy decisions in one statement. */
import { Type, type Static } from 'typebox'
import { columnsOf, nullable, sql, type Reader, type Sql } from '#dodeca/kernel'
import { InferenceUsage } from '../schemas.ts'

const text = Type.String()

export const OperationRow = Type.Object({
  tenant_id: text,
  id: text,
  actor_id: text,
  model: text,
  model_deployment_id: text,
  first_deployment_id: text,
  workload: text,
  state: text,
  error_code: nullable(text),
  retryable: Type.Boolean(),
  input_ref: nullable(text),
  output_ref: nullable(text),
  steps: Type.Integer(),
  prompt_version: text,
  parameters: Type.Unknown(),
  metadata: Type.Unknown(),
  tags: Type.Array(text),
  store: Type.Boolean(),
  streamed: Type.Boolean(),
  job_id: nullable(text),
  previous_id: nullable(text),
  run: Type.Integer(),
  estimated_input: Type.Integer(),
  model_snapshot: nullable(text),
  provider_response_id: nullable(text),
  finish_reason: nullable(text),
  output_length: nullable(Type.Integer()),
  output_sha256: nullable(text),
  cancel_requested_at: nullable(text),
  created_at: text,
  started_at: nullable(text),
  completed_at: nullable(text),
  deadline_at: text,
  attempts: Type.Integer(),
  usage: nullable(InferenceUsage),
  safety: Type.Array(
    Type.Object({ stage: text, category: text, decision: text, policy_version: text }),
  ),
})
export type OperationRow = Static<typeof OperationRow>

export type OperationKey = { readonly tenant_id: string; readonly id: string }

/** Of the operation `t`. */
export const operationExpressions = {
  output_sha256: sql`encode(t.output_sha256, 'hex')`,
  attempts: sql`
    (select coalesce(max(a.attempt), 0) from inference.inference_attempts a
      where a.tenant_id = t.tenant_id and a.operation_id = t.id)`,
  usage: sql`
    (select case when count(*) > 0 then jsonb_build_object(
        'input_units', sum(u.input_tokens), 'cached_input_units', sum(u.cached_input_tokens),
        'output_units', sum(u.output_tokens), 'reasoning_units', t.reasoning_units,
        'unit', 'token',
        'source', case when bool_and(u.source = 'provider') then 'provider' else 'estimated' end,
        'cost_amount', round(sum(u.estimated_cost_minor_units) / 100, 8)::text,
        'currency', max(u.currency), 'price_version', max(u.price_version)) end
      from inference.generation_usage u
      where u.tenant_id = t.tenant_id and u.operation_id = t.id)`,
  safety: sql`
    (select coalesce(jsonb_agg(jsonb_build_object('stage', s.stage, 'category', s.category,
        'decision', s.decision, 'policy_version', s.policy_version)
        order by s.stage, s.category), '[]')
      from inference.safety_decisions s
      where s.tenant_id = t.tenant_id and s.operation_id = t.id)`,
}

export async function readOperation(
  reader: Reader,
  { tenant_id, id }: OperationKey,
): Promise<OperationRow | undefined> {
  return await read(reader, tenant_id, sql`t.id = ${id}`)
}

export async function readOperationOfJob(
  reader: Reader,
  { tenant_id, job_id }: { readonly tenant_id: string; readonly job_id: string },
): Promise<OperationRow | undefined> {
  return await read(reader, tenant_id, sql`t.job_id = ${job_id}`)
}

async function read(
  reader: Reader,
  tenant_id: string,
  which: Sql,
): Promise<OperationRow | undefined> {
  return await reader.maybe(
    OperationRow,
    sql`
      select ${columnsOf(OperationRow, 't', operationExpressions)}
      from inference.inference_operations t
      where t.tenant_id = ${tenant_id} and ${which}`,
  )
}
