/** Asks a logged-in person for the password again; guesses count in the same bucket as those of a login. */
import { Type } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { nullable } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { Bytes } from '../schemas.ts'
import type { Bucket } from '../throttle.ts'

const Holder = Type.Object({
  scope: Type.String(),
  normalized: Type.String(),
  password_hash: nullable(Bytes),
})

/** An address within the accounts that it is unique among. */
export type Address = { readonly scope: string; readonly normalized: string }

/** Guesses at the password behind an address, whether or not it has an account. */
export function passwordBucket(
  { kernel: { settings }, throttle }: Pick<Deps, 'kernel' | 'throttle'>,
  { scope, normalized }: Address,
): Bucket {
  return throttle.about(
    'login',
    `${scope} ${normalized}`,
    settings['identity.login_account_burst'],
    settings['identity.login_account_interval_seconds'],
  )
}

export async function provePassword(
  { kernel, hasher, throttle }: Pick<Deps, 'kernel' | 'hasher' | 'throttle'>,
  account_id: string,
  password: string,
): Promise<void> {
  const holder = await kernel.db.maybe(
    Holder,
    sql`
      select a.email_scope as scope, a.email_normalized as normalized, c.password_hash
      from identity.accounts a
      left join identity.credentials c on c.account_id = a.id
      where a.id = ${account_id}`,
  )
  if (!holder) throw problem('account_not_found')
  const mine = passwordBucket({ kernel, throttle }, holder)
  const attempt = await throttle.take([{ ...mine, waits: true }])
  try {
    const owner = { table: 'identity.credentials', id: account_id } as const
    const encoded = holder.password_hash ? hasher.open(holder.password_hash, owner) : null
    if (!(await hasher.verify(password, encoded))) {
      attempt.keep()
      throw problem('invalid_credentials')
    }
  } finally {
    await attempt.giveBack()
  }
}
