/** The result of a report that was written in the background, or that could not be. */
import type { Deps } from '../deps.ts'
import type { Call } from '../operations/call.ts'
import type { Result } from '../operations/call-model.ts'
import type { openLedger } from '../operations/ledger.ts'
import { countTokens } from '../operations/tokens.ts'
import { ProviderFailure, type ProviderResponse } from '../providers/provider.ts'
import type { Spent } from '../quotas/settle.ts'
import { OutputScanner } from '../safety/scanner.ts'

const none = {
  cached_input: 0,
  reasoning: 0,
  source: 'estimated' as const,
  model_snapshot: null,
  provider_request_id: null,
}

export function failed(
  ledger: ReturnType<typeof openLedger>,
  error: unknown,
  began_ms: number,
): Result {
  const failure = error instanceof ProviderFailure ? error : undefined
  const compute_ms = Math.round(performance.now() - began_ms)
  const as = ledger.sent() ? 'failed' : 'released'
  const spent: Spent = { ...none, input: 0, output: 0, compute_ms, as }
  const code = failure && failure.code !== 'aborted' ? failure.code : 'service_unavailable'
  return {
    ending:
      code === 'content_blocked'
        ? { state: 'blocked' }
        : { state: 'failed', code, retryable: failure?.retryable ?? true },
    text: '',
    spent,
    response_id: null,
    decided: [],
    attempt: ledger.last(),
  }
}

export async function resultOf(
  deps: Deps,
  call: Call,
  ledger: ReturnType<typeof openLedger>,
  ended: ProviderResponse | undefined,
  began_ms: number,
): Promise<Result> {
  const compute_ms = Math.round(performance.now() - began_ms)
  const attempt = ledger.last()
  if (!ended) {
    const spent: Spent = { ...none, input: 0, output: 0, compute_ms, as: 'ambiguous' }
    const ending = { state: 'failed', code: 'upstream_timeout', retryable: false } as const
    return { ending, text: '', spent, response_id: null, decided: [], attempt }
  }
  const scanner = new OutputScanner(deps.policy)
  const begun = scanner.push(ended.text)
  const rest = begun.blocked ? begun : scanner.end()
  const text = begun.blocked ? begun.text : begun.text + rest.text
  const ending = begun.blocked || rest.blocked ? ({ state: 'blocked' } as const) : endingOf(ended)
  const { usage, model_snapshot, response_id } = ended
  const as = ending.state
  const spent: Spent = usage
    ? { ...none, ...usage, source: 'provider', model_snapshot, compute_ms, as }
    : {
        ...none,
        input: call.estimated_input,
        output: await countTokens(ended.text),
        model_snapshot,
        compute_ms,
        as,
      }
  return { ending, text, spent, response_id, decided: scanner.decided, attempt }
}

function endingOf({ status, outcome }: ProviderResponse): Result['ending'] {
  if (status === 'cancelled') {
    return { state: 'cancelled', code: 'inference_cancelled', retryable: false }
  }
  if (outcome && !(outcome instanceof ProviderFailure)) {
    return { state: 'succeeded', finish_reason: outcome.ended }
  }
  if (outcome?.blocked || outcome?.code === 'content_blocked') return { state: 'blocked' }
  const code =
    outcome && outcome.code !== 'aborted' ? outcome.code : ('service_unavailable' as const)
  return {
    state: 'failed',
    code,
    retryable: outcome?.retryable ?? true,
  }
}
