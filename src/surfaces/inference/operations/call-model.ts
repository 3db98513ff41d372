/**
 * Runs one call: tries the deployments in their order, passes safe text on as it arrives, and
 * returns how the call ended. It never throws because of a provider. The next deployment is tried
 * only while no text was passed on. The usage of the run before it is settled first, in the
 * transaction that reserves the next run.
 */
import { Problem } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { cacheKey, placeInput, safetyIdentifier } from '../prompts/place.ts'
import { prompts } from '../prompts/prompts.ts'
import type { Sealed, ToolCall } from '../providers/form.ts'
import { ProviderFailure, type FinishReason, type ProviderRequest } from '../providers/provider.ts'
import type { Spent } from '../quotas/settle.ts'
import { decideOn, type Decided } from '../safety/policy.ts'
import type { Call } from './call.ts'
import { CallCancelled } from './calls.ts'
import { nextRun, openLedger, writeEnd, type EndedAttempt, type Ledger } from './ledger.ts'
import { checkJson } from './check-json.ts'
import { loadFiles } from './files.ts'
import { Reading, type Sink } from './reading.ts'
import { countTokens } from './tokens.ts'

export type Ending =
  | { readonly state: 'succeeded'; readonly finish_reason: EndReason }
  | { readonly state: 'failed'; readonly code: FailedCode; readonly retryable: boolean }
  | { readonly state: 'blocked' }
  /** `retryable` means that the caller has left or the process stops. */
  | {
      readonly state: 'cancelled'
      readonly code: 'inference_cancelled'
      readonly retryable: boolean
    }

/** Why a call ended that was not cut off: also what ends one that performs operations. */
export type EndReason = FinishReason | 'approval_required' | 'max_steps' | 'max_cost'

export type FailedCode =
  | 'permission_denied'
  | 'service_unavailable'
  | 'capacity_exceeded'
  | 'upstream_timeout'
  | 'upstream_unreachable'
  | 'upstream_invalid_response'
  | 'context_length_exceeded'
  | 'model_capability_unsupported'
  | 'file_not_found'

/** Before the provider was asked. */
const before_codes = ['capacity_exceeded', 'file_not_found'] as const

function isBefore(code: string): code is (typeof before_codes)[number] {
  return (before_codes as readonly string[]).includes(code)
}

export type Result = {
  readonly ending: Ending
  /** The text after the output policy. */
  readonly text: string
  readonly tool_calls?: readonly ToolCall[]
  /** What the provider of the deployment wants back with the results of the calls. */
  readonly sealed?: readonly Sealed[]
  readonly stop?: string
  /** The text and the calls are those of the last step. */
  readonly of_step?: true
  readonly spent: Spent
  readonly response_id: string | null
  readonly decided: readonly Decided[]
  /** The end of the last attempt. */
  readonly attempt: EndedAttempt | undefined
}

export async function callModel(
  deps: Deps,
  call: Call,
  signal: AbortSignal,
  sink: Sink,
): Promise<Result> {
  // A later step begins with the deployment that answered the one before.
  for (let at = call.candidates.indexOf(call.deployment); ; at++) {
    const { result, is_open } = await callDeployment(deps, call, signal, sink)
    const next = call.candidates[at + 1]
    if (!next || !is_open || !mayFailOver(deps, call, result, signal)) return result
    const before = { run: call.run, deployment: call.deployment, attempts: call.attempts }
    call.deployment = next
    try {
      await deps.kernel.db.tx(async tx => {
        await writeEnd(tx, call, result.attempt)
        await nextRun(tx, deps, call, result.spent)
      })
    } catch (error) {
      Object.assign(call, before)
      if (error instanceof Problem && error.code === 'quota_exceeded') return result
      throw error
    }
  }
}

function mayFailOver(
  { kernel }: Deps,
  { parameters, deadline_at }: Call,
  { ending }: Result,
  signal: AbortSignal,
): boolean {
  const left_ms = Date.parse(deadline_at) - kernel.clock.nowMs()
  const may = ending.state === 'failed' && ending.retryable && parameters.fallback !== 'deny'
  return may && left_ms > 1000 && !signal.aborted
}

