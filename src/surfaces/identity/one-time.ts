/**
 * One-time tokens. The keyring derives a mailed token from its purpose and reference, so no row,
 * event or log contains the token. Other tokens are random. Rows contain only the SHA-256 of a
 * token. One conditional update uses a token up: if two callers send the same token together, only
 * one succeeds.
 */
import { createHash } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { Id, limit, newSecret, nullable, sql, Time } from '#dodeca/kernel'
import type { Db, Keyring, Reader, Tx } from '#dodeca/kernel'

export type Purpose =
  | 'email_verification'
  | 'password_reset'
  | 'mfa_login'
  | 'mfa_step_up'
  | 'oidc_state'
  | 'oidc_ticket'
  | 'invite'
  | 'email_change'
  | 'factor_reset_stop'
  | 'login_code'
  | 'oauth_code'

const Challenge = Type.Object({
  tenant_id: Id,
  account_id: nullable(Id),
  ref: Id,
  details: Type.Unknown(),
  expires_at: Time,
})
export type Challenge = Static<typeof Challenge>
const columns = sql`tenant_id, account_id, ref, details, expires_at`
export const attempts_max = limit(
  'identity.code_attempts',
  5,
  'attempts',
  'Wrong codes of one mailed code',
)
const use = 'identity.one_time'

export type Issue = {
  readonly purpose: Purpose
  readonly ref: string
  readonly tenant_id: string
  readonly account_id: string | null
  readonly ttl_seconds: number
  readonly details?: Readonly<Record<string, unknown>>
}

export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Returns the token of a mail, or null if its key is no longer in the keyring. */
export function derivedToken(
  keys: Pick<Keyring, 'macWith'>,
  kid: string,
  purpose: string,
  ref: string,
): string | null {
  const mac = keys.macWith(kid, use, Buffer.from(`${purpose}\n${ref}`))
  return mac && `ot_${mac.toString('base64url')}`
}

/**
 * A mailed token is bound to this address. It is refused after the account has moved to another
 * address.
 */
export function sentTo(email_normalized: string): { readonly sent_to: string } {
  return { sent_to: hashOf(email_normalized).toString('base64url') }
}

/** Creates a token to be mailed. Only the id of its key is stored. */
export async function issueDerived(
  tx: Tx,
  keys: Pick<Keyring, 'kids' | 'macWith'>,
  issue: Issue,
): Promise<{ key_id: string; expires_at: string }> {
  const key_id = keys.kids[0]
  const token = derivedToken(keys, key_id, issue.purpose, issue.ref)
  if (!token) throw new Error('the current key is not in the ring')
  const { expires_at } = await insert(tx, issue, token, key_id)
  return { key_id, expires_at }
}

/** A token that is returned to the caller once. */
export async function issueRandom(
  tx: Tx,
  issue: Issue,
): Promise<{ token: string; expires_at: string }> {
  const token = `ot_${newSecret()}`
  const { expires_at } = await insert(tx, issue, token, null)
  return { token, expires_at }
}

function insert(tx: Tx, issue: Issue, token: string, key_id: string | null) {
  const { purpose, ref, tenant_id, account_id, ttl_seconds, details = {} } = issue
  return tx.one(
    Type.Object({ expires_at: Time }),
    sql`
      insert into identity.one_time_challenges
        (id_hash, tenant_id, account_id, purpose, ref, key_id, details, expires_at)
      values (${hashOf(token)}, ${tenant_id}, ${account_id}, ${purpose}, ${ref}, ${key_id},
        ${sql.json(details)}, kernel.now() + make_interval(secs => ${ttl_seconds}))
      returning expires_at`,
  )
}

/** Returns the row of the token while the token is valid. */
export function peek(
  reader: Reader,
  purposes: readonly Purpose[],
  token: string,
): Promise<Challenge | undefined> {
  return reader.maybe(
    Challenge,
    sql`
      select ${columns} from identity.one_time_challenges
      where id_hash = ${hashOf(token)} and purpose = any(${purposes})
        and consumed_at is null and attempts < ${attempts_max} and expires_at > kernel.now()`,
  )
}

/**
 * Counts a wrong guess at the secret that belongs to the token. After five wrong guesses the token
 * is exhausted.
 */
export async function countAttempt(db: Pick<Db, 'run'>, token: string): Promise<void> {
  await db.run(sql`
    update identity.one_time_challenges set attempts = attempts + 1
    where id_hash = ${hashOf(token)}`)
}

/** Uses the token up. Returns undefined if it is unknown, used, expired or exhausted. */
export function consume(
  tx: Tx,
  purposes: readonly Purpose[],
  token: string,
): Promise<Challenge | undefined> {
  return tx.maybe(
    Challenge,
    sql`
      update identity.one_time_challenges set consumed_at = kernel.now()
      where id_hash = ${hashOf(token)} and purpose = any(${purposes})
        and consumed_at is null and attempts < ${attempts_max} and expires_at > kernel.now()
      returning ${columns}`,
  )
}

/**
 * The same for a token of an account, whose row is locked first: what erases or changes an account
 * locks it before its tokens, and two orders would be a deadlock.
 */
export async function consumeOfAccount(
  tx: Tx,
  purposes: readonly Purpose[],
  token: string,
): Promise<Challenge | undefined> {
  const open = await peek(tx, purposes, token)
  if (!open) return undefined
  await tx.run(sql`
    select from identity.accounts where id = ${open.account_id} for no key update`)
  return await consume(tx, purposes, token)
}

/** Invalidates all open tokens of an account, for one purpose or for all. */
export async function consumeAll(
  tx: Tx,
  account_id: string,
  purposes: readonly Purpose[] | null,
): Promise<void> {
  await tx.run(sql`
    update identity.one_time_challenges set consumed_at = kernel.now()
    where account_id = ${account_id} and consumed_at is null
      and (${purposes}::text[] is null or purpose = any(${purposes}::text[]))`)
}
