/**
 * The faults of this Stripe: rules for requests and for webhooks, applied in the order in which
 * they were given, and a chaos mode that makes random choices for each request from one seed.
 */
import { Type, type Static } from 'typebox'
import { openFaultScript, type FaultScript } from '../fault-script.ts'
import { mapOf, type Form } from './form.ts'

const request_actions = [
  'delay_before',
  'delay_after',
  'hang',
  'late_effect',
  'reset_before',
  'reset_after',
  'http',
  'garbage_json',
  'truncate',
  'lock_timeout',
  'wrong_amount',
  'foreign_object',
] as const
const webhook_actions = [
  'drop',
  'duplicate',
  'concurrent',
  'delay',
  'reorder',
  'before_response',
  'bad_signature',
  'old_timestamp',
  'future_timestamp',
] as const

const action = Type.Unsafe<RequestAction | WebhookAction>({
  type: 'string',
  enum: [...request_actions, ...webhook_actions],
})
export type RequestAction = (typeof request_actions)[number]
export type WebhookAction = (typeof webhook_actions)[number]

export const FaultRule = Type.Object(
  {
    action,
    match: Type.Optional(
      Type.Object(
        {
          method: Type.Optional(Type.String({ maxLength: 10 })),
          /** A part of the path, such as `/confirm`. */
          path: Type.Optional(Type.String({ maxLength: 200 })),
          /** Type of the event, for webhooks. */
          type: Type.Optional(Type.String({ maxLength: 100 })),
          /** The rule applies from this match on. */
          nth: Type.Optional(Type.Integer({ minimum: 1 })),
          metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
        },
        { additionalProperties: false },
      ),
    ),
    times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 3_600_000 })),
    n: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    status: Type.Optional(Type.Integer({ minimum: 400, maximum: 599 })),
    after_effect: Type.Optional(Type.Boolean()),
    should_retry: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
export type FaultRule = Static<typeof FaultRule>

export const Chaos = Type.Object(
  {
    seed: Type.Integer(),
    /** For each action, the share of requests that it hits. */
    rates: Type.Record(Type.String(), Type.Number({ minimum: 0, maximum: 1 })),
    ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000 })),
  },
  { additionalProperties: false },
)
export type Chaos = Static<typeof Chaos>

type RequestFacts = { method: string; path: string; form: Form; metadata: Record<string, string> }
type Facts = RequestFacts | { type: string }

export type Faults = {
  readonly script: FaultScript<FaultRule, Facts>
  forRequest(facts: RequestFacts): FaultRule | undefined
  forWebhook(type: string): FaultRule | undefined
  /**
   * Whether the webhooks of these events arrive before the response to the request that made the
   * events.
   */
  comesFirst(types: readonly string[]): boolean
  chaos(chaos: Chaos | null): void
}

export function openFaults(): Faults {
  const seen = new Map<FaultRule, number>()
  const script = openFaultScript<FaultRule, Facts>((rule, facts) => {
    if (!fits(rule, facts)) return false
    const count = (seen.get(rule) ?? 0) + 1
    seen.set(rule, count)
    return count >= (rule.match?.nth ?? 1)
  })
  let chaos: { roll(): number; setup: Chaos } | null = null
  const rolled = (actions: readonly string[]): FaultRule | undefined => {
    if (!chaos) return undefined
    const { setup, roll } = chaos
    for (const [name, rate] of Object.entries(setup.rates)) {
      if (!actions.includes(name) || roll() >= rate) continue
      const ms = Math.floor(roll() * (setup.ms ?? 500))
      return { action: name as RequestAction, ms, status: 500, after_effect: roll() < 0.5 }
    }
    return undefined
  }
  return {
    script,
    forRequest: facts => script.take(facts) ?? rolled(request_actions),
    forWebhook: type => script.take({ type }) ?? rolled(webhook_actions),
    comesFirst: types => {
      const setup = script.list().some(one => one.rule.action === 'before_response')
      return setup && types.some(type => script.take({ type })?.action === 'before_response')
    },
    chaos: setup => {
      chaos = setup && { setup, roll: mulberry32(setup.seed) }
    },
  }
}

function fits({ action: name, match = {} }: FaultRule, facts: Facts): boolean {
  const webhook = (webhook_actions as readonly string[]).includes(name)
  if ('type' in facts) return webhook && (match.type === undefined || match.type === facts.type)
  if (webhook) return false
  const given = { ...facts.metadata, ...mapOf(facts.form, 'metadata') }
  return (
    (match.method === undefined || match.method === facts.method) &&
    (match.path === undefined || facts.path.includes(match.path)) &&
    Object.entries(match.metadata ?? {}).every(([key, value]) => given[key] === value)
  )
}

/** A small random number generator. The same seed gives the same run. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
