/**
 * Verifies that an endpoint wants to receive events. The platform sends a signed message with a
 * token, and the endpoint returns the token. Only the hash of the token is stored. So a token
 * cannot be sent a second time: each challenge has a new token, and only the last token is valid.
 */
import { createHash } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { Id, newId, newSecret, rfc3339, SafeFetchFailure, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { SubscriptionRow, type VerificationFault } from '../schemas.ts'
import { readSecrets, type LiveSecret } from '../sending/live-secrets.ts'
import { sendSigned } from '../sending/send-signed.ts'
import { announce, subscriptionColumns } from '../subscriptions/find.ts'

const valid_seconds = 86_400
const type = 'webhook_subscription.challenged'

const Challenged = Type.Object({
  id: Id,
  tenant_id: Id,
  endpoint: Type.String(),
  api_version: Type.String(),
})

export type Challenge = Static<typeof Challenged> & {
  readonly token: string
  readonly secrets: readonly LiveSecret[]
}

export type Answered = 'answered' | VerificationFault

export const hashOfToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** Stores a new token. Returns undefined if the subscription does not wait for a challenge. */
export async function layChallenge(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'secrets'>,
  id: string,
): Promise<Challenge | undefined> {
  const token = newSecret(32)
  const row = await tx.maybe(
    Challenged,
    sql`
      -- any tenant: the caller has found it in the tenant, or sends what is due
      update webhooks.subscriptions
      set challenge_hash = ${hashOfToken(token)}, challenges_sent = challenges_sent + 1,
        challenge_expires_at = kernel.now() + make_interval(secs => ${valid_seconds})
      where id = ${id} and state = 'created'
      returning id, tenant_id, endpoint, api_version`,
  )
  if (!row) return undefined
  const secrets = (await readSecrets(tx, deps, [id])).get(id) ?? []
  return { ...row, token, secrets }
}

export async function sendChallenge(
  deps: Pick<Deps, 'kernel' | 'reach' | 'sending'>,
  challenge: Challenge,
  signal: AbortSignal,
): Promise<Answered> {
  const { id: subscription_id, tenant_id, endpoint, api_version, token, secrets } = challenge
  const id = newId()
  const now = rfc3339(deps.kernel.clock.nowMs())
  const body = {
    id,
    tenant_id,
    type,
    schema_version: 1,
    api_version,
    aggregate_id: subscription_id,
    aggregate_version: 1,
    payload_ref: null,
    occurred_at: now,
    created_at: now,
    data: { subscription_id, challenge: token },
  }
  const message = { endpoint, id, type, secrets, signal, body: Buffer.from(JSON.stringify(body)) }
  try {
    const answer = await sendSigned(deps, { ...message, headers: {} })
    if (answer.status < 200 || answer.status > 299) return 'http_status'
    return echoes(answer.body.toString(), token) ? 'answered' : 'mismatch'
  } catch (error) {
    if (error instanceof SafeFetchFailure) return faultOf(error)
    throw error
  }
}

function echoes(text: string, token: string): boolean {
  if (text.trim() === token) return true
  try {
    return (JSON.parse(text) as { challenge?: unknown } | null)?.challenge === token
  } catch {
    return false
  }
}

function faultOf({ reason }: SafeFetchFailure): VerificationFault {
  if (/^(blocked_|invalid_url|too_many_redirects)/.test(reason)) return 'blocked'
  return reason === 'invalid_response' ? 'http_status' : 'timeout'
}

/**
 * Makes the subscription active if the token is correct and still valid. Returns whether it did.
 */
export async function acceptToken(tx: Tx, id: string, token: string): Promise<boolean> {
  const row = await tx.maybe(
    SubscriptionRow,
    sql`
      -- any tenant: the token is the proof, and the caller has found the subscription
      update webhooks.subscriptions s
      set state = 'active', unverified_since = null, challenge_hash = null,
        challenge_expires_at = null, challenge_due_at = null, version = version + 1,
        verified_at = now(), updated_at = kernel.now()
      where s.id = ${id} and s.state = 'created' and s.challenge_hash = ${hashOfToken(token)}
        and s.challenge_expires_at > kernel.now()
      returning ${subscriptionColumns}`,
  )
  if (!row) return false
  // The endpoint has just replied, so earlier faults no longer delay deliveries. The same holds for
  // the faults of an earlier URL.
  await tx.run(sql`
    update webhooks.delivery_lanes
    set breaker = 'closed', open_ms = 0, open_until = null, not_before = null, ewma_ms = null,
      consecutive_failures = 0, failing_since = null, failures = 0, degraded_at = null,
      updated_at = now()
    where tenant_id = ${row.tenant_id} and subscription_id = ${id}`)
  announce(tx, 'webhook_subscription.verified', row)
  return true
}
