/** Requests and replies of replays: of one delivery, or of many deliveries of a subscription. */
import { type Static, Type } from 'typebox'
import { closed, Id, text, Time } from '#dodeca/kernel'
import { Pattern } from '../schemas.ts'

export const Replay = closed({ reason: text(500) })
export const Replayed = Type.Object({
  id: Id,
  status: Type.Literal('pending'),
  replay_id: Id,
  event_id: Id,
  attempt_count: Type.Integer(),
})

/**
 * `failed`: deliveries that ended without success. `missed`: events without a delivery. `all`:
 * both, and deliveries that succeeded.
 */
const only = ['failed', 'missed', 'all'] as const
export const Only = Type.Unsafe<(typeof only)[number]>(Type.String({ enum: [...only] }))

export const ReplayMany = closed({
  since: Time,
  until: Type.Optional(Time),
  only: Only,
  types: Type.Optional(Type.Array(Pattern, { minItems: 1, maxItems: 100, uniqueItems: true })),
  reason: text(500),
})
export type ReplayMany = Static<typeof ReplayMany>

/** The replay and its job share one id. */
export const ReplayingMany = Type.Object({
  id: Id,
  job_id: Id,
  status: Type.Literal('queued'),
  replay_id: Id,
})
