/**
 * Challenges: each row asks for one factor, within five minutes and five attempts. An attempt is
 * counted before it is checked. If two right answers arrive together, only one consumes the row.
 * Counting and consuming are each one conditional update.
 */
import { Type, type Static } from 'typebox'
import { Id, limit, newId, newSecret, sql, Time } from '#dodeca/kernel'
import type { Db, Reader, Tx } from '#dodeca/kernel'
import { relyingParty } from '../../passkeys/relying-party.ts'
import type { Kernel } from '../../settings.ts'
import { hashOf } from '../../one-time.ts'
import type { Holder } from '../holder.ts'
import type { Offered } from '../methods/find-methods.ts'
import { ChallengeStatus, type OpenedChallenge } from '../schemas.ts'
import { requestOptions } from '../methods/webauthn.ts'

const attempts_max = limit(
  'identity.challenge_attempts',
  5,
  'attempts',
  'Wrong answers to one challenge',
)

const Challenge = Type.Object({
  ref: Id,
  tenant_id: Id,
  account_id: Id,
  method_id: Id,
  details: Type.Object({
    webauthn_challenge: Type.Optional(Type.String()),
    session_id: Type.Optional(Id),
  }),
})
export type Challenge = Static<typeof Challenge>

/** The holder and the expiry of the challenge. A challenge of a login ends with the login. */
export type Asked = {
  readonly tenant_id: string
  readonly account_id: string
  readonly method: Offered
  readonly for:
    | { readonly purpose: 'login'; readonly login_hash: Buffer; readonly expires_at: string }
    | { readonly purpose: 'step_up'; readonly session_id: string }
}

export async function openChallenge(
  tx: Tx,
  kernel: Pick<Kernel, 'settings' | 'public_url'>,
  asked: Asked,
): Promise<OpenedChallenge> {
  const { tenant_id, account_id, method, for: reason } = asked
  const id = newId()
  const ttl_seconds = kernel.settings['identity.mfa_challenge_ttl_seconds']
  const public_key =
    method.credential_id === null
      ? undefined
      : await requestOptions(
          relyingParty(kernel),
          { id: method.credential_id, transports: method.transports ?? [] },
          ttl_seconds * 1000,
        )
  const login = reason.purpose === 'login' ? reason : null
  const details = {
    ...(public_key ? { webauthn_challenge: public_key.challenge } : {}),
    ...(reason.purpose === 'step_up' ? { session_id: reason.session_id } : {}),
  }
  // The value behind id_hash is never returned. A challenge is found by its id together with the
  // Bearer token of its holder.
  const { expires_at } = await tx.one(
    Type.Object({ expires_at: Time }),
    sql`
      insert into identity.one_time_challenges (id_hash, tenant_id, account_id, purpose, ref,
        method_id, parent_hash, details, expires_at)
      values (${hashOf(newSecret())}, ${tenant_id}, ${account_id}, ${`mfa_${reason.purpose}`}, ${id},
        ${method.id}, ${login?.login_hash ?? null}, ${sql.json(details)},
        coalesce(${login?.expires_at ?? null}::timestamptz,
          kernel.now() + make_interval(secs => ${ttl_seconds})))
      returning expires_at`,
  )
  return {
    id,
    challenge_id: id,
    status: 'open',
    type: method.type,
    purpose: reason.purpose,
    expires_at,
    ...(public_key ? { public_key } : {}),
  }
}

/** The challenge of that id, if it belongs to this holder and is still open. */
export function findChallenge(
  reader: Reader,
  holder: Holder,
  id: string,
): Promise<Challenge | undefined> {
  return reader.maybe(
    Challenge,
    sql`
      select ref, tenant_id, account_id, method_id, details from identity.one_time_challenges
      where ${heldBy(holder, id)} and consumed_at is null and attempts < ${attempts_max}
        and expires_at > kernel.now()`,
  )
}

export function challengeStatus(reader: Reader, holder: Holder, id: string) {
  return reader.maybe(
    ChallengeStatus,
    sql`
      select ref as id, created_at, expires_at,
        (select m.type from identity.mfa_methods m where m.id = method_id) as type,
        case purpose when 'mfa_login' then 'login' else 'step_up' end as purpose,
        case when consumed_at is not null then 'consumed'
          when expires_at <= kernel.now() then 'expired'
          when attempts >= ${attempts_max} then 'exhausted'
          else 'open' end as status
      from identity.one_time_challenges
      where ${heldBy(holder, id)}`,
  )
}

/**
 * Returns false if no attempt is left. Concurrent guesses together get no more than five attempts.
 */
export async function countAttempt(db: Db, holder: Holder, id: string): Promise<boolean> {
  const counted = await db.run(sql`
    update identity.one_time_challenges set attempts = attempts + 1
    where ${heldBy(holder, id)} and consumed_at is null and attempts < ${attempts_max}
      and expires_at > kernel.now()`)
  return counted === 1
}

/** The attempt that consumes the row was counted before and may have been the last one. */
export async function consumeChallenge(tx: Tx, holder: Holder, id: string): Promise<boolean> {
  const consumed = await tx.run(sql`
    update identity.one_time_challenges set consumed_at = kernel.now()
    where ${heldBy(holder, id)} and consumed_at is null and attempts <= ${attempts_max}
      and expires_at > kernel.now()`)
  return consumed === 1
}

function heldBy(holder: Holder, id: string) {
  if (holder.kind === 'login') {
    return sql`ref = ${id} and purpose = 'mfa_login' and parent_hash = ${holder.hash}`
  }
  const { id: account_id, session_id } = holder.principal
  return sql`ref = ${id} and purpose = 'mfa_step_up' and account_id = ${account_id}
    and details ->> 'session_id' = ${session_id}`
}
