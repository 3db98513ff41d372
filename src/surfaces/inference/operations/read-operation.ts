/** Reads an operation with its usage and its policy decisions in one statement. */
import { Type, type Static } from 'typebox'
import { nullable, sql, type Reader, type Sql } from '#dodeca/kernel'

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
  prompt_version: text,
  parameters: Type.Unknown(),
  metadata: Type.Unknown(),
  store: Type.Boolean(),
  streamed: Type.Boolean(),
  job_id: nullable(text),
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
  input_units: Type.Integer(),
  cached_input_units: Type.Integer(),
  output_units: Type.Integer(),
  reasoning_units: Type.Integer(),
  cost_amount: nullable(text),
  currency: nullable(text),
  price_version: nullable(Type.Integer()),
  source: nullable(text),
  safety: Type.Array(
    Type.Object({ stage: text, category: text, decision: text, policy_version: text }),
  ),
})
export type OperationRow = Static<typeof OperationRow>

export type OperationKey = { readonly tenant_id: string; readonly id: string }

export async function readOperation(
  reader: Reader,
  { tenant_id, id }: OperationKey,
): Promise<OperationRow | undefined> {
  return await read(reader, sql`o.tenant_id = ${tenant_id} and o.id = ${id}`)
}

export async function readOperationOfJob(
  reader: Reader,
  { tenant_id, job_id }: { readonly tenant_id: string; readonly job_id: string },
): Promise<OperationRow | undefined> {
  return await read(reader, sql`o.tenant_id = ${tenant_id} and o.job_id = ${job_id}`)
}

async function read(reader: Reader, where: Sql): Promise<OperationRow | undefined> {
  return await reader.maybe(OperationRow, operationsWhere(where))
}

/** `where` can end with an order and a limit. */
export function operationsWhere(where: Sql): Sql {
  return sql`
    select o.tenant_id, o.id, o.actor_id, o.model, o.model_deployment_id, o.first_deployment_id,
      o.workload, o.state, o.error_code, o.retryable, o.input_ref, o.output_ref, o.prompt_version,
      o.parameters, o.metadata, o.store, o.streamed, o.job_id, o.run, o.estimated_input,
      o.model_snapshot, o.provider_response_id, o.finish_reason, o.output_length,
      encode(o.output_sha256, 'hex') as output_sha256, o.cancel_requested_at, o.created_at,
      o.started_at, o.completed_at, o.deadline_at,
      (select coalesce(max(a.attempt), 0) from inference.inference_attempts a
        where a.tenant_id = o.tenant_id and a.operation_id = o.id) as attempts,
      used.input_units, used.cached_input_units, used.output_units, o.reasoning_units,
      used.cost_amount,
      used.currency, used.price_version, used.source,
      (select coalesce(jsonb_agg(jsonb_build_object('stage', s.stage, 'category', s.category,
          'decision', s.decision, 'policy_version', s.policy_version)
          order by s.stage, s.category), '[]')
        from inference.safety_decisions s
        where s.tenant_id = o.tenant_id and s.operation_id = o.id) as safety
    from inference.inference_operations o
    cross join lateral (
      select coalesce(sum(u.input_tokens), 0)::int as input_units,
        coalesce(sum(u.cached_input_tokens), 0)::int as cached_input_units,
        coalesce(sum(u.output_tokens), 0)::int as output_units,
        round(sum(u.estimated_cost_minor_units) / 100, 8)::text as cost_amount,
        max(u.currency) as currency, max(u.price_version) as price_version,
        case when count(*) filter (where u.source <> 'provider') > 0
          then 'estimated' else max(u.source) end as source
      from inference.generation_usage u
      where u.tenant_id = o.tenant_id and u.operation_id = o.id) used
    where ${where}`
}
