/**
 * The faults of this provider: rules from the control plane, and directives in a prompt such as
 * `[[sandbox fault=rate_limit times=1]]` for tests that can reach only the platform.
 */
import { Type, type Static } from 'typebox'
import { LRUCache } from 'lru-cache'
import { openFaultScript, type FaultScript } from '../fault-script.ts'
import type { Prompt } from './prompt.ts'

const actions = [
  // Faults instead of an answer.
  'rate_limit',
  'status',
  'html_502',
  'connect_reset',
  'headers_timeout',
  'context_length',
  // Faults during the reply.
  'body_stall',
  'slow',
  'stream_cut',
  'stream_reset',
  'stream_no_terminal',
  'malformed_event',
  'lost_response',
  'webhook_first',
  // Faults in the content of the answer.
  'error_event',
  'failed_event',
  'refusal',
  'content_filter',
  'incomplete',
  'usage_missing',
  'usage_lies',
  'ends_twice',
  'say',
  'fabricated_quote',
  'misattributed_quote',
  'invalid_json',
  'tool_bad_json',
  'tool_unknown',
  'duplicate_ids',
] as const
export type Action = (typeof actions)[number]

const Count = (maximum: number) => Type.Optional(Type.Integer({ minimum: 0, maximum }))

export const FaultRule = Type.Object(
  {
    action: Type.Unsafe<Action>({ type: 'string', enum: [...actions] }),
    match: Type.Optional(
      Type.Object(
        {
          /** A part of the path, such as `/embeddings`. */
          path: Type.Optional(Type.String({ maxLength: 200 })),
          model: Type.Optional(Type.String({ maxLength: 200 })),
          operation_id: Type.Optional(Type.String({ maxLength: 200 })),
          prompt_contains: Type.Optional(Type.String({ maxLength: 1000 })),
          /** The rule applies from this match on. */
          nth: Type.Optional(Type.Integer({ minimum: 1 })),
        },
        { additionalProperties: false },
      ),
    ),
    times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    status: Type.Optional(Type.Integer({ minimum: 400, maximum: 599 })),
    code: Type.Optional(Type.String({ maxLength: 100 })),
    message: Type.Optional(Type.String({ maxLength: 10_000 })),
    retry_after_ms: Count(3_600_000),
    /** How many deltas are sent before the fault happens. */
    after: Count(1_000_000),
    ttft_ms: Count(3_600_000),
    delta_ms: Count(3_600_000),
    /** The deltas of the fault `say`. */
    deltas: Type.Optional(Type.Array(Type.String({ maxLength: 1_000_000 }), { maxItems: 100_000 })),
  },
  { additionalProperties: false },
)
export type FaultRule = Static<typeof FaultRule>

export type Faults = {
  readonly script: FaultScript<FaultRule, Prompt>
  /** Returns the rule for this request, if there is one, and counts its use. */
  forRequest(prompt: Prompt): FaultRule | undefined
}

export function openFaults(): Faults {
  const seen = new WeakMap<FaultRule, number>()
  const struck = new LRUCache<string, number>({ max: 10_000 })
  const script = openFaultScript<FaultRule, Prompt>((rule, prompt) => {
    if (!fits(rule, prompt)) return false
    const count = (seen.get(rule) ?? 0) + 1
    seen.set(rule, count)
    return count >= (rule.match?.nth ?? 1)
  })
  const inBand = (prompt: Prompt): FaultRule | undefined => {
    const { fault, times, status, code, after, ttft_ms, delta_ms, retry_after_ms } =
      prompt.directives
    const action = actions.find(one => one === fault)
    if (!action) return undefined
    const use = `${action} ${prompt.operation_id ?? prompt.text}`
    const used = struck.get(use) ?? 0
    if (used >= Number(times ?? Infinity)) return undefined
    struck.set(use, used + 1)
    const numbers = Object.entries({ status, after, ttft_ms, delta_ms, retry_after_ms })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, Number(value)])
    return { action, ...(code ? { code } : {}), ...Object.fromEntries(numbers) } as FaultRule
  }
  return { script, forRequest: prompt => script.take(prompt) ?? inBand(prompt) }
}

function fits({ match = {} }: FaultRule, { path, model, operation_id, text }: Prompt): boolean {
  return (
    (match.path === undefined || path.includes(match.path)) &&
    (match.model === undefined || match.model === model) &&
    (match.operation_id === undefined || match.operation_id === operation_id) &&
    (match.prompt_contains === undefined || text.includes(match.prompt_contains))
  )
}