type Answered = { readonly result: Result; readonly is_open: boolean }

/** `is_open` means that nothing was passed on, so another deployment may still answer. */
async function callDeployment(
  deps: Deps,
  call: Call,
  signal: AbortSignal,
  sink: Sink,
): Promise<Answered> {
  const ledger = openLedger(deps, call)
  const reading = new Reading(deps, call)
  const provider = deps.providers.of(call.deployment)
  const leave = deps.places.take(call.deployment.id)
  const began_ms = performance.now()
  let loaded: Awaited<ReturnType<typeof loadFiles>> | undefined
  let failure: unknown
  try {
    if (!leave) throw problem('capacity_exceeded')
    if (!provider) throw new ProviderFailure('service_unavailable', { reason: 'provider_absent' })
    loaded = await loadFiles(deps, call, signal)
    // A long text that is read as it arrives, or in a job, may take longer.
    const attempt_ms = deps.kernel.settings['inference.stream_max_ms']
    const deadline = new Date(call.deadline_at)
    const usual = { signal, ledger, deadline }
    const options = call.class === 'call' ? usual : { ...usual, attempt_ms }
    for await (const event of provider.complete(requestOf(deps, loaded.call), options)) {
      if (await reading.take(event, sink)) break
    }
    await reading.end(sink)
  } catch (error) {
    failure = error
  } finally {
    loaded?.leave()
    leave?.()
  }
  const ending = await endingOf(deps, call, { reading, failure, signal })
  const compute_ms = Math.round(performance.now() - began_ms)
  const spent = await spentBy(call, { reading, failure, ending, ledger, compute_ms })
  const { passed: text, response_id } = reading
  const decided = [...reading.decided, ...refusalOf(failure), ...flagsOf(deps, text)]
  return {
    result: {
      ending,
      text,
      ...(reading.calls.length > 0 ? { tool_calls: reading.calls, sealed: reading.sealed } : {}),
      ...(reading.stop === undefined ? {} : { stop: reading.stop }),
      spent,
      response_id,
      decided,
      attempt: ledger.last(),
    },
    is_open: !reading.has_passed,
  }
}

export function requestOf({ kernel }: Deps, call: Call): ProviderRequest {
  const { parameters, content, deployment } = call
  return {
    kind: 'text',
    operation_id: call.id,
    // The second deployment never gets the key that the first one got.
    provider_key: keyOf(call),
    model: deployment.model_name,
    ...(prompts[call.prompt] === '' ? {} : { instructions: prompts[call.prompt] }),
    input: placeInput(kernel, call),
    max_output_tokens: parameters.max_output_tokens,
    ...(parameters.temperature === undefined ? {} : { temperature: parameters.temperature }),
    ...(parameters.top_p === undefined ? {} : { top_p: parameters.top_p }),
    ...wishesOf(call),
    ...(content.response_format === undefined ? {} : { response_format: content.response_format }),
    safety_identifier: safetyIdentifier(kernel, call.tenant_id, call.actor_id),
    prompt_cache_key: cacheKey(kernel, call),
    attempts_before: call.attempts - 1,
  }
}

/** No two requests with another input have one key. */
function keyOf({ id, deployment, first_deployment_id, steps, answered }: Call): string {
  const step = steps.length > 0 || answered.length > 0 ? `.${steps.length}` : ''
  return deployment.id === first_deployment_id ? `${id}${step}` : `${id}.${deployment.id}${step}`
}

function wishesOf({ parameters, content, steps }: Call): Partial<ProviderRequest> {
  const { stop, seed, reasoning_effort, parallel_tool_calls } = parameters
  const { tools } = content
  // What the model must call, it has called in its first step. Else it would never answer.
  const tool_choice =
    steps.length > 0 && content.tool_choice !== 'none' ? undefined : content.tool_choice
  return {
    ...(stop === undefined ? {} : { stop }),
    ...(seed === undefined ? {} : { seed }),
    ...(reasoning_effort === undefined ? {} : { reasoning_effort }),
    ...(tools === undefined ? {} : { tools }),
    ...(tool_choice === undefined ? {} : { tool_choice }),
    ...(parallel_tool_calls === undefined ? {} : { parallel_tool_calls }),
  }
}

