/**
 * Requires the password of a logged-in person again. Wrong passwords here count in the same bucket
 * as at a login.
 */
import { Type } from 'typebox'
import { Id, nullable, sql, type Bucket, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { Kernel } from '../settings.ts'
import { problem } from '../errors.ts'
import { Bytes } from '../schemas.ts'

const Holder = Type.Object({
  scope: Type.String(),
  normalized: Type.String(),
  password_hash: nullable(Bytes),
  password_changed_at: nullable(Type.String()),
})

/** An address within the scope in which it is unique. */
export type Address = { readonly scope: string; readonly normalized: string }

/**
 * Limits guesses at the password of an address. The limit is the same whether or not an account has
 * the address.
 */
export function passwordBucket(
  { settings }: Pick<Kernel, 'settings'>,
  { scope, normalized }: Address,
): Bucket {
  return guesses(
    'identity.login',
    `${scope} ${normalized}`,
    settings['identity.login_account_burst'],
    settings['identity.login_account_interval_seconds'],
  )
}

/**
 * Allows a number of attempts in a row, then one more for each interval. Callers of the same bucket
 * wait for running attempts.
 */
export function guesses(name: string, of: string, burst: number, interval_seconds: number): Bucket {
  return { name, of, many: burst, per_seconds: burst * interval_seconds, exact: true, wait: true }
}

/** The version of the credential that was verified. */
export type ProvenPassword = { readonly id: string; readonly password_changed_at: string | null }

/**
 * Checks that the account is active and the password is still the one that was verified. Both rows
 * are locked until the commit, so that a concurrent reset either waits or is visible here. The
 * account's row is locked before its credential, as in a reset. The stored hash may have been
 * renewed or sealed again since.
 */
export async function passwordIsUnchanged(
  tx: Tx,
  { id, password_changed_at }: ProvenPassword,
  hold: 'share' | 'update',
): Promise<boolean> {
  const same = await tx.maybe(
    Type.Object({ id: Id }),
    sql`
      select a.id from identity.accounts a
      join identity.credentials c on c.account_id = a.id
      where a.id = ${id} and a.status = 'active'
        and c.password_changed_at = ${password_changed_at}::timestamptz
      ${hold === 'share' ? sql`for share` : sql`for update`}`,
  )
  return same !== undefined
}

export async function provePassword(
  { kernel, hasher }: Pick<Deps, 'kernel' | 'hasher'>,
  account_id: string,
  password: string,
): Promise<ProvenPassword> {
  const holder = await kernel.db.maybe(
    Holder,
    sql`
      select a.email_scope as scope, a.email_normalized as normalized, c.password_hash,
        c.password_changed_at::text as password_changed_at
      from identity.accounts a
      left join identity.credentials c on c.account_id = a.id
      where a.id = ${account_id}`,
  )
  if (!holder) throw problem('account_not_found')
  const attempt = await kernel.take(kernel.db, [passwordBucket(kernel, holder)])
  try {
    const owner = { table: 'identity.credentials', id: account_id } as const
    const encoded = holder.password_hash ? hasher.open(holder.password_hash, owner) : null
    if (!(await hasher.verify(password, encoded))) {
      attempt.keep()
      throw problem('invalid_credentials', { detail: 'The current password is wrong.' })
    }
    return { id: account_id, password_changed_at: holder.password_changed_at }
  } finally {
    await attempt.giveBack()
  }
}
