/**
 * Verifies an endpoint on request. The use case sends a challenge now, or accepts the token that
 * the endpoint received. If the endpoint is slow, the challenge continues in the background, and a
 * later reply still counts.
 */
import { Type } from 'typebox'
import { sql, type Db } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { VerificationFault } from '../schemas.ts'
import { findSubscription } from '../subscriptions/find.ts'
import {
  acceptToken,
  hashOfToken,
  layChallenge,
  sendChallenge,
  type Answered,
} from './challenge.ts'

type VerifyDeps = Pick<Deps, 'kernel' | 'reach' | 'sending' | 'secrets' | 'sender'>
type Place = { readonly id: string; readonly tenant_id: string }

/** What happened at the endpoint, for the detail of the refusal. */
const happened: Readonly<Record<VerificationFault, string>> = {
  timeout: 'The endpoint could not be reached, or it did not answer in time.',
  http_status: 'The endpoint answered with another status than 2xx.',
  mismatch: 'The endpoint answered 2xx, but not with the challenge.',
  blocked: 'The address of the endpoint may not be sent to.',
}
const next = 'Let it answer with the JSON that it received in `challenge`, then verify again.'

/** The time that a caller waits for the endpoint's reply. */
const patience_ms = 5000

export async function verify(
  db: Db,
  deps: VerifyDeps,
  at: Place,
  challenge: string | undefined,
  stopping: AbortSignal,
): Promise<'active' | 'created'> {
  const { state } = await findSubscription(db, at)
  if (state === 'active') return 'active'
  if (state !== 'created') throw problem('invalid_transition', { current_state: state })
  const many = deps.kernel.settings['webhooks.verifications_per_hour']
  await deps.kernel.take(db, [{ name: 'webhooks.verify', of: at.id, many, per_seconds: 3600 }])
  if (challenge !== undefined) {
    await takeToken(db, deps, at, challenge)
    return 'active'
  }
  const asked = askEndpoint(db, deps, at.id, stopping)
  const { promise: over, resolve } = Promise.withResolvers<'slow'>()
  const timer = setTimeout(resolve, patience_ms, 'slow')
  const answered = await Promise.race([asked, over]).finally(() => clearTimeout(timer))
  if (answered === 'slow') {
    // The caller no longer waits. The subscription's state shows the result.
    asked.catch((error: unknown) => deps.kernel.log.warn({ err: error }, 'a challenge failed'))
  }
  if (answered === 'slow' || answered === 'superseded') return 'created'
  if (answered !== 'answered') {
    throw problem('verification_failed', {
      detail: `${happened[answered]} ${next}`,
      more: { reason: answered },
    })
  }
  return 'active'
}

/** Sends a challenge and checks the reply. */
export async function askEndpoint(
  db: Db,
  deps: VerifyDeps,
  id: string,
  signal: AbortSignal,
): Promise<Answered | 'superseded'> {
  const challenge = await db.tx(tx => layChallenge(tx, deps, id))
  if (!challenge) return othersOutcome(db, id)
  const answered = await sendChallenge(deps, challenge, signal)
  if (answered !== 'answered') return answered
  const accepted = await accept(db, deps, id, challenge.token)
  return accepted ? 'answered' : othersOutcome(db, id)
}

const Standing = Type.Object({ active: Type.Boolean() })

/**
 * The endpoint replied correctly, but a later challenge has replaced this one. The later challenge
 * has succeeded already, or it is still running.
 */
async function othersOutcome(db: Db, id: string): Promise<'answered' | 'superseded'> {
  const found = await db.maybe(
    Standing,
    sql`
      -- any tenant: the caller has found it in the tenant, or sends what is owed
      select state = 'active' as active from webhooks.subscriptions where id = ${id}`,
  )
  return found?.active ? 'answered' : 'superseded'
}

const Expired = Type.Object({ expired: Type.Boolean() })

async function takeToken(db: Db, deps: VerifyDeps, at: Place, token: string): Promise<void> {
  if (await accept(db, deps, at.id, token)) return
  const { expired } = await db.one(
    Expired,
    sql`
      select coalesce(challenge_hash = ${hashOfToken(token)}
        and challenge_expires_at <= kernel.now(), false) as expired
      from webhooks.subscriptions where tenant_id = ${at.tenant_id} and id = ${at.id}`,
  )
  if (expired) throw problem('verification_expired')
  const detail =
    'This is not the challenge that the endpoint received last (`data.challenge`). Send `{}` to have another one sent.'
  throw problem('verification_failed', { detail, more: { reason: 'mismatch' } })
}

function accept(db: Db, { sender }: VerifyDeps, id: string, token: string): Promise<boolean> {
  return db.tx(async tx => {
    tx.afterCommit(() => sender.poke([id]))
    return acceptToken(tx, id, token)
  })
}