type Seen = { readonly reading: Reading; readonly failure: unknown }

async function endingOf(
  { kernel }: Deps,
  call: Call,
  { reading, failure, signal }: Seen & { readonly signal: AbortSignal },
): Promise<Ending> {
  if (reading.is_blocked) return { state: 'blocked' }
  if (failure === undefined && reading.finish_reason) {
    const { finish_reason } = reading
    const is_whole = finish_reason === 'stop'
    const fits = !is_whole || (await checkJson(call, reading.passed))
    return fits
      ? { state: 'succeeded', finish_reason }
      : { state: 'failed', code: 'upstream_invalid_response', retryable: true }
  }
  if (signal.aborted) return cancelledBy(signal)
  if (failure instanceof Problem && isBefore(failure.code)) {
    return { state: 'failed', code: failure.code, retryable: failure.status >= 500 }
  }
  if (failure instanceof ProviderFailure) {
    if (failure.blocked || failure.code === 'content_blocked') return { state: 'blocked' }
    if (failure.code !== 'aborted') {
      logFailure(kernel, call, failure)
      return { state: 'failed', code: failure.code, retryable: failure.retryable }
    }
  }
  kernel.log.error({ operation_id: call.id, err: failure }, 'a model call failed')
  return { state: 'failed', code: 'service_unavailable', retryable: true }
}

/** One log line for each failed run: names, numbers and the provider's own code, never its text. */
function logFailure({ log }: Deps['kernel'], call: Call, failure: ProviderFailure): void {
  const { provider, model_name: model } = call.deployment
  const { code: outcome, reason, refusal } = failure
  // An open circuit fails every call. It was logged when it opened.
  if (reason === 'circuit_open') return
  log.warn(
    { operation_id: call.id, provider, model, outcome, reason, ...(refusal ? { refusal } : {}) },
    'a model call failed',
  )
}

/**
 * A cancel of the caller ends the call for good. A caller that disconnected may come back with its
 * key.
 */
export function cancelledBy(signal: AbortSignal): Ending {
  const is_asked = signal.reason instanceof CallCancelled
  return { state: 'cancelled', code: 'inference_cancelled', retryable: !is_asked }
}

type Counted = Seen & {
  readonly ending: Ending
  readonly ledger: Ledger
  readonly compute_ms: number
}

/** The usage to charge: the provider's numbers, the received text, the reservation, or nothing. */
async function spentBy(
  call: Call,
  { reading, failure, ending, ledger, compute_ms }: Counted,
): Promise<Spent> {
  const seen = {
    model_snapshot: reading.snapshot,
    provider_request_id: ledger.last()?.provider_request_id ?? null,
    compute_ms,
  }
  const nothing = { input: 0, cached_input: 0, output: 0, reasoning: 0 }
  const none = { ...seen, ...nothing, source: 'estimated' as const }
  if (!ledger.sent()) return { ...none, as: 'released' }
  if (reading.usage) return { ...seen, ...reading.usage, source: 'provider', as: ending.state }
  const is_ambiguous = failure instanceof ProviderFailure && failure.ambiguous
  if (reading.snapshot === null && is_ambiguous) return { ...none, as: 'ambiguous' }
  const is_refused = reading.snapshot === null && ending.state === 'failed'
  if (is_refused) return { ...none, as: 'failed' }
  const output = await countTokens(reading.written)
  return { ...none, as: ending.state, input: call.estimated_input, output }
}

function refusalOf(failure: unknown): Decided[] {
  const blocked = failure instanceof ProviderFailure ? failure.blocked : null
  return blocked ? [{ category: blocked, decision: 'block' }] : []
}

/** Rules that only record a match need no text held back. */
function flagsOf({ policy }: Deps, text: string): Decided[] {
  return decideOn(policy, 'output', text).filter(one => one.decision === 'flag')
}
