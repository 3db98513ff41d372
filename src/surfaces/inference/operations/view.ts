/** An operation in replies: from its row, or from memory if it has just ended. */
import type { Static } from 'typebox'
import type { Reader } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import type { InferenceSummary, InferenceView, StepView as StepSchema } from '../schemas.ts'
import { readActed, type Acted } from './answer.ts'
import type { Policy } from '../safety/policy.ts'
import { parsed } from './check-json.ts'
import { readContent, readOutput, type Content, type Output } from './contents.ts'
import type { OperationRow } from './read-operation.ts'
import { codeOf, isRetryable, outputOf, type SettledCall } from './settle-call.ts'

type StepView = Static<typeof StepSchema>

export async function viewOf(
  reader: Reader,
  kernel: Pick<Kernel, 'keys'>,
  row: OperationRow,
  request_id: string,
  /** Another than the caller reads it: without the arguments and results of operations. */
  by_other = false,
): Promise<InferenceView> {
  const output = await readOutput(reader, kernel, row)
  const steps = stepViews(await readActed(reader, kernel, row), by_other)
  const is_json = output !== undefined && (await asksJson(reader, kernel, row))
  return {
    ...summaryOf(row),
    output: output || steps.length > 0 ? shown(output ?? { text: '' }, is_json, steps) : null,
    request_id,
  }
}

/** The view has no output, because the output is sealed. */
export function summaryOf(row: OperationRow): Omit<InferenceSummary, 'actor_id'> {
  return {
    id: row.id,
    object: 'inference',
    state: row.state as InferenceView['state'],
    model: row.model,
    model_deployment_id: row.model_deployment_id,
    model_snapshot: row.model_snapshot,
    prompt_version: row.prompt_version,
    finish_reason: row.finish_reason as InferenceView['finish_reason'],
    usage: row.usage,
    safety: row.safety as InferenceView['safety'],
    error: row.error_code === null ? null : { code: row.error_code, retryable: row.retryable },
    metadata: row.metadata as InferenceView['metadata'],
    tags: row.tags,
    attempts: row.attempts,
    job_id: row.job_id,
    cancel_requested_at: row.cancel_requested_at,
    created_at: row.created_at,
    started_at: row.started_at,
    completed_at: row.completed_at,
    deadline_at: row.deadline_at,
  }
}

async function asksJson(
  reader: Reader,
  kernel: Pick<Kernel, 'keys'>,
  row: OperationRow,
): Promise<boolean> {
  const text = await readContent(reader, kernel, row.tenant_id, row.input_ref)
  if (text === undefined) return false
  return (JSON.parse(text) as Content).response_format?.type === 'json_schema'
}

function shown(
  { text, tool_calls }: Output,
  is_json: boolean,
  steps: StepView[],
): NonNullable<InferenceView['output']> {
  const acted = steps.length > 0 ? { steps } : {}
  if (tool_calls) return { type: 'text', text, tool_calls: [...tool_calls], ...acted }
  const json = is_json ? parsed(text) : undefined
  const said = { text, ...acted }
  return json === undefined ? { type: 'text', ...said } : { type: 'json', ...said, json }
}

/** What the call answered comes first. */
function stepViews({ answered, steps }: Acted, by_other = false): StepView[] {
  const all = answered.length > 0 ? [{ text: '', calls: answered }, ...steps] : steps
  return all.map(({ text, calls }) => ({
    text,
    tool_calls: calls.map(({ id, name, state, arguments: said, output }) =>
      by_other
        ? { id, name, state, arguments: null, output: null }
        : { id, name, state, arguments: said, output },
    ),
  }))
}

/** The same from memory. */
export function viewOfSettled(
  { version: policy_version }: Policy,
  { call, result, spent, completed_at }: SettledCall,
  request_id: string,
): InferenceView {
  const { ending } = result
  const output = outputOf(result)
  const steps = stepViews(call)
  const code = codeOf(ending)
  const decisions = [
    ...call.decided.map(one => ({ ...one, stage: 'input' as const })),
    ...result.decided.map(one => ({ ...one, stage: 'output' as const })),
  ]
  return {
    id: call.id,
    object: 'inference',
    state: ending.state,
    model: call.model,
    model_deployment_id: call.deployment.id,
    model_snapshot: result.spent.model_snapshot,
    prompt_version: call.prompt,
    // As it is stored: an empty text is no output.
    output:
      output || steps.length > 0
        ? shown(output ?? { text: '' }, call.content.response_format?.type === 'json_schema', steps)
        : null,
    finish_reason: ending.state === 'succeeded' ? ending.finish_reason : null,
    usage: {
      input_units: spent.input_units,
      cached_input_units: spent.cached_input_units,
      output_units: spent.output_units,
      reasoning_units: spent.reasoning_units,
      unit: 'token',
      source: spent.source === 'provider' ? 'provider' : 'estimated',
      cost_amount: spent.cost,
      currency: spent.currency,
      price_version: spent.price_version,
    },
    safety: decisions.map(one => ({ ...one, policy_version })),
    error: code === null ? null : { code, retryable: isRetryable(ending) },
    metadata: call.metadata,
    tags: [...call.tags],
    attempts: call.attempts,
    job_id: call.job_id,
    cancel_requested_at: null,
    created_at: call.created_at,
    started_at: call.created_at,
    completed_at,
    deadline_at: call.deadline_at,
    request_id,
  }
}
