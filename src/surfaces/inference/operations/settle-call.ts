/**
 * Ends a call in one transaction: its usage, state, output, attempts, decisions and event. The
 * reservation guards it: if the reaper or another run has ended the reservation, nothing is
 * written.
 */
import { hash } from 'node:crypto'
import { Type } from 'typebox'
import { sql, type Problem, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { Settled } from '../quotas/settle.ts'
import { announceEnd } from './announce-end.ts'
import type { Call } from './call.ts'
import type { Ending, Result } from './call-model.ts'
import { sealContent, type Output } from './contents.ts'
import { keepThoughts } from './thoughts.ts'

const Ended = Type.Object({
  ...Settled.properties,
  reasoning_units: Type.Integer(),
  version: Type.Integer(),
  completed_at: Type.String(),
})

export type SettledCall = {
  readonly call: Call
  readonly result: Result
  readonly spent: Settled & { readonly reasoning_units: number }
  readonly completed_at: string
  readonly output_length: number
  readonly output_sha256: string
}

/** Undefined if the call has ended already. */
export async function settleCall(
  tx: Tx,
  deps: Deps,
  call: Call,
  result: Result,
): Promise<SettledCall | undefined> {
  const { ending, text } = result
  const sha = hash('sha256', text, 'buffer')
  const output_length = codePoints(text)
  const ended = await endCall(tx, deps, call, result, { sha, output_length })
  if (!ended) return undefined
  const { version, completed_at, ...spent } = ended
  const finish_reason = finishOf(ending)
  const error_code = codeOf(ending)
  announceEnd(
    tx,
    call,
    {
      state: ending.state,
      spent,
      ...(finish_reason === null ? {} : { finish_reason }),
      ...(error_code === null ? {} : { error_code }),
    },
    version,
  )
  return {
    call,
    result,
    spent,
    completed_at,
    output_length,
    output_sha256: sha.toString('hex'),
  }
}

type Digest = { readonly sha: Buffer; readonly output_length: number }

/**
 * One statement: each part takes its rows from the part before, so that nothing is written without
 * a reservation.
 */
async function endCall(
  tx: Tx,
  { kernel, policy }: Deps,
  call: Call,
  result: Result,
  { sha, output_length }: Digest,
) {
  const { tenant_id, id, run, store, parameters } = call
  const { ending, spent, response_id, decided, attempt } = result
  const is_kept = store || parameters.keyed === true
  const said = outputOf(result)
  const output = is_kept && said ? sealContent(kernel, store, JSON.stringify(said)) : null
  const tried = attempt
    ? sql`, tried as (
        update inference.inference_attempts a
        set state = ${attempt.state}, provider_request_id = ${attempt.provider_request_id},
          error_code = ${attempt.error_code}, latency_ms = ${attempt.latency_ms}
        from ended e
        where a.tenant_id = e.tenant_id and a.operation_id = e.id
          and a.attempt = ${attempt.attempt})`
    : sql.empty
  const decisions =
    decided.length === 0
      ? sql.empty
      : sql`, decisions as (
        insert into inference.safety_decisions (tenant_id, operation_id, stage, category,
          policy_version, decision)
        select e.tenant_id, e.id, 'output', d.category, ${policy.version}, d.decision
        from ended e cross join ${sql.table(decided, { category: 'text', decision: 'text' })} d
        on conflict (tenant_id, operation_id, stage, category) do update
          set decision = excluded.decision, policy_version = excluded.policy_version)`
  const kept = output
    ? sql`, kept as (
        insert into inference.contents (tenant_id, id, operation_id, sealed, erase_at)
        select e.tenant_id, ${output.id}, e.id, ${output.sealed},
          e.completed_at + make_interval(hours => ${output.hours})
        from ended e)`
    : sql.empty
  return await tx.maybe(
    Ended,
    sql`
      with spent as (
        select * from inference.settle(${tenant_id}, ${id}, ${run}, ${spent.as}, ${spent.input},
          ${spent.cached_input}, ${spent.output}, ${spent.source}, ${spent.model_snapshot},
          ${spent.provider_request_id}, ${spent.compute_ms})
      ), ended as (
        update inference.inference_operations o
        set state = ${ending.state}, error_code = ${codeOf(ending)},
          retryable = ${isRetryable(ending)}, output_ref = ${output?.id ?? null},
          model_snapshot = ${spent.model_snapshot}, provider_response_id = ${response_id},
          finish_reason = ${finishOf(ending)}, output_length = ${output_length},
          output_sha256 = ${sha}, reasoning_units = reasoning_units + ${spent.reasoning},
          completed_at = kernel.now(), version = version + 1
        from spent
        where o.tenant_id = ${tenant_id} and o.id = ${id} and o.run = ${run}
          and o.state in ('running', 'reconciling')
        returning o.tenant_id, o.id, o.version, o.completed_at, o.reasoning_units
      )${tried}${decisions}${kept}${keepThoughts(kernel, call, said)}
      select e.version, e.completed_at, e.reasoning_units, s.input_units, s.cached_input_units, s.output_units,
        s.cost::text, s.currency, s.price_version, s.source
      from spent s cross join ended e`,
  )
}

/** Null if the model wrote nothing. */
export function outputOf({ text, tool_calls = [], sealed = [], stop }: Result): Output | null {
  if (stop !== undefined) return { text, stop }
  if (text === '' && tool_calls.length === 0) return null
  if (tool_calls.length === 0) return { text }
  return { text, tool_calls, ...(sealed.length > 0 ? { sealed } : {}) }
}

export function codeOf(ending: Ending): string | null {
  if (ending.state === 'succeeded') return null
  return ending.state === 'blocked' ? 'content_blocked' : ending.code
}

/** The same key, or the job, may run it again. */
export function isRetryable(ending: Ending): boolean {
  if (ending.state === 'cancelled') return ending.retryable
  return ending.state === 'failed' && problemOf(ending).status >= 500
}

/** The error for a caller that has not received any output yet. */
export function problemOf(ending: Exclude<Ending, { readonly state: 'succeeded' }>): Problem {
  if (ending.state === 'blocked') return problem('content_blocked')
  if (ending.state === 'failed') return problem(ending.code, { logged: true })
  // If the caller is still connected, only a stopping process ends the call.
  return ending.retryable ? problem('shutting_down') : problem('inference_cancelled')
}

function finishOf(ending: Ending): string | null {
  return ending.state === 'succeeded' ? ending.finish_reason : null
}

function codePoints(text: string): number {
  // A low surrogate after a high one is the second half of one character.
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)
}
