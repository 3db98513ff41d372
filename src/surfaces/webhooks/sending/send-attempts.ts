/**
 * Running requests. Each request starts with a claimed delivery and always ends with a result. If
 * the lease of a delivery is nearly over, the delivery is not sent, because another sender may soon
 * send it.
 */
import { jitter, SafeFetchFailure, mayRead } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { tested } from '../events.ts'
import type { Lane } from '../lanes/lane.ts'
import { finish_ms } from '../sending-settings.ts'
import { keyOfBody, type Bodies, type Kept } from './bodies.ts'
import type { Claimed } from './claim.ts'
import type { Result } from './finish.ts'
import { isTooOld, learn, nextOf, type Rules } from './decide-retry.ts'
import { ofFailure, ofResponse, type Outcome } from './outcome.ts'
import { sendSigned } from './send-signed.ts'

export type Departure = {
  readonly lane: Lane
  readonly claimed: Claimed
  readonly token: string
  readonly body: Kept | undefined
  /** The current grants of the subscription's owner. */
  readonly grants: ReadonlySet<string>
  /** A time of the monotonic clock. */
  readonly leased_until: number
}

type Going = Pick<Departure, 'lane' | 'claimed'>

/** Adds the bytes, and the current grants of the owners of the subscriptions. */
export async function departures(
  { kernel, bodies, rights }: Pick<Deps, 'kernel' | 'rights'> & { readonly bodies: Bodies },
  going: readonly Going[],
  lease: Pick<Departure, 'token' | 'leased_until'>,
): Promise<Departure[]> {
  const owners = going.map(({ lane: { tenant_id, config } }) => ({
    tenant_id,
    principal_id: config.owner_id,
    session_id: config.session_id,
  }))
  const [found, grants] = await Promise.all([
    bodies.get(
      kernel.db,
      going.map(one => one.claimed),
    ),
    rights.recentGrantsOf(owners),
  ])
  return going.map(({ lane, claimed }, at) => ({
    lane,
    claimed,
    ...lease,
    body: found.get(keyOfBody(claimed)),
    grants: grants[at] ?? new Set<string>(),
  }))
}

type FlightDeps = Pick<Deps, 'kernel' | 'reach' | 'sending'> & { readonly rules: Rules }

const unsent = {
  http_status: null,
  excerpt: null,
  timings: null,
  remote_ip: null,
  wait_seconds: null,
  faulty: false,
}
const not_sent: Outcome = { ...unsent, verdict: 'ours', error_code: null }
const purged: Outcome = { ...unsent, verdict: 'permanent', error_code: 'payload_purged' }
const denied: Outcome = { ...unsent, verdict: 'permanent', error_code: 'permission_denied' }

export async function fly(
  deps: FlightDeps,
  departure: Departure,
  signal: AbortSignal,
): Promise<Result> {
  const { lane, claimed, token, body, grants, leased_until } = departure
  const { clock } = deps.kernel
  const started_ms = clock.nowMs()
  const base = { lane, claimed, token, started_ms }
  const left_ms = leased_until - performance.now()
  if (signal.aborted || left_ms < deps.sending.timeouts.total + finish_ms) {
    return { ...base, ...grounded(claimed, 'pending'), outcome: not_sent }
  }
  if (isTooOld(claimed, deps.rules, started_ms)) {
    return { ...base, ...grounded(claimed, 'exhausted'), outcome: not_sent }
  }
  if (!lane.config.event_filter.every(pattern => mayRead(grants, pattern))) {
    const kept = grounded(claimed, 'pending')
    return { ...base, ...kept, consequence: 'owner_revoked', outcome: not_sent }
  }
  if (!body) {
    return { ...base, ...grounded(claimed, 'permanent_failure', true), outcome: purged }
  }
  if (!mayBeSent(claimed, grants)) {
    return { ...base, ...grounded(claimed, 'permanent_failure', true), outcome: denied }
  }
  const begun = { at: performance.now() }
  lane.begun.add(begun)
  const secret_version = lane.config.secrets[0]?.version ?? null
  const outcome = await attempt(deps, departure, body, signal)
  lane.begun.delete(begun)
  const duration_ms = performance.now() - begun.at
  const now_ms = clock.nowMs()
  const consequence = learn(lane, outcome, duration_ms, deps.rules, now_ms, jitter())
  const next = nextOf(claimed, outcome, deps.rules, now_ms, jitter())
  return { ...base, outcome, next, duration_ms, secret_version, consequence }
}

/**
 * A subscription to `*` gets everything that its owner may read now. That may be less than when the
 * delivery was created.
 */
function mayBeSent({ event_type }: Claimed, grants: ReadonlySet<string>): boolean {
  return event_type === tested || mayRead(grants, event_type)
}

/** The delivery was claimed and not sent, so it is given back unchanged. */
export function stayed(
  { lane, claimed }: { readonly lane: Lane; readonly claimed: Claimed },
  token: string,
  started_ms: number,
): Result {
  return { lane, claimed, token, started_ms, ...grounded(claimed, 'pending'), outcome: not_sent }
}

function grounded(
  { tries }: Claimed,
  state: Result['next']['state'],
  counted = false,
): Pick<Result, 'next' | 'duration_ms' | 'secret_version' | 'consequence'> {
  const next = { state, counted, tries, delay_ms: 0 }
  return { next, duration_ms: 0, secret_version: null, consequence: null }
}

async function attempt(
  deps: FlightDeps,
  { lane, claimed }: Departure,
  { bytes, traceparent }: Kept,
  signal: AbortSignal,
): Promise<Outcome> {
  const { endpoint, secrets } = lane.config
  const { event_id, id, event_type, attempt_no, replay_id } = claimed
  try {
    return await deps.kernel.traced(
      {
        name: `send ${event_type}`,
        kind: 'client',
        traceparent,
        about: [claimed.tenant_id, claimed.subscription_id, id],
        attributes: { 'dodeca.delivery_id': id, 'dodeca.attempt_no': attempt_no },
      },
      async () => {
        const response = await sendSigned(deps, {
          endpoint,
          secrets,
          body: bytes,
          signal,
          id: event_id,
          type: event_type,
          headers: {
            'webhook-attempt': String(attempt_no),
            'webhook-delivery-id': id,
            ...(replay_id ? { 'webhook-replay': replay_id } : {}),
          },
        })
        return ofResponse(response)
      },
      outcome => outcome.verdict !== 'delivered',
    )
  } catch (error) {
    if (error instanceof SafeFetchFailure) return ofFailure(error)
    deps.kernel.log.error({ err: error, delivery_id: id }, 'a webhook could not be sent')
    return not_sent
  }
}
