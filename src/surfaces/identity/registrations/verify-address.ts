/**
 * Verifies a mailbox. The mailed token shows that the caller reads the mailbox. The registration's
 * id or password shows that the caller is the person who registered. With only one of them, a click
 * of one person could complete the registration of another. The first verified registration owns
 * the address and the account. Other registrations of the same address wait until they expire and
 * never replace it. A password is compared with the registration for which the token was mailed,
 * and with a few of the newest.
 */
import { Type, type Static } from 'typebox'
import { Id, newId, nullable, sql, Time, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { consume, countAttempt, peek } from '../one-time.ts'
import { Fields } from '../profiles/profile.ts'
import { Bytes, SessionTokens } from '../schemas.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { announceProven, takeOver } from './take-over.ts'
import { accountByAddress } from '../accounts/find-account.ts'
import { insertAccount } from '../accounts/insert-account.ts'

export const Verified = Type.Object(
  {
    account_id: Id,
    status: Type.Literal('active'),
    verified_at: Time,
    /** The first full session of an account that was anonymous. */
    session: Type.Optional(SessionTokens),
  },
  { title: 'AddressVerified' },
)
type Verified = Static<typeof Verified>

const Registration = Type.Object({
  id: Id,
  tenant_id: Id,
  email: Type.String(),
  email_normalized: Type.String(),
  email_scope: Type.String(),
  password_hash: Bytes,
  display_name: nullable(Type.String()),
  locale: nullable(Type.String()),
  profile: nullable(Fields),
})
export type Registration = Static<typeof Registration>

export type Proof = {
  readonly token: string
  readonly registration_id?: string | undefined
  readonly password?: string | undefined
}

type Needs = Pick<Deps, 'kernel' | 'hasher' | 'denied' | 'permissions'>

export async function verifyAddress(deps: Needs, proof: Proof, seen: Seen): Promise<Verified> {
  const { db, settings } = deps.kernel
  const challenge = await peek(db, ['email_verification'], proof.token)
  if (!challenge) throw problem('one_time_token_invalid')
  const { email_scope, email_normalized } = challenge.details as Record<string, string>
  const waiting = await db.many(
    Registration,
    sql`
      select id, tenant_id, email, email_normalized, email_scope, password_hash, display_name,
        locale, profile
      from identity.registrations
      where email_scope = ${email_scope ?? ''} and email_normalized = ${email_normalized ?? ''}
        and state = 'pending' and expires_at > kernel.now()
        and (${proof.registration_id ?? null}::uuid is null
          or id = ${proof.registration_id ?? null}::uuid)
      order by id = ${challenge.ref} desc, id desc
      limit ${settings['identity.registrations_compared']}`,
  )
  const registration = await known(deps, waiting, proof)
  if (!registration) {
    // Only a password can be guessed, so only a wrong password counts as a failed attempt at the
    // token.
    if (proof.password !== undefined) await countAttempt(db, proof.token)
    throw problem('one_time_token_invalid')
  }
  const verified = await db.tx(tx => complete(tx, deps, registration, proof.token, seen))
  if (!verified) throw problem('one_time_token_invalid')
  return verified
}

async function known(
  { hasher }: Pick<Deps, 'hasher'>,
  waiting: readonly Registration[],
  { registration_id, password }: Proof,
): Promise<Registration | undefined> {
  if (registration_id !== undefined) return waiting[0]
  if (password === undefined) return undefined
  for (const one of waiting) {
    const owner = { table: 'identity.registrations', id: one.id } as const
    if (await hasher.verify(password, hasher.open(one.password_hash, owner))) return one
  }
  return undefined
}

/**
 * Returns undefined if another caller was first. The failure of the registration is committed
 * anyway.
 */
async function complete(
  tx: Tx,
  deps: Needs,
  registration: Registration,
  token: string,
  seen: Seen,
): Promise<Verified | undefined> {
  const { id, email_scope, email_normalized } = registration
  if (!(await consume(tx, ['email_verification'], token))) return undefined
  const account = await owner(tx, deps, registration, seen)
  await tx.run(sql`
    update identity.registrations
    set state = case when id = ${id} and ${account !== undefined} then 'completed'
      when expires_at <= kernel.now() then 'expired' else 'superseded' end
    where email_scope = ${email_scope} and email_normalized = ${email_normalized}
      and state = 'pending'`)
  if (account === undefined) return undefined
  return await tx.one(
    Verified,
    sql`
      select id as account_id, status, verified_at from identity.accounts where id = ${account}`,
  )
}

/** The account that the registration now owns. */
async function owner(
  tx: Tx,
  deps: Needs,
  registration: Registration,
  seen: Seen,
): Promise<string | undefined> {
  const { id, tenant_id, email, email_scope, email_normalized, password_hash } = registration
  const held = await accountByAddress(tx, email_scope, email_normalized)
  const encoded = deps.hasher.open(password_hash, { table: 'identity.registrations', id })
  if (held) {
    // A schema of profiles is that of one tenant.
    const profile = held.tenant_id === tenant_id ? registration.profile : null
    const claim = { ...registration, registration_id: id, encoded, profile }
    return (await takeOver(tx, deps, held, claim, seen)) ? held.id : undefined
  }
  const account_id = newId()
  const address = { email, normalized: email_normalized }
  const scope = email_scope
  const draft = { ...registration, id: account_id, scope, address, encoded, proven: true }
  if (!(await insertAccount(tx, deps, draft))) return undefined
  await announceProven(tx, { id: account_id, tenant_id }, seen)
  return account_id
}
